/// Ends the way of an item whose source is fresh and whose files are there. If only files are missing,
/// a kept copy of the source saves the request.
final class UseKnown: Sendable {
  private let copies: SourceCopies

  init(_ parts: RunParts) { copies = parts.copies }

  /// Nil if the source has to be requested.
  func perform(_ known: Known, _ context: ItemContext) -> Stage? {
    let source = known.source
    guard known.freshness.isFresh else { return nil }
    if source.isFinished, let (content, filePlan) = source.shown {
      return .done(source, .shown(content, filePlan))
    }
    // Bytes that another item of this run could not decode fail as a copy, too.
    guard context.sharedFailure?.failure.isOfBytes != true,
      let copy = copies.restore(source, for: context)
    else { return nil }
    return .received(Received(known, copy))
  }
}
