internal import TesseraCatalog
internal import TesseraFetch
internal import TesseraPlaceholder
internal import TesseraPlan
internal import TesseraState
internal import TesseraWire
internal import TesseraWorkers

/// What is known of one item while its steps run. Steps read it and add to it; one task owns it.
///
/// It is a class, because a value of this size would be kept once for every suspended step of a
/// thousand items.
final class Work {
  let item: Item
  /// What another item of this run found out about the same request.
  let sharedFailure: SharedFailure?
  /// What was decided, in order.
  var reasons: [Reason] = []
  /// What earlier runs know of the source.
  var source = KnownSource()

  /// The verdict on the item's line of an earlier run, as long as it may still apply. What is known of
  /// the source is then no more than that.
  var standing: LineReuse.Verdict?
  /// Whether nothing is known of the source.
  var isNew = false

  // The request and its answer.

  /// Whether the source has to be sent, changed or not: an answer of 304 turned out to be useless.
  var needsBytes = false
  var question = Question()
  var response: FetchResponse?

  // The bytes, and what is made of them.

  var bytes: SourceBytes?
  /// What the decoder saw, if that differs from the header.
  var seen: SourceFacts?
  var filePlan: FilePlan?
  var made: MadeFiles?
  var madeCount = 0
  var madeBytes = 0
  /// The time of its requests.
  var fetching = Duration.zero
  /// Measures its jobs, once it has one.
  var watch: JobWatch?
  /// Whether an earlier run came to the failure that the item ends with.
  var isRemembered = false
  /// What is to be saved about the source.
  var change = StateStore.SourceChange()

  private var cleanUps: [() -> Void] = []

  init(_ item: Item, sharedFailure: SharedFailure? = nil, lookup: LineReuse.Lookup? = nil) {
    self.item = item
    self.sharedFailure = sharedFailure
    switch lookup {
    case .stands(let verdict): standing = verdict
    case .new: isNew = true
    case nil: break
    }
  }

  /// Has a rejection saved. Nil changes nothing: what an earlier answer of this run showed remains.
  func remember(_ change: StateStore.RejectionChange?) {
    if let change { self.change.rejection = change }
  }

  /// Has `action` run when the item's way ends, whatever its end. Later actions run first.
  func atEnd(_ action: @escaping () -> Void) { cleanUps.append(action) }

  /// What became of the item.
  func report(
    _ status: CatalogImage.Status, _ error: CatalogImage.Failure?, _ change: ItemReport.Change
  ) -> ItemReport {
    var report = ItemReport(id: item.id, position: item.position, status: status, error: error)
    if error == nil { report.change = change }
    (report.made, report.bytes) = (madeCount, madeBytes)
    report.fetching = fetching
    report.transcoding = watch?.time ?? .zero
    return report
  }

  func close() {
    while let action = cleanUps.popLast() { action() }
  }
}

/// What a request asks.
struct Question: Sendable {
  /// Makes the request conditional.
  var condition: Condition?
  /// The rejection that a "not modified" would confirm.
  var rejection: RejectionRecord?
}

/// A source's bytes in the spool.
struct SourceBytes: Sendable {
  var place: JobSource.Bytes
  /// How many there are; nil if that is not known.
  var count: Int?
  /// SHA-256 of the bytes, in hexadecimal.
  var digest: String
  var header: HeaderFacts
  /// Whether they are a kept copy and were not fetched for this item.
  var isCopy: Bool
}
