import TesseraTestSupport
import Testing

@testable import TesseraState

/// Chunks whose lines a run copies, and others whose items are looked at.
@Suite struct ChunkClaimsTests {
  private let folder: TemporaryFolder
  private let state: StateStore
  private var path: String { folder.path("state") }

  init() throws {
    folder = try TemporaryFolder()
    state = try StateStore(path: folder.path("state"))
  }

  private static func key(_ ids: [String]) -> Chunk.Key {
    Chunk.Key(of: ids.joined(separator: " "))
  }

  private static func items(_ ids: [String], line: Int) -> [StateStore.ClaimRequest] {
    ids.enumerated().map { .init(id: $1, line: line + $0, entry: "e-\($1)") }
  }

  private static func request(_ ids: [String], line: Int) -> StateStore.ChunkRequest {
    .items(items(ids, line: line), key: key(ids), line: line)
  }

  /// Claims chunks of items that follow each other, and saves a line for each item. They are fresh for a while.
  private func claim(_ parts: [[String]], run: Int) async throws -> [Chunk] {
    let claims = try ChunkClaims.none
    var (chunks, slot) = ([Chunk](), 0)
    for ids in parts {
      let found = try await state.claim(
        [Self.request(ids, line: slot + 1)], run: run, slot: slot, in: claims)
      var chunk = try #require(found.first?.answer?.chunk)
      chunk.freshUntil = 9_000.5
      chunks.append(chunk)
      slot += chunk.count
      for id in ids { try await save(id) }
    }
    return chunks
  }

  private func save(_ id: String, _ source: SourceRecord? = nil) async throws {
    var change = StateStore.SourceChange()
    change.source = source
    try await state.save(
      .init(
        id: id, line: "{\(id)}", status: "ok", reasons: [.fetchedFirst],
        inputs: .init(settings: "s", entry: "e-\(id)", source: "k")), change, key: "k", url: "k")
  }

  /// A run of such items, with the chunks that it has left.
  private func run(_ parts: [[String]]) async throws -> ChunkIndex {
    let run = try await state.beginRun(boot: "")
    let chunks = try await claim(parts, run: run)
    try await state.endRun(
      run, .init(pipeline: "p", items: parts.joined().count), chunks, settings: "s")
    return try await state.chunkIndex()
  }

  private func standing() async throws -> [Bool] {
    try await state.chunkIndex().chunks.map(\.mayStand)
  }

  /// Its lines come twice in the manifest: once they are looked at, and then they could be copied.
  @Test func aChunkWhoseItemsAreClaimedIsNotCopied() async throws {
    let index = try await run([["a", "b"], ["c"]])
    let claims = ChunkClaims(index)
    let found = try await state.claim(
      [Self.request(["a", "b"], line: 11), .standing(0, line: 13)],
      run: try await state.beginRun(boot: ""), slot: 0, in: claims)
    #expect(found.count == 1 && found.first?.answer?.claims == [.new, .new])
    #expect(claims.kept == 2)
  }

  /// Only the chunks that are not copied are looked through, if the index has all items.
  @Test(arguments: [nil, ["b"], ["a", "b", "c", "none"]])
  func goneItemsAreFound(among ids: [String]?) async throws {
    let index = try await run([["a"], ["b"], ["c"]])
    #expect(index.isWhole)
    let run = try await state.beginRun(boot: "")
    #expect(try await !state.chunkIndex().isWhole)
    let claims = ChunkClaims(index)
    _ = try await state.claim(
      [.standing(0, line: 1), Self.request(["c"], line: 2)], run: run, slot: 0, in: claims)
    #expect(claims.left == [1, 2])
    try await state.endRun(
      run, .init(pipeline: "p", items: 2), [], claims, gone: ids, settings: "s")
    #expect(try await state.ids(beginningWith: "") == ["a", "c"])
    #expect(try await state.has("b"))
    try await state.endSelection(run, index.moved([(0..<1, 2)]), settings: "s")
    #expect(try await !state.chunkIndex().isWhole)
  }

  @Test func aStandingChunkHasItsItems() async throws {
    let index = try await run([["a", "b"], ["c"], ["d"]])
    let run = try await state.beginRun(boot: "")
    let claims = ChunkClaims(index)
    let found = try await state.claim(
      [Self.request(["z"], line: 1), .standing(0, line: 7), .standing(1, line: 9)], run: run,
      slot: 0, in: claims)
    let new = try #require(found.first?.answer?.chunk)
    #expect(found.map { $0.answer == nil } == [false, true, true])
    #expect(claims.kept == 3)
    // They come again, in any chunk.
    let again = [
      StateStore.ClaimRequest(id: "b", line: 20, entry: "e-b"),
      .init(id: "b", line: 21, entry: "other"), .init(id: "c", line: 22, entry: "other"),
      .init(id: "z", line: 23, entry: "other"), .init(id: "y", line: 24, entry: "e-y"),
    ]
    let more = try await state.claim(
      [.items(again, key: Chunk.Key(of: "more"), line: 20)], run: run, slot: 1, in: claims)
    let (answers, chunk) = try #require(more.first?.answer)
    #expect(
      answers == [.repeated, .conflict(line: 8), .conflict(line: 9), .conflict(line: 1), .new])
    // Only some of its lines are not what its key says.
    #expect((chunk.count, chunk.mayStand) == (1, false) && chunk.key != Chunk.Key(of: "more"))
    let twice = try await state.claim([.standing(0, line: 30)], run: run, slot: 2, in: claims)
    #expect(twice.isEmpty && claims.kept == 3)
    for id in ["z", "y"] { try await save(id) }
    #expect(
      try await state.statuses(of: ["a", "c", "d", "z"], in: run, claims)
        == ["ok", "ok", nil, "ok"])
    var copied = Array(index.chunks[...1])
    for place in 0...1 { (copied[place].line, copied[place].hasStood) = (7 + 2 * place, true) }
    try await state.endRun(
      run, .init(pipeline: "p", items: 5), [new] + copied + [chunk], claims, settings: "s")
    #expect(
      try await state.lastStatuses(of: ["a", "b", "c", "d", "y"]) == ["ok", "ok", "ok", nil, "ok"])
    // Nothing was written for an item, and still it is known why it has its line.
    let b = try #require(try await state.history(of: "b"))
    #expect(
      (b.line, b.status, b.reasons, b.chunk) == (8, "ok", [.fresh(until: 9_000.5)], copied[0]))
    #expect(try await state.history(of: "y")?.line == 24)
  }

  @Test func whatAnItemHasLeftDoesNotStand() async throws {
    let index = try await run([["a", "b"], ["c"]])
    let run = try await state.beginRun(boot: "")
    let claims = ChunkClaims(index)
    let other = StateStore.ClaimRequest(id: "b", line: 1, entry: "other")
    let found = try await state.claim(
      [
        .items([other], key: nil, line: 1), .standing(0, line: 2), Self.request(["z"], line: 4),
      ], run: run, slot: 0, in: claims)
    // All behind it is requested again.
    #expect(found.count == 1 && claims.kept == 1)
    let rest = try await state.claim(
      [Self.request(["a", "b"], line: 2), .standing(1, line: 4)], run: run, slot: 1, in: claims)
    let (answers, chunk) = try #require(rest.first?.answer)
    #expect(rest.map { $0.answer == nil } == [false, true])
    #expect(answers == [.new, .conflict(line: 1)])
    #expect((chunk.count, chunk.mayStand, claims.kept) == (1, false, 3))
    #expect(try await state.slots(of: ["b", "a"], in: run) == [0, 1])
  }

  /// Looked at one by one, the items of a chunk are the same one again.
  @Test func aKnownChunkIsOneAgain() async throws {
    let index = try await run([["a", "b"]])
    let key = Self.key(["a", "b"])
    let run = try await state.beginRun(boot: "")
    let claims = ChunkClaims(index)
    let found = try await state.claim(
      [
        Self.request(["a", "b"], line: 5), .items(Self.items(["d"], line: 7), key: key, line: 7),
        Self.request(["a", "b"], line: 8), Self.request(["e", "e"], line: 10),
      ], run: run, slot: 0, in: claims)
    let chunks = found.map { $0.answer?.chunk }
    #expect(chunks.map { $0?.count } == [2, 1, 0, 1])
    #expect(chunks.map { $0?.mayStand } == [true, false, false, false])
    #expect(chunks[0]?.key == key)
    // The run has another chunk with this key already.
    #expect(chunks[1]?.key.number != key.number)
    #expect(claims.kept == 2)
  }

  // MARK: Whether chunks stand

  @Test func noChunkStandsUntilARunHasEnded() async throws {
    #expect(try await run([["a", "b"], ["c"]]).chunks.map(\.mayStand) == [true, true])
    let run = try await state.beginRun(boot: "")
    #expect(try await standing() == [false, false])
    let chunks = try await claim([["a", "b"], ["c"]], run: run)
    try await state.commit()
    // Also for the process after one that was killed.
    #expect(try await StateStore(path: path).chunkIndex().chunks.map(\.mayStand) == [false, false])
    try await state.endRun(run, .init(pipeline: "p", items: 3), chunks)
    #expect(try await standing() == [true, true])
    let selection = try await state.beginRun(boot: "")
    #expect(try await standing() == [false, false])
    try await state.endSelection(selection, chunks, settings: "s")
    #expect(try await standing() == [true, true])
  }

  /// `verify` doubts an item whose file it does not find, and `forget` erases one.
  @Test func aDoubtedItemIsLookedAt() async throws {
    let index = try await run([["a", "b"], ["c"]])
    try await state.doubtLine(of: "b")
    #expect(try await standing() == [false, true])
    let request = StateStore.LineLookupRequest("b", source: "k", url: "k")
    #expect(try await state.lookUpLines([request])[0].line == nil)
    let selection = try await state.beginRun(boot: "")
    try await state.endSelection(selection, index.chunks, settings: "s")
    #expect(try await standing() == [false, true])
    #expect(try await run([["a", "b"], ["c"]]).chunks.map(\.mayStand) == [true, true])
    _ = try await state.erase(["c"], [])
    #expect(try await standing() == [true, false])
  }

  /// A source that another item has found to be another one.
  @Test(arguments: [("c2", nil as String?, true), ("c", "\"2\"", true), ("c", "\"1\"", false)])
  func linesOfAnOlderSourceAreDoubted(
    _ content: String, _ etag: String?, _ isDoubted: Bool
  ) async throws {
    func source(_ content: String, _ etag: String?) -> SourceRecord {
      SourceRecord(
        content: content,
        confirmation: .init(etag: etag, lastModified: nil, checked: 1, freshUntil: 9, run: 1))
    }
    var chunks = try await run([["a"], ["b"]]).chunks
    // Saved before its source, "b" has a line without a mark, which no run uses again.
    try await save("a", source("c", "\"1\""))
    for isSelection in [true, false] {
      let run = try await state.beginRun(boot: "")
      let claims = ChunkClaims(try ChunkIndex(chunks))
      _ = try await state.claim(
        [.standing(0, line: 1), .standing(1, line: 2), Self.request(["d"], line: 3)], run: run,
        slot: 0, in: claims)
      if !isSelection { try await save("d", source("c", "\"1\"")) }
      try await save("d", source(content, etag))
      if isSelection {
        try await state.endSelection(run, chunks, settings: "s")
      } else {
        let isBehind = try await state.endRun(
          run, .init(pipeline: "p", items: 3), chunks, claims, settings: "s")
        #expect(isBehind == isDoubted)
      }
      #expect(try await standing() == [!isDoubted, true])
    }
    // The line is made of what is known now.
    chunks = try await run([["a"], ["b"], ["d"]]).chunks
    #expect(chunks.map(\.mayStand) == [true, true, true])
  }
}
