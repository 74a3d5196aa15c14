internal import TesseraCatalog
internal import TesseraState
internal import TesseraWorkers

/// An item in flight, with what is decided and used meanwhile, whatever its ``Stage``. One task owns it.
final class ItemContext {
  let item: Item
  /// What another item of this run found out about the same request.
  let sharedFailure: SharedFailure?
  /// What was decided, in order.
  var reasons: [Reason] = []
  /// What is to be saved about the source.
  var change = StateStore.SourceChange()
  /// Its files that this run made, and their bytes.
  var made = (files: 0, bytes: 0)
  /// The time of its requests.
  var fetching = Duration.zero
  /// Measures its jobs, once it has one.
  var watch: JobWatch?

  private var cleanUps: [() -> Void] = []

  init(_ item: Item, sharedFailure: SharedFailure? = nil) {
    self.item = item
    self.sharedFailure = sharedFailure
  }

  /// Has a rejection saved. Nil changes nothing: what an earlier answer of this run showed remains.
  func remember(_ change: StateStore.RejectionChange?) {
    if let change { self.change.rejection = change }
  }

  /// Has `action` run when the item's steps end, however they end. Later actions run first.
  func atEnd(_ action: @escaping () -> Void) { cleanUps.append(action) }

  /// What became of the item.
  func report(
    _ status: CatalogImage.Status, _ error: CatalogImage.Failure?, _ change: ItemReport.Change
  ) -> ItemReport {
    var report = ItemReport(id: item.id, position: item.position, status: status, error: error)
    if error == nil { report.change = change }
    (report.made, report.bytes) = made
    report.fetching = fetching
    report.transcoding = watch?.time ?? .zero
    return report
  }

  func close() {
    while let action = cleanUps.popLast() { action() }
  }
}

/// What the scheduler learns of an item that has been through its steps.
final class ItemDone: Sendable {
  let report: ItemReport
  /// For other items with the same request; nil if this one could be shown.
  let sharedFailure: SharedFailure?

  init(_ report: ItemReport, sharedFailure: SharedFailure? = nil) {
    (self.report, self.sharedFailure) = (report, sharedFailure)
  }
}
