/// Ends the way of an item whose source is fresh and whose files are there. If only files are missing,
/// a kept copy of the source saves the request.
final class UseKnown: Sendable {
  private let copies: SourceCopies

  init(_ parts: RunParts) { copies = parts.copies }

  /// What a source that is known is good for.
  enum Use {
    /// Nothing is left to do.
    case done(Outcome)
    /// Files are made of a kept copy.
    case copy
    case request
  }

  func use(of known: Known, for item: Item) -> Use {
    let source = known.source
    guard known.freshness.isFresh else { return .request }
    if source.isFinished, let (content, filePlan) = source.shown {
      return .done(.shown(content, filePlan))
    }
    return copies.has(source, of: item) ? .copy : .request
  }

  /// Nil if the source has to be requested.
  func perform(_ known: Known, _ context: ItemContext) -> Stage? {
    switch use(of: known, for: context.item) {
    case .request: return nil
    case .done(let outcome): return .done(known.source, outcome)
    case .copy:
      // Bytes that another item of this run could not decode fail as a copy, too.
      guard context.sharedFailure?.failure.isOfBytes != true,
        let copy = copies.restore(known.source, for: context)
      else { return nil }
      return .received(Received(known, copy))
    }
  }
}
