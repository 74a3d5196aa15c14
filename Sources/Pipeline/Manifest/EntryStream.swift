internal import TesseraFetch
package import TesseraManifest
internal import TesseraOutput
package import TesseraPipelineFile
internal import TesseraState

/// The items of a manifest, each id once, in the manifest's order.
///
/// They come in batches, as many as were read together: a visit to the state, which has a thread of
/// its own, costs as much as looking up a dozen ids.
package struct EntryStream {
  package enum Record: Sendable {
    case item(Item, LineReuse.Lookup?)
    /// A line that repeats an entry word for word.
    case repeated
    case problem(ManifestProblem)
    /// An image that was forgotten (`tessera forget`), and that this run leaves out.
    case forgotten
  }

  private let manifest: ManifestStream
  private let settings: PipelineFile.Fetch
  private let ledger: StateStore
  private let run: Int
  private let standing: LineReuse?
  /// Nil for a stream of all items.
  private let filter: ShardFilter?
  private let forgotten: ForgottenItems?
  /// The host of headers without one; nil if there are none.
  private var headersHost: SingleHost?
  package private(set) var count = 0
  /// Of the items so far.
  private(set) var sum = ClaimSum()
  private(set) var firstProblem: ManifestProblem?
  /// Whether any line can be used, be it for another shard. The other lines of a part are elsewhere.
  private(set) var hasEntries = false

  /// - Parameters:
  ///   - settings: what an item derives from its entry with.
  ///   - ledger: remembers the ids of the manifest.
  ///   - run: the number under which it does.
  ///   - standing: finds items that need nothing new; nil for none.
  ///   - filter: leaves out what other shards process; nil for all items.
  ///   - forgotten: images that are left out; nil for none.
  init(
    _ manifest: ManifestStream, _ settings: PipelineFile.Fetch, ledger: StateStore, run: Int,
    standing: LineReuse? = nil, filter: ShardFilter? = nil, forgotten: ForgottenItems? = nil
  ) {
    self.forgotten = forgotten
    self.manifest = manifest
    self.settings = settings
    self.ledger = ledger
    self.run = run
    self.standing = standing
    self.filter = filter
    headersHost = settings.hasUnboundHeaders ? SingleHost() : nil
  }

  /// A stream for commands that only read: its ids are in a temporary database on disk, so that ten
  /// million of them need no memory.
  package init(reading manifest: ManifestStream, _ settings: PipelineFile.Fetch)
    throws(PipelineError)
  {
    let ledger = try PipelineError.wrap { try StateStore(path: "") }
    self.init(manifest, settings, ledger: ledger, run: 1)
  }

  /// The next records, or nil at the end.
  ///
  /// - Throws: also for the first entry of a second host, if headers are meant for one host.
  package mutating func next() async throws -> [Record]? {
    let records = try await manifest.nextBatch()
    // A part without images is one of a shard, too.
    try filter?.check(manifest)
    guard var batch = records else { return nil }
    hasEntries = hasEntries || manifest.shard != nil || batch.contains(where: \.isEntry)
    if let filter {
      batch = try filter.owned(batch, of: manifest) { entry throws(PipelineError) in
        try checkHost(of: entry)
      }
    }
    var (items, rest, left): ([Item], [ManifestRecord], Int) = ([], [], 0)
    for record in batch {
      if case .entry(let entry) = record {
        // The position follows from the claim below, which finds repeated ids.
        let item = Item(entry, position: 0, settings, shown: manifest.shown)
        if isForgotten(item) {
          left += 1
          continue
        }
        items.append(item)
      }
      rest.append(record)
    }
    var requests = items.map { item in
      StateStore.ClaimRequest(id: item.id, line: item.entry.line, entry: item.entryDigest)
    }
    let lookUpLines = try await standing?.lookUpLines(items, &requests) ?? items.map { _ in nil }
    let claims = try await ledger.claim(requests, run: run, position: count)
    var next = zip(zip(items, lookUpLines), claims).makeIterator()
    return try rest.map { record in
      switch record {
      case .problem(let problem):
        firstProblem = firstProblem ?? problem
        return .problem(problem)
      case .entry:
        guard let ((item, lookup), claim) = next.next() else { return .repeated }
        return try self.record(item, lookup, claim)
      }
    } + repeatElement(.forgotten, count: left)
  }

  /// By its id, its request, or its source: `forget` knows the source of an id, without ignored parameters.
  private func isForgotten(_ item: Item) -> Bool {
    guard let forgotten else { return false }
    return [item.requestDigest, item.sourceKey].contains {
      forgotten.has(id: item.id, request: $0)
    }
  }

  private mutating func record(
    _ item: Item, _ lookup: LineReuse.Lookup?, _ claim: StateStore.Claim
  ) throws(PipelineError) -> Record {
    switch claim {
    case .repeated: return .repeated
    case .conflict(let line): return .problem(.conflict(item.entry, with: line))
    case .new:
      try checkHost(of: item.entry)
      defer {
        sum.add(item.id, at: count)
        count += 1
      }
      return .item(item.placed(at: count), lookup)
    }
  }

  private mutating func checkHost(of entry: ManifestEntry) throws(PipelineError) {
    let url = settings.rewritten(entry.url)
    guard let other = headersHost?.other(in: url),
      let first = headersHost?.first
    else { return }
    throw .manifest(
      path: manifest.path,
      reason: "line \(entry.line) names the host \"\(other)\", but the first host is "
        + "\"\(first)\", and headers without a host are sent to one host only; bind them "
        + "(fetch.headers: [{host: \(first), …}]), or send them to every host "
        + "(fetch.headers-everywhere: true)")
  }
}

extension ManifestProblem {
  /// A repeated id with other content: the first line stays.
  fileprivate static func conflict(_ entry: ManifestEntry, with line: Int) -> ManifestProblem {
    ManifestProblem(
      line: entry.line,
      message: "duplicate id \"\(entry.id)\": line \(line) defines it differently")
  }
}
