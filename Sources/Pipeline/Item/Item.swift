internal import TesseraBytes
package import TesseraCatalog
package import TesseraManifest
internal import TesseraNet
package import TesseraPipelineFile
internal import TesseraPlan
internal import TesseraState
internal import TesseraSystem
package import TesseraText
internal import TesseraWorkers

/// One item of a run: an entry of the manifest with everything that is derived from it. It is made
/// once, and no step derives any of it again. An object, because a step that waits would keep a copy of all of it.
package final class Item: Sendable {
  package let entry: ManifestEntry
  /// The index among the manifest's items; no other item has it.
  package let position: Int
  /// The URL that is requested: the entry's, with prefixes replaced as `fetch.rewrite` says.
  package let requestURL: String
  /// Host and port of the request URL, in lower case.
  let host: String
  private let shown: ShownURLs
  /// Identifies the source: the ``RecordKey`` of the request URL without its fragment, its signature and the ignored query
  /// parameters. A digest, so that no secret in a URL reaches the state.
  package let sourceKey: String
  /// That of the request URL without its fragment and its signature. Other than the source's key, it tells two
  /// tokens of one source apart if they are ignored: they may lead to different answers.
  let requestKey: String
  /// That of the request URL without its fragment: one signature may be expired, and another not.
  let exactKey: String
  /// SHA-256 of everything that the manifest says about the item, and of how its path is shown if it is a file.
  let entryDigest: String
  /// About the memory that the entry takes, in bytes.
  package let weight: Int

  /// The place of its chunk among those of the run, and its own among the items that the run looks at.
  let chunk: Int
  let slot: Int
  /// Whether files of the better format are to be made, too.
  let wantsUpgrade: Bool

  package var id: String { entry.id }
  /// The entry's URL without secrets, as catalog and messages show it. Made on demand: most items have a line already.
  package var shownURL: String { shown(entry.url) }
  /// Names of the slots that the image is for; nil means all.
  package var slots: [String]? { entry.slots }
  /// The point that crops are centred on; nil means the centre.
  package var focus: CatalogFocus? { entry.focus }

  /// How often it is viewed, relative to others.
  package var views: Double { entry.views ?? 1 }

  /// - Parameter shown: nil for URLs without files, with the ignored parameters of the settings.
  package init(
    _ entry: ManifestEntry, position: Int, _ settings: PipelineFile.Fetch, shown: ShownURLs? = nil
  ) {
    self.entry = entry
    self.position = position
    requestURL = settings.rewritten(entry.url)
    host = SourceHost.name(of: requestURL)
    self.shown = shown ?? ShownURLs(ignoring: settings.ignoredQuery)
    let (exact, key) = (SourceURL.request(requestURL), SourceURL.cacheKey(requestURL))
    requestKey = RecordKey.of(key)
    sourceKey =
      settings.ignoredQuery.isEmpty
      ? requestKey
      : RecordKey.of(SourceURL.cacheKey(requestURL, ignoring: settings.ignoredQuery))
    exactKey = exact == key ? requestKey : RecordKey.of(exact)
    let content = entry.content
    // What a path is shown from may change without the manifest.
    entryDigest = SHA256.of(
      SourceURL.scheme(of: entry.url) == "file" ? "\(content)\n\(self.shown(entry.url))" : content)
    // A short name takes more memory in a list than in the manifest.
    weight = content.utf8.count + (entry.slots?.count ?? 0) * 2 * MemoryLayout<String>.stride
    (chunk, slot, wantsUpgrade) = (0, 0, false)
  }

  private init(_ other: Item, position: Int, chunk: Int, slot: Int, wantsUpgrade: Bool) {
    entry = other.entry
    self.position = position
    (self.chunk, self.slot) = (chunk, slot)
    requestURL = other.requestURL
    host = other.host
    shown = other.shown
    sourceKey = other.sourceKey
    requestKey = other.requestKey
    exactKey = other.exactKey
    entryDigest = other.entryDigest
    weight = other.weight
    self.wantsUpgrade = wantsUpgrade
  }

  /// The same item at another position.
  func placed(at position: Int, in chunk: Int, slot: Int) -> Item {
    Item(self, position: position, chunk: chunk, slot: slot, wantsUpgrade: wantsUpgrade)
  }

  /// The same item, whose files of the better format are made.
  func upgrading() -> Item {
    Item(self, position: position, chunk: chunk, slot: slot, wantsUpgrade: true)
  }
}

extension PipelineFile {
  /// A URL without its secrets.
  package func shown(_ url: String) -> String { shownURLs(url) }

  /// How URLs of the manifest are shown.
  package var shownURLs: ShownURLs {
    var folders = fetch.folders
    for case .file(let path) in manifest.all.reversed() {
      let folder = FileSystem.parent(of: path)
      folders.insert(FileSystem.realPath(folder) ?? folder, at: 0)
    }
    return ShownURLs(
      ignoring: fetch.ignoredQuery, below: folders.map { FileSystem.realPath($0) ?? $0 })
  }
}

extension PipelineFile.Fetch {
  /// A URL with its prefix replaced, if `rewrite` has one for it.
  func rewritten(_ url: String) -> String {
    for rewrite in rewrites where url.begins(with: rewrite.from) {
      return rewrite.to + String(Substring(url.utf8.dropFirst(rewrite.from.utf8.count)))
    }
    return url
  }
}

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
