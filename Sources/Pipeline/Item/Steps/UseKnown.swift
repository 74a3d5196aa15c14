internal import TesseraState
internal import TesseraSystem

/// Ends the way of an item whose source is fresh and whose files are there. If only files are missing,
/// a kept copy of the source saves the request.
struct UseKnown: Step {
  private let freshness: FreshnessPolicy
  private let copies: SourceCopies
  private let clock: WallClock

  init(_ parts: RunParts) {
    freshness = parts.freshness
    copies = parts.copies
    clock = parts.clock
  }

  func perform(_ work: Work) async throws -> StepDecision {
    guard freshness.isFresh(work.source, now: clock.now()) else { return .next }
    if work.source.isReady, let (content, filePlan) = work.source.shown {
      return .done(.shown(content, filePlan))
    }
    // Bytes that another item of this run could not decode fail as a copy, too.
    if work.sharedFailure?.failure.isOfBytes != true, copies.restore(work) { return .goTo(.plan) }
    return .next
  }
}
