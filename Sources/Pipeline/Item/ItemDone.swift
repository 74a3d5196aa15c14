/// What the scheduler learns of an item that has gone its way.
struct ItemDone: Sendable {
  var report: ItemReport
  /// For other items with the same request; nil if this one could be shown.
  var sharedFailure: SharedFailure?
}
