internal import TesseraState

/// Ends the steps of an item if the same request of another item of this run has failed: the server is
/// not asked twice.
struct ShareFailure: Sendable {
  /// Whether failures of the decoder count.
  let includesBytes: Bool

  func outcome(_ context: ItemContext) -> Outcome? {
    guard let shared = context.sharedFailure, includesBytes || !shared.failure.isOfBytes else {
      return nil
    }
    context.reasons.append(.sharedResult)
    return .failed(shared.failure, isRemembered: shared.isRemembered)
  }
}
