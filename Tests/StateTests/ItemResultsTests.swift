import TesseraTestSupport
import Testing

@testable import TesseraState

/// What a run decided about its items, as it is there for the next process.
@Suite struct ItemResultsTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("state")
  }

  private static let confirmation = Confirmation(
    etag: "e", lastModified: "Mon", checked: 1, freshUntil: nil, run: 1)

  private static func result(
    _ id: String, _ line: String, _ reasons: [Reason] = []
  ) -> ItemResult {
    .init(id: id, line: line, status: "ok", reasons: reasons)
  }

  private static func claims(_ ids: String...) -> [StateStore.ClaimRequest] {
    ids.map { .init(id: $0, line: 1, entry: "x") }
  }

  /// Rows of the file, seen by another connection: each value as an SQL literal.
  private func rows(_ columns: String, from tables: String) throws -> [String] {
    let names = columns.split(separator: " ")
    let select = names.map { "quote(\($0))" }.joined(separator: " || ' ' || ")
    var rows: [String] = []
    try Database(path, isReadOnly: true).prepare("SELECT \(select) FROM \(tables)").run {
      rows.append($0.text(0))
    }
    return rows
  }

  private static let claimColumns = "id place slot line run entry done reason lost"
  private static let resultColumns = "id status sum made source request placeholder files host"

  @Test func allOfAResultIsStored() async throws {
    let state = try StateStore(path: path)
    let run = try await state.beginRun(boot: "boot")
    let standing = StateStore.ClaimRequest(id: "b", line: 9, entry: "z", standing: .keptCopy)
    let requests: [StateStore.ClaimRequest] = [
      .init(id: "a", line: 3, entry: "y"), standing, .init(id: "c", line: 10, entry: "w"),
    ]
    let found = try await state.claim(
      [.items(requests, key: nil, line: 3)], run: run, slot: 5, in: try ChunkClaims.none)
    let chunk = try #require(found.first?.answer?.chunk)
    #expect((chunk.count, chunk.line, chunk.mayStand) == (3, 3, false))
    var change = StateStore.SourceChange()
    change.source = SourceRecord(
      content: "c", confirmation: Self.confirmation, url: "u", robots: "r")
    let inputs = LineInputs(settings: "s", entry: "y", source: "k")
    try await state.save(
      .init(
        id: "a", line: "{a}", status: "stale", reasons: [.notModified], inputs: inputs,
        placeholder: "p", files: "f", host: "h"), change, key: "k", url: "k2")
    try await state.save(Self.result("b", "{b}"), key: "k", url: "k")
    try await state.commit()
    let entries = ["y", "z", "w"].map(LineInputs.short)
    #expect(
      try rows(Self.claimColumns, from: "items ORDER BY number") == [
        "'a' 0 5 3 \(run) \(entries[0]) 1 '3' NULL",
        "'b' 6 6 9 \(run) \(entries[1]) 1 '' NULL",
        "'c' 7 7 10 \(run) \(entries[2]) 0 NULL NULL",
      ])
    let sums = ["{a}", "{b}"].map { LineInputs.sum(of: $0.utf8) }
    let made = RecordMark.of(
      "a",
      [
        .int(sums[0]), .text("s"), .int(entries[0]), .text("c"), .text("u"), .text("r"),
        .text("e"), .text("Mon"),
      ])
    #expect(
      try rows(Self.resultColumns, from: "items ORDER BY number") == [
        "'a' 'stale' \(sums[0]) \(made) 'k' 'k2' 'p' 'f' 'h'",
        "'b' NULL \(sums[1]) NULL 'k' NULL NULL NULL NULL",
        "'c' NULL NULL NULL NULL NULL NULL NULL NULL",
      ])
    #expect(
      try await state.chunkNumbers(of: ["a", "b", "c"])
        == [Int?](repeating: chunk.key.number, count: 3))
    #expect(try rows("number boot items", from: "runs") == ["1 'boot' NULL"])
  }

  /// An item whose line stands has it at once.
  @Test func aStandingItemIsDoneWhenItIsClaimed() async throws {
    let state = try StateStore(path: path)
    let first = try await state.beginRun(boot: "1")
    _ = try await state.claim(Self.claims("a", "b"), run: first)
    for id in ["a", "b"] { try await state.save(Self.result(id, "{\(id)}"), key: "k", url: "k") }
    let run = try await state.beginRun(boot: "1")
    var requests = Self.claims("a", "b")
    for index in requests.indices {
      (requests[index].line, requests[index].entry) = (index + 4, "y")
    }
    requests[0].standing = .fresh(until: 9)
    let own = try ChunkClaims.none
    #expect(try await state.claim(requests, run: run, in: own) == [.new, .new])
    #expect(try await state.claim(requests, run: run, slot: 2, in: own) == [.repeated, .repeated])
    try await state.commit()
    let entry = LineInputs.short("y")
    #expect(
      try rows(Self.claimColumns, from: "items ORDER BY number") == [
        "'a' 4 0 4 \(run) \(entry) 1 '[0,9]' NULL", "'b' 5 1 5 \(run) \(entry) 0 NULL NULL",
      ])
    #expect(try await state.slots(of: ["b", "a", "c"], in: run) == [1, 0, nil])
    #expect(try await state.lastStatuses(of: ["a", "b"]) == ["ok", "ok"])
  }

  /// It would drop an image as a repeated one.
  @Test(arguments: [
    "chunk = 7", "place = 7", "slot = 7", "line = 7", "run = 7", "entry = 7", "mark = 7",
  ])
  func aDamagedClaimIsAnError(_ change: String) async throws {
    let state = try StateStore(path: path)
    let run = try await state.beginRun(boot: "1")
    _ = try await state.claim(Self.claims("a", "b"), run: run)
    try await state.commit()
    try Database(path).execute("UPDATE items SET \(change) WHERE id = 'a'")
    #expect(try await state.claim(Self.claims("b"), run: run) == [.repeated])
    let error = await #expect(throws: StateError.self) {
      try await state.claim(Self.claims("a"), run: run)
    }
    #expect(error?.kind == .incomplete)
    #expect(
      error?.description == "the state file \"\(path)\": what it says of an item is damaged; "
        + "if it is damaged, tessera prune or the next run sets it aside")
  }

  /// A result says whether the line is another one: only then catalogs differ.
  @Test func savingSaysWhetherTheLineHasChanged() async throws {
    let state = try StateStore(path: path)
    let run = try await state.beginRun(boot: "1")
    _ = try await state.claim(Self.claims("a"), run: run)
    #expect(try await state.save(Self.result("a", "{1}"), key: "k", url: "k") == nil)
    #expect(
      try await state.save(Self.result("a", "{1}"), key: "l", url: "l") == .init(isOther: false))
    #expect(
      try await state.save(Self.result("a", "{2}"), key: "l", url: "l") == .init(isOther: true))
  }

  /// An error is known from the first completed run on, until the image is seen to have none.
  @Test func savingSaysWhatWasReported() async throws {
    let state = try StateStore(path: path)
    func save(_ status: String, _ failure: ItemResult.Failure, completes: Bool) async throws
      -> Bool?
    {
      let run = try await state.beginRun(boot: "1")
      _ = try await state.claim(Self.claims("a"), run: run)
      var result = Self.result("a", "{\(status)}")
      (result.status, result.failure) = (status, failure)
      let former = try await state.save(result, key: "k", url: "k")
      if completes {
        try await state.endRun(
          run, .init(pipeline: "p", items: 1), ChunkList(), try ChunkClaims.none, settings: "s")
      }
      return former?.isFailing
    }
    #expect(try await save("failed", .seen, completes: false) == nil)
    #expect(try await save("failed", .seen, completes: true) == false)
    #expect(try await save("failed", .unknown, completes: true) == true)
    #expect(try await save("pending", .unknown, completes: false) == true)
    #expect(try await save("failed", .seen, completes: true) == true)
    #expect(try await save("ok", .none, completes: true) == true)
    #expect(try await save("failed", .seen, completes: true) == false)
  }

  @Test func confirmingChangesTheSourceAndTheReasons() async throws {
    let state = try StateStore(path: path)
    let run = try await state.beginRun(boot: "1")
    _ = try await state.claim(Self.claims("a", "b"), run: run)
    for id in ["a", "b"] { try await state.save(Self.result(id, "{\(id)}"), key: "k", url: "k") }
    let next = try await state.beginRun(boot: "1")
    _ = try await state.claim(Self.claims("a", "b"), run: next)
    let source = SourceRecord(content: "c", confirmation: Self.confirmation)
    try await state.confirm("a", reasons: [.notModified], source, key: "k")
    try await state.confirm("b", reasons: [.sharedResult], nil, key: "l")
    #expect(try await state.knowledge(of: "k", url: "").source == source)
    #expect(try await state.knowledge(of: "l", url: "").isEmpty)
    try await state.commit()
    #expect(
      try rows("id run done reason", from: "items ORDER BY id") == [
        "'a' \(next) 1 '3'", "'b' \(next) 1 '5'",
      ])
    #expect(try await state.lastStatuses(of: ["a", "b"]) == ["ok", "ok"])
  }

  @Test func historyHasWhatIsKnownOfAnItem() async throws {
    let state = try StateStore(path: path)
    let run = try await state.beginRun(boot: "1")
    _ = try await state.claim(Self.claims("d", "c", "b", "a", "e"), run: run)
    for (id, content) in [("a", "x"), ("b", "x"), ("c", "x"), ("d", "y")] {
      var change = StateStore.SourceChange()
      change.source = SourceRecord(content: content, confirmation: Self.confirmation)
      try await state.save(
        Self.result(id, "{\(id)}", [.fetchedFirst]), change, key: "s-\(id)", url: "s-\(id)")
    }
    let a = try #require(try await state.history(of: "a"))
    #expect((a.run, a.line, a.status, a.reasons) == (run, 1, "ok", [.fetchedFirst]))
    #expect(a.sum == LineInputs.sum(of: "{a}".utf8) && a.chunk == nil)
    // The first of them in the manifest.
    #expect((a.content, a.twin) == ("x", "c"))
    #expect(try await state.history(of: "c")?.twin == "b")
    let d = try #require(try await state.history(of: "d"))
    #expect((d.content, d.twin) == ("y", nil))
    let e = try #require(try await state.history(of: "e"))
    #expect((e.run, e.status, e.reasons, e.content, e.twin) == (run, nil, [], nil, nil))
    #expect(e.sum == nil)
    #expect(try await state.history(of: "f") == nil)
    // A run that was stopped has no line of it yet.
    let next = try await state.beginRun(boot: "1")
    _ = try await state.claim(Self.claims("a"), run: next)
    let later = try #require(try await state.history(of: "a"))
    #expect((later.run, later.status, later.sum, later.reasons) == (next, nil, nil, []))
    #expect(later.content == "x")
  }

  @Test func idsLikeAMistypedOneAreFound() async throws {
    let state = try StateStore(path: path)
    let run = try await state.beginRun(boot: "1")
    _ = try await state.claim(
      Self.claims("abc2", "abb", "abc1", "b", "abd"), run: run)
    #expect(try await state.ids(near: "abc9", limit: 2) == ["abc1", "abc2"])
    #expect(try await state.ids(near: "abc9", limit: 9) == ["abc1", "abc2"])
    #expect(try await state.ids(near: "ab", limit: 1) == ["abb"])
    #expect(try await state.ids(near: "zzz", limit: 2) == ["abb", "abc1"])
  }

  /// Only what a run itself has decided is its status.
  @Test func statusesAreThoseOfOneRun() async throws {
    let state = try StateStore(path: path)
    let run = try await state.beginRun(boot: "1")
    _ = try await state.claim(Self.claims("a", "b"), run: run)
    var failed = Self.result("b", "{b}")
    failed.status = "failed"
    try await state.save(Self.result("a", "{a}"))
    try await state.save(failed)
    let claims = try ChunkClaims.none
    #expect(
      try await state.statuses(of: ["b", "x", "a"], in: run, claims) == ["failed", nil, "ok"])
    #expect(try await state.statuses(of: ["a"], in: run + 1, claims) == [nil])
    #expect(try await state.lastStatuses(of: ["b", "x", "a"]) == ["failed", nil, "ok"])
  }

  /// A run that was stopped may have added items that are in no catalog.
  @Test func linesOfCompletedRunsAreThoseUpToTheirLastItem() async throws {
    let state = try StateStore(path: path)
    let run = try await state.beginRun(boot: "1")
    _ = try await state.claim(Self.claims("a", "b"), run: run)
    try await state.save(Self.result("a", "{a}"))
    #expect(try await state.haveCompletedLines(["a", "b"]) == [false, false])
    try await state.endRun(run, .init(pipeline: "p", items: 2))
    let next = try await state.beginRun(boot: "1")
    _ = try await state.claim(Self.claims("c"), run: next)
    try await state.save(Self.result("c", "{c}"))
    let ids = ["a", "b", "c", "d"]
    #expect(try await state.haveCompletedLines(ids) == [true, false, false, false])
    try await state.commit()
    #expect(
      try await StateStore(path: path).haveCompletedLines(ids) == [true, false, false, false])
  }

  /// What a look at the next run has to know.
  @Test func itemsAreKnownWithTheirEntries() async throws {
    let state = try StateStore(path: path)
    let run = try await state.beginRun(boot: "1")
    _ = try await state.claim(Self.claims("a", "b"), run: run)
    var stale = Self.result("a", "{a}")
    stale.status = "stale"
    try await state.save(stale)
    let known = try await state.known([("a", "x"), ("a", "y"), ("b", "x"), ("c", "x")])
    #expect(known.map { $0?.status } == ["stale", "stale", nil, nil])
    #expect(known.map { $0?.isSame } == [true, false, nil, nil])
    #expect(try await state.chunkNumbers(of: ["a"]) == [known[0]?.chunk])
  }
}
