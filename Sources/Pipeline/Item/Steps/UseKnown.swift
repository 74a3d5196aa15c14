/// Ends the steps of an item that needs nothing. If only files are missing, a kept copy of the source saves the request.
final class UseKnown: Sendable {
  private let copies: SourceCopies

  init(_ runContext: RunContext) { copies = runContext.copies }

  /// Nil if the source has to be requested.
  func perform(_ known: Known, _ context: ItemContext) -> Stage? {
    switch known.verdict.need {
    case .confirmation, .bytes: return nil
    case .nothing:
      return known.source.shown.map { .done(known.source, .shown($0.content, $0.filePlan)) }
    case .copy:
      // Bytes that another item of this run could not decode fail as a copy, too.
      guard context.sharedFailure?.failure.isOfBytes != true,
        let copy = copies.restore(known.source, for: context)
      else { return nil }
      return .received(Received(known, copy))
    }
  }
}
