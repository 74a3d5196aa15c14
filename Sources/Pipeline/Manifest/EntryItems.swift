internal import TesseraManifest
internal import TesseraOutput
internal import TesseraPipelineFile
internal import TesseraState
internal import TesseraText

/// Makes items of a manifest's entries, before their ids are claimed.
struct EntryItems {
  let settings: PipelineFile.Fetch
  let shown: ShownURLs
  /// Images that are left out.
  let forgotten: ForgottenItems

  func withOwnID(_ entry: ManifestEntry) -> ManifestEntry { entry.withOwnID(shown) }

  /// The records of a part, in which the first image with a shared id keeps it, if no part before has it: nothing else of
  /// the part depends on other parts.
  func named(_ records: [ManifestRecord]) -> [ManifestRecord] {
    var shared: [Identifier: Identifier] = [:]
    return records.map { record in
      guard case .entry(let entry) = record, entry.sharesID else { return record }
      let content = Identifier(entry.content)
      guard let first = shared[entry.id], first != content else {
        shared[entry.id] = content
        return record
      }
      return .entry(entry.withOwnID(shown))
    }
  }

  /// The position follows from the claim, which finds repeated ids.
  func item(_ entry: ManifestEntry) -> Item {
    Item(entry, position: 0, settings, shown: shown)
  }

  /// The item of an entry whose id another image has.
  func ownItem(_ entry: ManifestEntry) -> Item { item(entry.withOwnID(shown)) }

  func request(_ item: Item) -> StateStore.ClaimRequest {
    let own = item.entry.sharesID ? ownItem(item.entry) : nil
    return StateStore.ClaimRequest(
      id: item.id, line: item.entry.line, entry: item.entryDigest,
      alternative: own.map { .init(id: $0.id, entry: $0.entryDigest) })
  }

  /// By its id, its request, or its source: `forget` knows the source of an id, without ignored parameters.
  func isForgotten(_ item: Item) -> Bool {
    guard !forgotten.isEmpty else { return false }
    // What no document takes must not be a line of one.
    if forgotten.has(shown: item.shownURL) { return true }
    // It may have had either id.
    let ids = [item.id] + (item.entry.sharesID ? [ownItem(item.entry).id] : [])
    // A catalog shows the URL of the list, and that is what is known of an image without a state.
    return [item.requestURL, item.entry.url].contains {
      forgotten.has(ids: ids, url: $0, ignoring: settings.ignoredQuery)
    }
  }
}
