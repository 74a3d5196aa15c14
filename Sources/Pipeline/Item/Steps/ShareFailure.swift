internal import TesseraState

/// Ends the way of an item if another item of this run made the same request in vain: the server is
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
