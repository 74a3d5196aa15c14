package import TesseraManifest
internal import TesseraNet
internal import TesseraOutput
package import TesseraPipelineFile
package import TesseraState
internal import TesseraSystem
internal import TesseraText

/// The items of a manifest, each id once, in the manifest's order.
///
/// They come in batches, as many as were read together: a visit to the state, which has a thread of
/// its own, costs as much as looking up a dozen ids.
package struct EntryStream {
  package enum Record: Sendable {
    case item(Item, LineReuse.Lookup?)
    /// Entries that need nothing new.
    case standing(Chunk)
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
  private let chunks: ChunkReuse?
  private let claims: ChunkClaims
  /// What becomes of the chunks; nil for commands that only read, whose ledger is another state than that of the chunks.
  private let lines: RunLines?
  /// Nil for a stream of all items.
  private let filter: ShardFilter?
  private let items: EntryItems
  /// Nil for a stream of all items.
  private let selection: EntrySelection?
  /// By ids that images share, the sources of the first ones that were left out.
  private var leftOut: [Identifier: String] = [:]
  /// The host of headers without one; nil if there are none.
  private var headersHost: SingleHost?
  package private(set) var count = 0
  /// Of items that are not in chunks that stand.
  private var slots = 0
  private(set) var firstProblem: ManifestProblem?
  /// Whether any line can be used, be it for another shard. The other lines of a part are elsewhere.
  private(set) var hasEntries = false

  /// - Parameters:
  ///   - settings: what an item derives from its entry with.
  ///   - ledger: remembers the ids of the manifest.
  ///   - run: the number under which it does.
  ///   - standing: finds items that need nothing new; nil for none.
  ///   - chunks: finds those of the manifest that need nothing new; nil for none.
  ///   - claims: of the chunks.
  ///   - lines: what becomes of the chunks; nil if the ledger is another state than theirs.
  ///   - filter: leaves out what other shards process; nil for all items.
  ///   - forgotten: images that are left out.
  ///   - selection: leaves out images that the run is not for; nil for all items.
  init(
    _ manifest: ManifestStream, _ settings: PipelineFile.Fetch, ledger: StateStore, run: Int,
    standing: LineReuse? = nil, chunks: ChunkReuse? = nil,
    claims: ChunkClaims, lines: RunLines? = nil,
    filter: ShardFilter? = nil, forgotten: ForgottenItems = ForgottenItems(),
    selection: EntrySelection? = nil
  ) {
    (self.chunks, self.claims, self.lines) = (chunks, claims, lines)
    self.selection = selection
    items = EntryItems(settings: settings, shown: manifest.shown, forgotten: forgotten)
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
    throws
  {
    let ledger = try StateStore(path: "")
    let claims = ChunkClaims(try ChunkIndex())
    self.init(manifest, settings, ledger: ledger, run: 1, claims: claims)
  }

  /// The next records, or nil at the end.
  ///
  /// - Throws: also for the first entry of a second host, if headers are meant for one host.
  package mutating func next() async throws -> [Record]? {
    let parts = try await manifest.nextParts()
    // A part without images is one of a shard, too.
    try filter?.check(manifest)
    guard let parts else { return nil }
    var pending = try await prepare(parts)
    var found: [Record] = []
    while !pending.isEmpty {
      if lines == nil, let place = pending[0].place {
        let part = pending.removeFirst().part
        if claims.stand(place, line: part.line) {
          found.append(try stand(place, part))
        } else {
          pending.insert(contentsOf: try await prepare([part], finds: false), at: 0)
        }
        continue
      }
      let next = lines != nil ? pending[...] : pending.prefix { $0.place == nil }
      let answers = try await ledger.claim(
        next.map(\.request), run: run, slot: slots, in: claims)
      for (part, answer) in zip(pending, answers) { found += try records(part, answer) }
      pending.removeFirst(answers.count)
      // An item has left the chunk meanwhile, so that its other entries are looked at one by one.
      if lines != nil, let first = pending.first {
        pending.replaceSubrange(..<1, with: try await prepare([first.part], finds: false))
      }
    }
    return found
  }

  // MARK: Parts

  /// A part of the manifest, and what its lines are claimed with.
  private struct Prepared {
    let part: ManifestChunk
    /// That of the chunk of the last catalog that it is, if that stands.
    var place: Int?
    var key: Chunk.Key?
    var records: [ManifestRecord] = []
    var items: [Item] = []
    var lookups: [LineReuse.Lookup?] = []
    var requests: [StateStore.ClaimRequest] = []
    var forgotten = 0

    var request: StateStore.ChunkRequest {
      place.map { .standing($0, line: part.line) }
        ?? .items(requests, key: key, line: part.line)
    }

    /// Drops the other items. To be called if there is an item for each record.
    mutating func keep(_ areKept: [Bool]) {
      guard areKept.contains(false) else { return }
      items = zip(items, areKept).filter(\.1).map(\.0)
      records = zip(records, areKept).filter(\.1).map(\.0)
      requests = zip(requests, areKept).filter(\.1).map(\.0)
    }
  }

  /// - Parameter finds: whether chunks may stand.
  private mutating func prepare(
    _ parts: [ManifestChunk], finds: Bool = true
  ) async throws -> [Prepared] {
    let known = finds ? chunks?.standing(parts) : nil
    let passed = try await selection?.passed(parts)
    var prepared: [Prepared] = []
    for (index, part) in parts.enumerated() {
      if let place = passed?[index] {
        hasEntries = true
        selection?.pass(place)
        continue
      }
      selection?.beginPart()
      var one = Prepared(part: part, place: known?[index])
      if one.place == nil { try decode(&one) } else { hasEntries = true }
      prepared.append(one)
    }
    if let selection {
      for index in prepared.indices {
        prepared[index].keep(try await selection.areWanted(prepared[index].items))
      }
    }
    // All at once.
    let items = prepared.flatMap(\.items)
    var requests = prepared.flatMap(\.requests)
    let lookups = try await standing?.lookUpLines(items, &requests) ?? items.map { _ in nil }
    var place = 0
    for index in prepared.indices {
      let range = place..<place + prepared[index].items.count
      (prepared[index].requests, prepared[index].lookups) = (
        Array(requests[range]), Array(lookups[range])
      )
      place = range.upperBound
    }
    return prepared
  }

  private mutating func decode(_ part: inout Prepared) throws {
    var records = manifest.records(of: part.part)
    hasEntries = hasEntries || manifest.shard != nil || records.contains(where: \.isEntry)
    if let filter {
      records = try filter.owned(records, of: manifest) { entry in
        try checkHost(of: entry)
      }
    }
    records = items.named(records)
    if let selection {
      for record in records {
        switch record {
        case .entry(let entry): try checkHost(of: entry)
        case .problem(let problem): firstProblem = firstProblem ?? problem
        }
      }
      records = selection.select(
        records, own: items.withOwnID, requestURL: { settings.rewritten($0.url) })
    }
    for record in records {
      if case .entry(let listed) = record {
        // An image that is left out keeps its id: those behind it are not meant by that, unless they are the same.
        let isOthers = listed.sharesID && leftOut[listed.id] != nil
        let item = items.item(isOthers ? items.withOwnID(listed) : listed)
        let isSame = item.entry.formerID.map { leftOut[$0] == item.sourceKey } == true
        if isSame || items.isForgotten(item) {
          if listed.sharesID, !isOthers { leftOut[listed.id] = item.sourceKey }
          part.forgotten += 1
          selection?.forget(item.id)
          continue
        }
        part.items.append(item)
        part.requests.append(items.request(item))
      }
      part.records.append(record)
    }
    // Of lines that can't be used, and of those that are left out, the next run says so again.
    if part.forgotten == 0, !part.items.isEmpty, part.items.count == part.records.count {
      part.key = chunks?.key(of: part.part)
    }
  }

  private mutating func stand(_ place: Int, _ part: ManifestChunk) throws -> Record {
    guard let chunk = claims.parent.chunk(at: place) else { throw RunLines.lost }
    try lines?.copy(chunk, line: part.line)
    count += chunk.count
    return .standing(chunk)
  }

  private mutating func records(
    _ part: Prepared, _ answer: StateStore.ChunkClaim
  ) throws -> [Record] {
    switch answer {
    case .standing: return try part.place.map { [try stand($0, part.part)] } ?? []
    case .items(let claims, let chunk):
      let place = chunk.count > 0 ? try lines?.begin(chunk, slot: slots) : nil
      var next = zip(zip(part.items, part.lookups), claims).makeIterator()
      return try part.records.map { record in
        switch record {
        case .problem(let problem):
          firstProblem = firstProblem ?? problem
          return .problem(problem)
        case .entry:
          guard let ((item, lookup), claim) = next.next() else { return .repeated }
          return try self.record(item, lookup, claim, in: place ?? 0)
        }
      } + repeatElement(.forgotten, count: part.forgotten)
    }
  }

  /// - Parameter chunk: its place among those of the run.
  private mutating func record(
    _ item: Item, _ lookup: LineReuse.Lookup?, _ claim: StateStore.Claim, in chunk: Int
  ) throws -> Record {
    switch claim {
    case .repeated: return .repeated
    case .conflict(let line):
      return .problem(
        manifest.problem(
          line: item.entry.line,
          "duplicate id \"\(item.id)\": \(manifest.words(forLine: line)) defines it differently"))
    case .new, .alternative:
      try checkHost(of: item.entry)
      defer { (count, slots) = (count + 1, slots + 1) }
      let isOwn = claim == .alternative
      let placed = (isOwn ? items.ownItem(item.entry) : item).placed(
        at: count, in: chunk, slot: slots)
      selection?.place(placed.id, at: slots)
      // It was looked up by the id that it does not have.
      return .item(placed, isOwn ? nil : lookup)
    }
  }

  private mutating func checkHost(of entry: ManifestEntry) throws {
    let url = settings.rewritten(entry.url)
    guard let other = headersHost?.other(in: url),
      let first = headersHost?.first
    else { return }
    throw TesseraError.manifest(
      path: manifest.path,
      reason:
        "\(manifest.words(forLine: entry.line)) names the host \"\(other)\", but the first host is "
        + "\"\(first)\", and headers without a host are sent to one host only; bind them "
        + "(fetch.headers: [{host: \(first), …}]), or send them to every host "
        + "(fetch.headers-everywhere: true)")
  }
}

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
    if forgotten.has(shown: item.shownURL) || forgotten.hasMoved(id: item.id, url: item.shownURL) {
      return true
    }
    // It may have had either id.
    let ids = [item.id] + (item.entry.sharesID ? [ownItem(item.entry).id] : [])
    // A catalog shows the URL of the list, and that is what is known of an image without a state.
    return [item.requestURL, item.entry.url].contains {
      forgotten.has(ids: ids, url: $0, ignoring: settings.ignoredQuery)
    }
  }
}

/// Leaves out what other shards process.
struct ShardFilter {
  /// Nil for a run of all items, which rejects a part of a manifest.
  let shard: Shard?
  /// Whether headers go to one host only.
  let hasUnboundHeaders: Bool

  /// - Parameters:
  ///   - manifest: the records are its first ones, or later ones.
  ///   - checkHost: called with each entry of another shard: all shards together send headers without a
  ///     host to one host only.
  /// - Throws: ``TesseraError`` of the code `manifest` if the manifest was split in another way.
  func owned(
    _ records: [ManifestRecord], of manifest: ManifestStream,
    _ checkHost: (ManifestEntry) throws -> Void
  ) throws -> [ManifestRecord] {
    guard let shard else { return records }
    let part = manifest.shard
    var owned: [ManifestRecord] = []
    for record in records {
      switch record {
      case .entry(let entry) where shard.owns(entry.id): owned.append(record)
      case .entry(let entry):
        guard part == nil else { throw wronglySplit(manifest, entry) }
        if hasUnboundHeaders { try checkHost(entry) }
      case .problem(let problem):
        if part != nil || shard.owns(line: problem.line) { owned.append(record) }
      }
    }
    return owned
  }

  /// To be called when the manifest's first line was read, or its end.
  ///
  /// - Throws: ``TesseraError`` of the code `manifest` if it is a part for another shard.
  func check(_ manifest: ManifestStream) throws {
    guard let part = manifest.shard else { return }
    guard part == shard else {
      throw TesseraError.manifest(
        path: manifest.path,
        reason: "it is the part for shard \(part); use run --shard \(part), or the whole manifest")
    }
    guard !hasUnboundHeaders else {
      throw TesseraError.manifest(
        path: manifest.path,
        reason:
          "it is a part, which does not show whether the others have another host, and headers "
          + "without a host are sent to one host only; bind them (fetch.headers: [{host: …}])")
    }
  }

  /// The shard that the entry belongs to would never see it.
  private func wronglySplit(
    _ manifest: ManifestStream, _ entry: ManifestEntry
  ) -> TesseraError {
    .manifest(
      path: manifest.path,
      reason:
        "\(manifest.words(forLine: entry.line)) has no id, and its URL makes one of another shard; split the "
        + "manifest again with --pipeline, so that its \"base\" and \"ignore-query\" apply")
  }
}

/// The entries of a manifest from its end to its beginning: what was added last is fetched first. They
/// wait in a file, each followed by its length, so that memory does not grow with the manifest.
struct NewestFirst: ~Copyable {
  private let file: File
  private var end = 0

  /// - Parameter directory: where the file is; it has no name there.
  init(in directory: String) throws(SystemError) {
    file = try File.temporary(in: directory)
  }

  mutating func add(_ item: Item) throws(SystemError) {
    let bytes = item.entry.packed(position: item.position)
    let numbers = [item.chunk, item.slot, bytes.count].flatMap(Self.bytes)
    try file.write(bytes + numbers)
    end += bytes.count + numbers.count
  }

  /// The last entry that was added and not returned yet, with the places of its item.
  mutating func next() throws(SystemError) -> Record? {
    guard end > 0 else { return nil }
    let numbers = try file.read(3 * Self.width, at: end - 3 * Self.width)
    let (chunk, slot, length) = (
      Self.number(numbers, 0), Self.number(numbers, 1), Self.number(numbers, 2)
    )
    let start = end - 3 * Self.width - length
    guard start >= 0, let record = ManifestEntry.unpacked(try file.read(length, at: start)) else {
      throw SystemError("read back an entry from", "a temporary file", code: 5)  // EIO
    }
    end = start
    return (record.0, record.position, chunk, slot)
  }

  typealias Record = (entry: ManifestEntry, position: Int, chunk: Int, slot: Int)

  private static let width = 8

  private static func bytes(_ number: Int) -> [UInt8] {
    (0..<width).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }

  private static func number(_ bytes: [UInt8], _ place: Int) -> Int {
    bytes.dropFirst(place * width).prefix(width).reduce(0) { $0 << 8 | Int($1) }
  }
}
