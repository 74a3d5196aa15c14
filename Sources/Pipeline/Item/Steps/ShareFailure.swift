internal import TesseraState

/// Ends the way of an item if another item of this run made the same request in vain: the server is
/// not asked twice.
struct ShareFailure: Step {
  /// Whether failures of the decoder count; a layout run decodes nothing.
  let includesBytes: Bool

  func perform(_ work: Work) async throws -> StepDecision {
    guard let failure = work.sharedFailure, includesBytes || !failure.failure.isOfBytes else {
      return .next
    }
    work.reasons.append(.sharedResult)
    work.isRemembered = failure.isRemembered
    return .done(.failed(failure.failure))
  }
}
