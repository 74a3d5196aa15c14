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
    _ id: String, _ line: String, _ reasons: [Reason] = [], content: String? = nil
  ) -> StateStore.ItemResult {
    .init(id: id, line: line, status: "ok", reasons: reasons, content: content, inputs: nil)
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

  private static let itemColumns = "id stretch place line entry done reason lost"
  private static let results =
    "results JOIN items ON item = items.number JOIN settings ON settings = settings.number ORDER BY id"
  private static let resultColumns =
    "id status content settings.digest source request placeholder results.mark"

  @Test func allOfAResultIsStored() async throws {
    let state = try StateStore(path: path)
    let run = try await state.beginRun(boot: "boot")
    let standing = StateStore.ClaimRequest(id: "b", line: 9, entry: "z", standing: .keptCopy)
    _ = try await state.claim(
      [.init(id: "a", line: 3, entry: "y"), standing, .init(id: "c", line: 10, entry: "w")],
      run: run, position: 5)
    var change = StateStore.SourceChange()
    change.source = SourceRecord(
      content: "c", confirmation: Self.confirmation, url: "u", robots: "r")
    let inputs = StateStore.LineInputs(settings: "s", entry: "y", source: "k")
    try await state.save(
      .init(
        id: "a", line: "{a}", status: "stale", reasons: [.notModified], content: "c",
        inputs: inputs, placeholder: "p"), change, key: "k", url: "k2")
    try await state.save(Self.result("b", "{b}"), key: "k", url: "k")
    try await state.commit()
    #expect(
      try rows(Self.itemColumns, from: "items ORDER BY number") == [
        "'a' 1 0 3 \(StretchTable.short("y")) 1 '3' NULL",
        "'b' 1 1 9 \(StretchTable.short("z")) 1 '' NULL",
        "'c' 1 2 10 \(StretchTable.short("w")) 0 NULL NULL",
      ])
    let mark = RecordMark.of(
      "a",
      [
        .text("{a}"), .text("s"), .text("y"), .text("c"), .text("u"), .text("r"), .text("e"),
        .text("Mon"),
      ])
    #expect(
      try rows(Self.resultColumns, from: Self.results) == [
        "'a' 'stale' 'c' 's' 'k' 'k2' 'p' \(mark)",
        "'b' NULL NULL '' 'k' NULL NULL NULL",
      ])
    var sum = StretchSum()
    for id in ["a", "b", "c"] { sum.add(id) }
    #expect(
      try rows("number run position line key items sum mark stood", from: "stretches")
        == ["1 1 5 0 NULL 3 \(sum.sum) NULL 0"])
    #expect(try rows("number boot items", from: "runs") == ["1 'boot' NULL"])
  }

  /// An item whose line stands has it at once; one that has not moved keeps its position.
  @Test func aStandingItemIsDoneWhenItIsClaimed() async throws {
    let state = try StateStore(path: path)
    let first = try await state.beginRun(boot: "1")
    _ = try await state.claim(Self.claims("a", "b"), run: first, position: 0)
    for id in ["a", "b"] { try await state.save(Self.result(id, "{\(id)}"), key: "k", url: "k") }
    let run = try await state.beginRun(boot: "1")
    var requests = Self.claims("a", "b")
    for index in requests.indices {
      (requests[index].line, requests[index].entry) = (index + 4, "y")
    }
    requests[0].standing = .fresh(until: 9)
    #expect(try await state.claim(requests, run: run, position: 0) == [.new, .new])
    #expect(try await state.claim(requests, run: run, position: 2) == [.repeated, .repeated])
    try await state.commit()
    #expect(
      try rows(Self.itemColumns, from: "items ORDER BY number") == [
        "'a' 2 0 4 \(StretchTable.short("y")) 1 '[0,9]' NULL",
        "'b' 2 1 5 \(StretchTable.short("y")) 0 NULL NULL",
      ])
    let results = try await state.results(of: run, after: -1, limit: 9)
    #expect(results.map(\.line) == ["{a}", "{b}"])
    #expect(results.map(\.manifestLine) == [4, 5])
    #expect(results.map(\.id) == ["a", "b"])
    #expect(results.map(\.position) == [0, 1])
    #expect(try await state.results(of: run, after: -1, limit: 1).map(\.id) == ["a"])
  }

  /// A result says whether the line is another one: only then catalogs differ.
  @Test func savingSaysWhetherTheLineHasChanged() async throws {
    let state = try StateStore(path: path)
    let run = try await state.beginRun(boot: "1")
    _ = try await state.claim(Self.claims("a"), run: run, position: 0)
    #expect(try await state.save(Self.result("a", "{1}"), key: "k", url: "k") == nil)
    #expect(try await state.save(Self.result("a", "{1}"), key: "l", url: "l") == false)
    #expect(try await state.save(Self.result("a", "{2}"), key: "l", url: "l") == true)
  }

  @Test func confirmingChangesTheSourceAndTheReasons() async throws {
    let state = try StateStore(path: path)
    let run = try await state.beginRun(boot: "1")
    _ = try await state.claim(Self.claims("a", "b"), run: run, position: 0)
    for id in ["a", "b"] { try await state.save(Self.result(id, "{\(id)}"), key: "k", url: "k") }
    let next = try await state.beginRun(boot: "1")
    _ = try await state.claim(Self.claims("a", "b"), run: next, position: 0)
    let source = SourceRecord(content: "c", confirmation: Self.confirmation)
    try await state.confirm("a", reasons: [.notModified], source, key: "k")
    try await state.confirm("b", reasons: [.sharedResult], nil, key: "l")
    #expect(try await state.knowledge(of: "k", url: "").source == source)
    #expect(try await state.knowledge(of: "l", url: "").isEmpty)
    try await state.commit()
    #expect(
      try rows("id stretch done reason", from: "items ORDER BY id") == [
        #"'a' 2 1 '3'"#, #"'b' 2 1 '5'"#,
      ])
    #expect(try await state.lines(of: ["a", "b"]) == ["{a}", "{b}"])
  }

  @Test func historyHasWhatIsKnownOfAnItem() async throws {
    let state = try StateStore(path: path)
    let run = try await state.beginRun(boot: "1")
    _ = try await state.claim(Self.claims("d", "c", "b", "a", "e"), run: run, position: 0)
    for (id, content) in [("a", "x"), ("b", "x"), ("c", "x"), ("d", "y")] {
      try await state.save(Self.result(id, "{\(id)}", [.fetchedFirst], content: content))
    }
    let a = try #require(try await state.history(of: "a"))
    #expect((a.run, a.line, a.result, a.reasons) == (run, 1, "{a}", [.fetchedFirst]))
    #expect((a.content, a.twin) == ("x", "c"))
    #expect(try await state.history(of: "c")?.twin == "b")
    let d = try #require(try await state.history(of: "d"))
    #expect((d.content, d.twin) == ("y", nil))
    let e = try #require(try await state.history(of: "e"))
    #expect((e.run, e.result, e.reasons, e.content, e.twin) == (run, nil, [], nil, nil))
    #expect(try await state.history(of: "f") == nil)
    // A run that was stopped has no line of it yet.
    let next = try await state.beginRun(boot: "1")
    _ = try await state.claim(Self.claims("a"), run: next, position: 0)
    let later = try #require(try await state.history(of: "a"))
    #expect((later.run, later.result, later.reasons, later.content) == (next, nil, [], "x"))
  }

  @Test func idsLikeAMistypedOneAreFound() async throws {
    let state = try StateStore(path: path)
    let run = try await state.beginRun(boot: "1")
    _ = try await state.claim(
      Self.claims("abc2", "abb", "abc1", "b", "abd"), run: run, position: 0)
    #expect(try await state.ids(near: "abc9", limit: 2) == ["abc1", "abc2"])
    #expect(try await state.ids(near: "abc9", limit: 9) == ["abc1", "abc2"])
    #expect(try await state.ids(near: "ab", limit: 1) == ["abb"])
    #expect(try await state.ids(near: "zzz", limit: 2) == ["abb", "abc1"])
  }

  /// Only what a run itself has decided is its status.
  @Test func statusesAreThoseOfOneRun() async throws {
    let state = try StateStore(path: path)
    let run = try await state.beginRun(boot: "1")
    _ = try await state.claim(Self.claims("a", "b"), run: run, position: 0)
    var failed = Self.result("b", "{b}")
    failed.status = "failed"
    try await state.save(Self.result("a", "{a}"))
    try await state.save(failed)
    #expect(try await state.statuses(of: ["b", "x", "a"], in: run) == ["failed", nil, "ok"])
    #expect(try await state.statuses(of: ["a"], in: run + 1) == [nil])
  }

  /// A line of the catalog that the disk has changed is in no catalog.
  @Test func aDamagedLineIsAnError() async throws {
    let state = try StateStore(path: path)
    let run = try await state.beginRun(boot: "1")
    _ = try await state.claim(Self.claims("a", "b", "c"), run: run, position: 0)
    for id in ["a", "b", "c"] { try await state.save(Self.result(id, "{\(id)}")) }
    try await state.endRun(run, .init(pipeline: "p", items: 3))
    try Database(path).execute(
      "UPDATE results SET result = (SELECT result FROM results WHERE item = 1) WHERE item = 2")
    #expect(try await state.results(of: run, after: -1, limit: 1).map(\.line) == ["{a}"])
    #expect(try await state.results(of: run, after: 1, limit: 1).map(\.line) == ["{c}"])
    let error = await #expect(throws: StateError.self) {
      try await state.results(of: run, after: 0, limit: 1)
    }
    #expect(error?.kind == .incomplete)
    #expect(
      error?.description == "the state file \"\(path)\": a line of this run's catalog is damaged "
        + "in it; if it is damaged, tessera prune or the next run repairs it")
  }
}
