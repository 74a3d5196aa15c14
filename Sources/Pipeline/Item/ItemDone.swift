/// What the scheduler learns of an item that has gone its way.
final class ItemDone: Sendable {
  let report: ItemReport
  /// For other items with the same request; nil if this one could be shown.
  let sharedFailure: SharedFailure?

  init(_ report: ItemReport, sharedFailure: SharedFailure? = nil) {
    (self.report, self.sharedFailure) = (report, sharedFailure)
  }
}
