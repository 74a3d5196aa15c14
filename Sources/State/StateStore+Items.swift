internal import TesseraCatalog

/// Items: where a run has them, and why their lines of the catalog are what they are. The lines themselves are in the catalog.
extension StateStore {
  // MARK: Claims

  /// What a manifest line means for the run.
  package enum Claim: Sendable, Equatable {
    case new
    /// The item has its ``ClaimRequest/alternative``, because an earlier line has its id.
    case alternative
    /// An earlier line of this manifest has the same entry.
    case repeated
    /// That line has another entry with this id.
    case conflict(line: Int)
  }

  package struct ClaimRequest: Sendable {
    package var id: String
    package var line: Int
    /// A digest of everything that the manifest says about the item.
    package var entry: String
    /// Why the item's earlier result still applies; nil if the item has to be processed.
    package var standing: Reason?
    /// What it is claimed as if an earlier line has its id with another entry; nil if that is a conflict.
    package var alternative: Alternative?

    /// An id of the item's own, and the digest of its entry with that.
    package struct Alternative: Sendable {
      package var id: String
      package var entry: String

      package init(id: String, entry: String) { (self.id, self.entry) = (id, entry) }
    }

    package init(
      id: String, line: Int, entry: String, standing: Reason? = nil,
      alternative: Alternative? = nil
    ) {
      (self.id, self.line, self.entry) = (id, line, entry)
      (self.standing, self.alternative) = (standing, alternative)
    }
  }

  /// Some lines of a manifest, and what they mean for the run.
  package enum ChunkRequest: Sendable {
    /// Those of a chunk of the last catalog, by its place. Its first line has this number now.
    case standing(Int, line: Int)
    /// Others. The key is nil if they may mean something else in another run.
    case items([ClaimRequest], key: Chunk.Key?, line: Int)
  }

  package enum ChunkClaim: Sendable {
    case standing
    /// An answer for each request, and the chunk of those that are new.
    case items([Claim], Chunk)
  }

  /// Gives each item to the first of its lines.
  ///
  /// - Parameters:
  ///   - slot: of the first new item.
  ///   - claims: of the run.
  /// - Returns: an answer for each request, up to a chunk that does not stand any more, because an item has left it.
  package func claim(
    _ requests: [ChunkRequest], run: Int, slot: Int, in claims: ChunkClaims
  ) throws(StateError) -> [ChunkClaim] {
    try begin()
    var (answers, slot) = ([ChunkClaim](), slot)
    for request in requests {
      switch request {
      case .standing(let place, let line):
        guard claims.stand(place, line: line) else { return answers }
        answers.append(.standing)
      case .items(let items, let key, let line):
        let (found, chunk) = try claim(items, key, line: line, run: run, slot: slot, in: claims)
        slot += chunk.count
        answers.append(.items(found, chunk))
      }
    }
    return answers
  }

  private func claim(
    _ requests: [ClaimRequest], _ key: Chunk.Key?, line: Int, run: Int, slot: Int,
    in claims: ChunkClaims
  ) throws(StateError) -> ([Claim], Chunk) {
    let number = claims.begin(
      key?.number, or: RecordMark.of("", [.int(run), .int(slot), .int(line)]))
    var (found, count) = ([Claim](), 0)
    for request in requests {
      func answer(_ id: String, _ entry: String) throws(StateError) -> Claim {
        try claim(
          id,
          ItemTable.Claimed(
            chunk: number, place: request.line - line, slot: slot + count, line: request.line,
            run: run, entry: LineInputs.short(entry)), standing: request.standing, in: claims)
      }
      var meaning = try answer(request.id, request.entry)
      if case .conflict = meaning, let other = request.alternative {
        meaning = try answer(other.id, other.entry)
        if meaning == .new { meaning = .alternative }
      }
      found.append(meaning)
      if meaning == .new || meaning == .alternative { count += 1 }
    }
    // Only as a whole it is what its key says. An alternative depends on lines before it.
    let isWhole =
      count == requests.count && !found.contains(.alternative) && key?.number == number
    let own = isWhole ? key : nil
    var chunk = Chunk(own ?? Chunk.Key(number, 0), count: count, line: line)
    chunk.mayStand = own != nil
    return (found, chunk)
  }

  private func claim(
    _ id: String, _ new: ItemTable.Claimed, standing: Reason?, in claims: ChunkClaims
  ) throws(StateError) -> Claim {
    let found = try items.claimed(id)
    if let found {
      let line =
        found.run == new.run
        ? found.line : claims.standingLine(of: found.chunk).map { $0 + found.place }
      if let line { return found.entry == new.entry ? .repeated : .conflict(line: line) }
      if found.chunk != new.chunk { claims.leave(found.chunk) }
      if found.number ?? .max <= lastItem { claims.keep() }
    }
    try items.claim(id, new, isNew: found == nil, standing: standing)
    return .new
  }

  // MARK: Lines

  /// What is known of an item before its turn.
  package struct LineLookup: Sendable {
    /// Nil if its line is not reusable, or was made of another source.
    package var line: KnownLine?
    /// Whether nothing is known of the source: no bytes, no header, no rejection.
    package var isNew: Bool
  }

  /// An item's line of an earlier run, if it is the one that ``made`` stands for.
  package struct KnownLine: Sendable {
    /// The number of its chunk.
    package var chunk: Int
    /// See ``LineInputs/mark(_:sum:_:)``.
    package var made: Int
    package var source: SourceRecord
    /// Whether an answer of the server has been rejected since.
    package var isRejected: Bool
  }

  /// What an item is looked up by.
  package struct LineLookupRequest: Sendable {
    package var id: String
    /// The source's key.
    package var source: String
    /// The key of the request URL.
    package var url: String

    package init(_ id: String, source: String, url: String) {
      (self.id, self.source, self.url) = (id, source, url)
    }
  }

  /// An answer for each request.
  package func lookUpLines(_ requests: [LineLookupRequest]) throws(StateError) -> [LineLookup] {
    try reading { () throws(StateError) in
      try requests.map { request throws(StateError) in
        let values: [Statement.Value] = [
          .text(request.id), .key(request.source), .key(request.url),
        ]
        return try lookups.lookup.first(values) { row in
          let (isRejected, hasHeader) = (row.int(2) != 0, row.int(3) != 0)
          let rest = row.dropFirst(4)
          var lookup = LineLookup(
            isNew: rest.isNull(Int32(SourceRecord.width - 1)) && !hasHeader && !isRejected)
          // Saving a source deletes its header record, so one that exists is newer than the line.
          if !hasHeader, !row.isNull(1), let source = SourceRecord.found(in: rest) {
            lookup.line = KnownLine(
              chunk: row.int(0), made: row.int(1), source: source, isRejected: isRejected)
          }
          return lookup
        } ?? LineLookup(isNew: true)
      }
    }
  }

  // MARK: Results

  /// Saves an item's result together with what its processing changed about the source.
  ///
  /// - Parameters:
  ///   - key: the source's key.
  ///   - url: the key of the request URL.
  /// - Returns: what the item was before; nil if it had no line.
  @discardableResult
  package func save(
    _ result: ItemResult, _ change: SourceChange? = nil, key: String = "", url: String = ""
  ) throws(StateError) -> FormerResult? {
    try begin()
    let keys = (source: key, request: url)
    let now = ItemState(
      status: result.status, sum: LineInputs.sum(of: result.line.utf8), files: result.files,
      source: key, request: keys.request == keys.source ? nil : keys.request,
      placeholder: result.placeholder)
    let before = try items.state(of: result.id)
    var former: FormerResult?
    if let before {
      former = FormerResult(
        isOther: before.sum != now.sum, status: before.status,
        isFailing: before.failing.map { $0 <= lastCompleted.run } ?? false)
      let had = before.source == key ? before.possessions : try possessions(of: before)
      try noteFormer(had.subtracting(now.possessions), of: result.id)
    }
    if let change { try save(change, key: key, url: url) }
    // After the change, because the mark covers the source as it is stored from now on.
    var made: Int?
    if let inputs = result.inputs {
      let own = key == inputs.source ? change?.source : nil
      // What was saved above need not be read again.
      let source = if let own { own } else { try sources.find(inputs.source) }
      made = source.map { inputs.mark(result.id, sum: now.sum, $0) }
    }
    try items.save(result, now, made: made)
    return former
  }

  /// What an item was before a result was saved.
  package struct FormerResult: Sendable, Equatable {
    /// Whether its line is another one now.
    package var isOther: Bool
    package var status: String
    /// Whether it has had an error since a run that was completed: one that was reported.
    package var isFailing: Bool

    package init(isOther: Bool, status: String = "ok", isFailing: Bool = false) {
      (self.isOther, self.status, self.isFailing) = (isOther, status, isFailing)
    }
  }

  /// Saves that an item's line of an earlier run still applies, because the server has confirmed the
  /// source. The caller ensures that the source has no header record and no rejection, and that its new
  /// record differs in nothing that the line was made from.
  package func confirm(
    _ id: String, reasons: [Reason], _ source: SourceRecord?, key: String
  ) throws(StateError) {
    try begin()
    if let source { try sources.save(source, key: key) }
    try items.finish(id, reasons: Reason.stored(reasons))
  }

  /// The statuses that a run has given items; nil for each item that it does not have.
  package func statuses(
    of ids: [String], in run: Int, _ claims: ChunkClaims
  ) throws(StateError) -> [String?] {
    try reading { () throws(StateError) in
      let select = try database.prepare(
        "SELECT \(ItemState.status), run, chunk FROM items WHERE id = ? AND sum IS NOT NULL")
      return try ids.map { id throws(StateError) in
        try select.first([.text(id)]) { row in
          row.int(1) == run || claims.standingLine(of: row.int(2)) != nil ? row.text(0) : nil
        } ?? nil
      }
    }
  }

  /// The statuses that items have in their lines; nil for each without one.
  package func lastStatuses(of ids: [String]) throws(StateError) -> [String?] {
    try reading { () throws(StateError) in
      try ids.map { id throws(StateError) in try items.state(of: id)?.status }
    }
  }

  /// Notes that an item's source is gone, unless that is noted. Returns since when, in seconds since 1970.
  package func lostSince(_ id: String, now: Double) throws(StateError) -> Double {
    try begin()
    return try items.lostSince(id, now: now)
  }

  /// Since when an item's source is gone, as ``lostSince(_:now:)`` has noted; nil if the last answer about it was good.
  package func lostBefore(_ id: String) throws(StateError) -> Double? { try items.lostBefore(id) }

  /// Whether the last completed run has left items a line. Those of a later run may be in no catalog.
  package func haveCompletedLines(_ ids: [String]) throws(StateError) -> [Bool] {
    try reading { () throws(StateError) in
      let select = try database.prepare(
        "SELECT number FROM items WHERE id = ? AND sum IS NOT NULL")
      return try ids.map { id throws(StateError) in
        try select.first([.text(id)]) { $0.int(0) <= lastItem } ?? false
      }
    }
  }

  /// The slots of items in a run; nil for each that it does not have.
  package func slots(of ids: [String], in run: Int) throws(StateError) -> [Int?] {
    try reading { () throws(StateError) in
      let select = try database.prepare("SELECT slot FROM items WHERE id = ? AND run = ?")
      return try ids.map { id throws(StateError) in
        try select.first([.text(id), .int(run)]) { $0.int(0) }
      }
    }
  }

  /// What a look at the next run has to know of an item.
  package struct KnownItem: Sendable {
    /// In its line of the catalog.
    package var status: String
    /// The number of the chunk that it is in.
    package var chunk: Int
    /// Whether the manifest's line is that of the last run which had the item.
    package var isSame: Bool
    /// Whether the last completed run had it.
    package var isOfLastRun: Bool
  }

  /// - Parameter items: ids with digests of what the manifest says about them.
  package func known(_ items: [(id: String, entry: String)]) throws(StateError) -> [KnownItem?] {
    try reading { () throws(StateError) in
      let select = try database.prepare(
        "SELECT \(ItemState.status), chunk, entry, number FROM items WHERE id = ? AND sum IS NOT NULL"
      )
      return try items.map { id, entry throws(StateError) in
        try select.first([.text(id)]) { row in
          KnownItem(
            status: row.text(0), chunk: row.int(1), isSame: row.int(2) == LineInputs.short(entry),
            isOfLastRun: row.int(3) <= lastItem)
        }
      }
    }
  }

  // MARK: For `why`

  /// What is known of an item.
  package struct ItemHistory: Sendable {
    package var run: Int
    package var line: Int
    /// In its line of the catalog; nil if a run was stopped before it had one.
    package var status: String?
    /// Of that line; see ``LineInputs/sum(of:)``.
    package var sum: Int?
    package var reasons: [Reason]
    /// ``RecordKey`` of the URL of its source.
    package var source: String?
    package var content: String?
    /// Another item with the same bytes.
    package var twin: String?
    /// Where its line is in the catalog; nil if that is not known.
    package var chunk: Chunk?
  }

  package func history(of id: String) throws(StateError) -> ItemHistory? {
    let select = try database.prepare(
      "SELECT items.run, chunk, line, done, reason, content, \(ItemState.status), sum, place,"
        + " items.run <= \(lastCompleted.run), source FROM items"
        + " LEFT JOIN sources ON sources.key = source WHERE id = ?")
    let found = try select.first([.text(id)]) { row in
      let hasResult = row.int(3) != 0 && !row.isNull(7)
      let history = ItemHistory(
        run: row.int(0), line: row.int(2), status: hasResult ? row.text(6) : nil,
        sum: hasResult ? row.int(7) : nil,
        reasons: row.optionalText(4).map(Reason.list(stored:)) ?? [],
        source: row.optionalKey(10), content: row.optionalKey(5))
      return (history, chunk: row.int(1), place: row.int(8), isOfIndex: row.int(9) != 0)
    }
    guard case (var history, let number, let place, let isOfIndex)? = found else { return nil }
    history.chunk = try chunkIndex().chunk(of: number)
    if let chunk = history.chunk, isOfIndex {
      history.line = chunk.line + place
      // Nothing was written for the item itself.
      if chunk.hasStood {
        let end = chunk.freshUntil
        history.reasons = [end.isFinite ? .fresh(until: end) : .neverRevalidated]
      }
    }
    if let content = history.content {
      history.twin = try database.prepare(
        "SELECT id FROM items WHERE source IN (SELECT key FROM sources WHERE content = ?)"
          + " AND id <> ? ORDER BY number LIMIT 1"
      ).first([.key(content), .text(id)]) { $0.text(0) }
    }
    return history
  }

  /// Ids that begin with the first parameter: the last character of Unicode follows all others.
  static let idBegins = "id >= ?1 AND id < ?1 || char(1114111)"

  /// The ids that have most of their beginning in common with this one: suggestions for an id that was mistyped. The first of
  /// all if none has anything in common.
  package func ids(near id: String, limit: Int) throws(StateError) -> [String] {
    var ids: [String] = []
    let statement = try database.prepare(
      "SELECT id FROM items WHERE \(Self.idBegins) ORDER BY id LIMIT ?2")
    for length in stride(from: id.count, through: 0, by: -1) where ids.isEmpty {
      try statement.run([.text(String(id.prefix(length))), .int(limit)]) { ids.append($0.text(0)) }
    }
    return ids
  }

  // MARK: What items had

  /// Notes what an item no longer has: `forget` finds all that an output ever kept of an image.
  func noteFormer(_ possessions: Set<Possession>, of id: String) throws(StateError) {
    guard !possessions.isEmpty else { return }
    let insert = try database.prepare(
      "INSERT OR IGNORE INTO former (kind, name, id) VALUES (?, ?, ?)")
    for possession in possessions { try insert.run(possession.values + [.text(id)]) }
  }

  /// Notes bytes that a source no longer has, and each of its items may have had.
  func noteFormer(content: String, ofSource key: String) throws(StateError) {
    try noteFormer([Possession(.contents, content)], of: Self.noteID(ofSource: key))
  }

  /// No item has it: an id is not empty, and has no control character.
  static func noteID(ofSource key: String) -> String { "\u{0}\(key)" }

  private static let itemsTogether = 10_000

  /// Deletes the items that a run does not have, and notes what they had.
  ///
  /// - Parameter ids: among which they are; nil to look at each item.
  func deleteGone(
    _ run: Int, _ claims: ChunkClaims, among ids: [String]?
  ) throws(StateError) {
    let columns = "number, id, run, chunk, \(ItemState.columns) FROM items"
    var gone: [(number: Int, id: String, state: ItemState?)] = []
    func take(_ row: Statement.Row) {
      guard row.int(2) != run, claims.standingLine(of: row.int(3)) == nil else { return }
      gone.append((row.int(0), row.text(1), ItemState(row.dropFirst(4))))
    }
    if let ids {
      let select = try database.prepare("SELECT \(columns) WHERE id = ?")
      for id in ids { try select.run([.text(id)], row: take) }
      return try delete(gone)
    }
    let select = try database.prepare(
      "SELECT \(columns) WHERE number > ? ORDER BY number LIMIT \(Self.itemsTogether)")
    var last: Int? = 0
    while let number = last {
      last = nil
      try select.run([.int(number)]) { row in
        last = row.int(0)
        take(row)
      }
      try delete(gone)
      gone.removeAll()
    }
  }

  private func delete(
    _ items: [(number: Int, id: String, state: ItemState?)]
  ) throws(StateError) {
    let delete = try database.prepare("DELETE FROM items WHERE number = ?")
    for (number, id, state) in items {
      if let state { try noteFormer(try possessions(of: state), of: id) }
      try delete.run([.int(number)])
    }
  }

  /// With the bytes of its source.
  func possessions(of state: ItemState) throws(StateError) -> Set<Possession> {
    let content = try sources.find(state.source)?.content
    return state.possessions.union(content.map { [Possession(.contents, $0)] } ?? [])
  }

  /// Deletes the notes on what is no longer there. Those on files of a source leave with the last of them.
  package func forgetFormer() throws(StateError) {
    try begin()
    try database.execute(
      "CREATE TEMP TABLE sources_of_files (name TEXT PRIMARY KEY) WITHOUT ROWID;"
        + " INSERT OR IGNORE INTO temp.sources_of_files"
        + " SELECT substr(name, 1, \(FileName.sourceDigits)) FROM variants;"
        + " DELETE FROM former WHERE kind = '\(Possession.Kind.files)'"
        + " AND lower(hex(name)) NOT IN (SELECT name FROM temp.sources_of_files);"
        + " DROP TABLE temp.sources_of_files")
    for table in Table.allCases {
      guard let kind = Possession.Kind(rawValue: table.rawValue) else { continue }
      try database.execute(
        "DELETE FROM former WHERE kind = '\(kind)' AND NOT EXISTS"
          + " (SELECT 1 FROM \(table.rawValue) WHERE \(table.key) = former.name)")
    }
  }
}

/// What `tessera status` and the end of a run count. Each method reads a part of a table in one statement, so that a run
/// which writes meanwhile is not held up, and memory does not grow with the state.
extension StateStore {
  /// The files that the state records, and their bytes: one that two records name counts for each. To count paths would sort
  /// all of them at the end of each run (4.7 µs a file, instead of 0.1).
  package func fileTotals() throws(StateError) -> (files: Int, bytes: Int) {
    let select = try database.prepare(
      "SELECT count(*), coalesce(sum(bytes), 0) FROM variants")
    return try select.first([]) { ($0.int(0), $0.int(1)) } ?? (0, 0)
  }

  /// When the server last confirmed the source of a stale image, of the one where it is longest ago; nil without any. Images
  /// that are gone do not count: `keep-lost` decides how long they are shown.
  package func oldestStale() throws(StateError) -> Double? {
    let select = try database.prepare(
      "SELECT min(checked) FROM items JOIN sources ON key = source"
        + " WHERE status = 'stale' AND lost IS NULL")
    return try select.first([]) { $0.optionalDouble(0) } ?? nil
  }

  /// An item whose last result has an error.
  package struct TroubledItem: Sendable {
    /// In the state.
    package var number: Int
    package var id: String
    /// Why: as in its line of the catalog.
    package var code: String
    package var message: String
    /// That was requested; nil if there is none, or URLs are not shown.
    package var host: String?
    package var isStale: Bool
    /// When the server last confirmed its source, in seconds since 1970; nil if it never did.
    package var checked: Double?
    /// Whether its source is gone, so that `keep-lost` decides how long it is shown.
    package var isLost = false
  }

  /// Failed and stale items in the order of their numbers, from the one after `number` on: up to `limit`.
  package func troubledItems(after number: Int, limit: Int) throws(StateError) -> [TroubledItem] {
    let select = try database.prepare(
      "SELECT number, id, status, checked, lost, reason, host FROM items"
        + " LEFT JOIN sources ON key = source"
        + " WHERE number > ? AND status IN ('failed', 'stale') ORDER BY number LIMIT ?")
    var items: [TroubledItem] = []
    try select.run([.int(number), .int(limit)]) { row in
      var (code, failure) = ("unknown", "")
      for reason in row.optionalText(5).map(Reason.list(stored:)) ?? [] {
        if case .failed(let name, let message) = reason { (code, failure) = (name, message) }
      }
      items.append(
        TroubledItem(
          number: row.int(0), id: row.text(1), code: code, message: failure,
          host: row.optionalText(6), isStale: row.text(2) == "stale",
          checked: row.optionalDouble(3), isLost: row.optionalDouble(4) != nil))
    }
    return items
  }

  /// Files that `prune` has seen to be unnamed.
  package struct UnnamedFiles: Sendable, Equatable {
    /// Those for which this was long enough ago, and the bytes of those that are recorded.
    package var deletable = 0
    package var deletableBytes = 0
    /// The others, and when it is long enough for the first of them, in seconds since 1970.
    package var waiting = 0
    package var waitingBytes = 0
    package var nextDeletion: Double?

    package init() {}
  }

  /// - Parameters:
  ///   - now: in seconds since 1970.
  ///   - grace: how long a file stays after it was first seen to be unnamed, in seconds.
  package func unnamedFiles(now: Double, grace: Double) throws(StateError) -> UnnamedFiles {
    var files = UnnamedFiles()
    try database.prepare(
      "SELECT since <= ?, count(*), min(since), coalesce(sum(bytes), 0) FROM retired GROUP BY 1"
    ).run([.double(now - grace)]) { row in
      if row.int(0) == 1 {
        (files.deletable, files.deletableBytes) = (row.int(1), row.int(3))
      } else {
        (files.waiting, files.waitingBytes) = (row.int(1), row.int(3))
        files.nextDeletion = row.double(2) + grace
      }
    }
    return files
  }

  /// How many items that a run has looked at have a result so far.
  package func doneItems(of run: Int) throws(StateError) -> Int {
    try database.prepare("SELECT count(*) FROM items WHERE run = ? AND done").first([.int(run)]) {
      $0.int(0)
    } ?? 0
  }

  /// The number of the last run that began, and whether it has made its catalog; nil if none began.
  package func lastBegunRun() throws(StateError) -> (number: Int, isCompleted: Bool)? {
    try database.prepare("SELECT number, items IS NOT NULL FROM runs ORDER BY number DESC LIMIT 1")
      .first([]) { ($0.int(0), $0.int(1) == 1) }
  }
}

/// A set of names, in a temporary database on disk: they may be more than memory holds.
package final class NameSet {
  private let insert: Statement

  package init() throws(StateError) {
    let database = try Database("")
    try database.execute("CREATE TABLE names (name TEXT PRIMARY KEY) WITHOUT ROWID")
    insert = try database.prepare("INSERT OR IGNORE INTO names VALUES (?)")
  }

  /// Returns whether the name is new.
  package func add(_ name: String) throws(StateError) -> Bool {
    try insert.change([.text(name)]) > 0
  }
}
