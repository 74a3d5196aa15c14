import TesseraTestSupport
import Testing

@testable import TesseraState

/// Items that stand or fall together.
@Suite struct StretchTests {
  private let folder: TemporaryFolder
  private let state: StateStore
  private var path: String { folder.path("state") }
  private static let key = String(repeating: "ab", count: 32)

  init() throws {
    folder = try TemporaryFolder()
    state = try StateStore(path: folder.path("state"))
  }

  private static func items(_ ids: [String], line: Int = 1) -> [StateStore.ClaimRequest] {
    ids.enumerated().map { .init(id: $1, line: line + $0, entry: "e-\($1)") }
  }

  /// A run that decides on items, which may stand.
  private func run(_ ids: [String], key: String? = key, ends: Bool = true) async throws -> Int {
    let run = try await state.beginRun(boot: "")
    _ = try await state.claim(
      [.items(Self.items(ids), key: key, line: 1)], run: run, position: 0)
    for id in ids {
      try await state.save(
        .init(
          id: id, line: "{\(id)}", status: "ok", reasons: [.decoded(made: 1, reused: 0)],
          content: nil, inputs: nil))
    }
    try await state.commit()
    if let key, let number = try numbers().last {
      try await state.save([(key, Self.standing(number, ids))])
    }
    if ends { try await state.endRun(run, .init(pipeline: "p", items: ids.count)) }
    try await state.commit()
    return run
  }

  private static func standing(_ number: Int, _ ids: [String]) -> StateStore.StandingStretch {
    var sum = StretchSum()
    for id in ids { sum.add(id) }
    return .init(number: number, sum: sum, freshUntil: 9_000.5, places: 4, files: 3)
  }

  private func numbers() throws -> [Int] {
    var numbers: [Int] = []
    try Database(path, isReadOnly: true).prepare("SELECT number FROM stretches ORDER BY number")
      .run { numbers.append($0.int(0)) }
    return numbers
  }

  private func found(_ key: String = key) async throws -> StateStore.StandingStretch? {
    try await state.standingStretches([key])[0]
  }

  private func lines(of run: Int) async throws -> [String] {
    try await state.results(of: run, after: -1, limit: 99).map {
      "\($0.position) \($0.manifestLine) \($0.line)"
    }
  }

  @Test func aStandingStretchKeepsTheLinesOfItsItems() async throws {
    _ = try await run(["a", "b"])
    let stretch = try #require(try await found())
    #expect(stretch == Self.standing(1, ["a", "b"]))
    let next = try await state.beginRun(boot: "")
    let claims = try await state.claim(
      [.items(Self.items(["c"]), key: nil, line: 1), .standing(stretch, line: 7)], run: next,
      position: 0)
    guard claims.count == 2, case .items([.new], _) = claims[0], case .standing = claims[1] else {
      Issue.record("\(claims)")
      return
    }
    try await state.save(
      .init(id: "c", line: "{c}", status: "ok", reasons: [], content: nil, inputs: nil))
    #expect(try await lines(of: next) == ["0 1 {c}", "1 7 {a}", "2 8 {b}"])
    // Nothing was written for an item, and still it is known why it has its line.
    #expect(try await state.history(of: "b")?.reasons == [.fresh(until: 9_000.5)])
    #expect(try await state.history(of: "b")?.run == next)
    try await state.endRun(next, .init(pipeline: "p", items: 3))
    #expect(try await lines(of: next).count == 3)
    #expect(try await found() == stretch)
    // Twice in a manifest, the lines are repeated ones.
    let third = try await state.beginRun(boot: "")
    let twice = try await state.claim(
      [.standing(stretch, line: 1), .standing(stretch, line: 3)], run: third, position: 0)
    #expect(twice.count == 1)
    #expect(
      try await state.claim(Self.items(["a", "b"]), key: Self.key, run: third, position: 2)
        == [.repeated, .repeated])
    #expect(try await state.goneItems(third) == 1)
    try await state.endRun(third, .init(pipeline: "p", items: 2))
    #expect(try await state.has("c") == true)
    #expect(try await state.history(of: "c") == nil)
  }

  /// The lines are then looked at one by one.
  @Test func whatAnItemHasLeftDoesNotStand() async throws {
    _ = try await run(["a", "b"])
    let stretch = try #require(try await found())
    let next = try await state.beginRun(boot: "")
    let claims = try await state.claim(
      [
        .items([.init(id: "b", line: 1, entry: "other")], key: nil, line: 1),
        .standing(stretch, line: 2), .items(Self.items(["z"]), key: nil, line: 4),
      ], run: next, position: 0)
    #expect(claims.count == 1)
    #expect(try await found() == nil)
    #expect(
      try await state.claim(Self.items(["a", "b"], line: 2), key: Self.key, run: next, position: 1)
        == [.new, .conflict(line: 1)])
  }

  /// Looked at one by one, the items of a known stretch are in their places already.
  @Test func aKnownStretchIsOneAgain() async throws {
    _ = try await run(["a", "b"])
    let next = try await state.beginRun(boot: "")
    var requests = Self.items(["a", "b"], line: 5)
    requests[1].standing = .neverRevalidated
    let claims = try await state.claim(
      [.items(requests, key: Self.key, line: 5)], run: next, position: 3)
    guard case .items([.new, .new], _)? = claims.first else {
      Issue.record("\(claims)")
      return
    }
    #expect(try numbers() == [1])
    #expect(try await found() == nil)
    #expect(try await lines(of: next) == ["3 5 {a}", "4 6 {b}"])
    #expect(try await state.history(of: "a")?.result == nil)
    #expect(try await state.history(of: "b")?.reasons == [.neverRevalidated])
    // Of other items, under the same key, it is another one.
    let third = try await state.beginRun(boot: "")
    #expect(
      try await state.claim(Self.items(["b", "a"]), key: Self.key, run: third, position: 0)
        == [.new, .new])
    try await state.commit()
    #expect(try numbers() == [1, 2])
    #expect(try await lines(of: third) == ["0 1 {b}", "1 2 {a}"])
  }

  /// What only some of its lines say is not the stretch of them all.
  @Test func aStretchWithRepeatedLinesHasNoKey() async throws {
    let run = try await state.beginRun(boot: "")
    #expect(
      try await state.claim(Self.items(["a", "b", "a"]), key: Self.key, run: run, position: 0)
        == [.new, .new, .repeated])
    try await state.save([(Self.key, Self.standing(1, ["a", "b"]))])
    #expect(try await found() == nil)
  }

  @Test func manyItemsAreSeveralStretches() async throws {
    let ids = (0..<150).map { "\($0)" }
    let run = try await state.beginRun(boot: "")
    let claims = try await state.claim(
      [.items(Self.items(ids), key: Self.key, line: 1)], run: run, position: 0)
    guard case .items(let answers, let stretches)? = claims.first else { return }
    #expect(answers.allSatisfy { $0 == .new } && stretches.map(\.sum.count) == [64, 64, 22])
    for id in ids {
      try await state.save(
        .init(id: id, line: id, status: "ok", reasons: [], content: nil, inputs: nil))
    }
    // In parts of any size.
    for size in [1, 7, 64, 200] {
      var (found, last) = ([String](), -1)
      while case let part = try await state.results(of: run, after: last, limit: size),
        let end = part.last
      {
        found += part.map(\.id)
        last = end.position
      }
      #expect(found == ids, "\(size)")
    }
  }

  @Test(arguments: [
    "items = 3", "sum = sum + 1", "fresh_until = 1e12", "places = 5", "files = 0",
    "mark = mark + 1",
    "mark = NULL", "key = NULL", "key = x'00'",
  ])
  func aDamagedStretchDoesNotStand(_ change: String) async throws {
    _ = try await run(["a", "b"])
    try await state.close()
    try Database(path).execute("UPDATE stretches SET \(change)")
    #expect(try await found() == nil)
  }

  /// `verify` doubts an item whose file it does not find, and `forget` erases one.
  @Test func aDoubtedItemIsLookedAt() async throws {
    _ = try await run(["a", "b"])
    try await state.doubtLine(of: "b")
    #expect(try await found() == nil)
    _ = try await run(["a", "b"])
    #expect(try await found() != nil)
    _ = try await state.erase(["a"], [])
    #expect(try await found() == nil)
    try await state.commit()
    // Neither its key nor its sum says what was in it, and with the same lines it is another one.
    #expect(
      try Database(path, isReadOnly: true)
        .prepare("SELECT count(*) FROM stretches WHERE key IS NOT NULL OR sum IS NOT NULL")
        .first([]) { $0.int(0) } == 0)
    let next = try await state.beginRun(boot: "")
    #expect(
      try await state.claim(Self.items(["a", "b"]), key: Self.key, run: next, position: 0)
        == [.new, .new])
    for id in ["a", "b"] {
      try await state.save(
        .init(id: id, line: "{\(id)}", status: "ok", reasons: [], content: nil, inputs: nil))
    }
    #expect(try await lines(of: next).count == 2)
  }

  /// A source that another item has found to be another one.
  @Test(arguments: [("c2", nil as String?, true), ("c", "\"2\"", true), ("c", "\"1\"", false)])
  func linesOfAnOlderSourceAreDoubted(
    _ content: String, _ etag: String?, _ isDoubted: Bool
  ) async throws {
    func source(_ content: String, _ etag: String?) -> StateStore.SourceChange {
      var change = StateStore.SourceChange()
      change.source = SourceRecord(
        content: content,
        confirmation: .init(etag: etag, lastModified: nil, checked: 1, freshUntil: 9, run: 1))
      return change
    }
    func save(_ id: String, _ content: String, _ etag: String?) async throws {
      try await state.save(
        .init(id: id, line: "{\(id)}", status: "ok", reasons: [], content: content, inputs: nil),
        source(content, etag), key: "k", url: "u")
    }
    let run = try await state.beginRun(boot: "")
    _ = try await state.claim(Self.items(["a"]), key: Self.key, run: run, position: 0)
    try await save("a", "c", "\"1\"")
    try await state.save([(Self.key, Self.standing(1, ["a"]))])
    #expect(try await state.endRun(run, .init(pipeline: "p", items: 1)) == false)
    let stretch = try #require(try await found())
    let next = try await state.beginRun(boot: "")
    _ = try await state.claim(
      [.standing(stretch, line: 1), .items(Self.items(["b"]), key: nil, line: 2)], run: next,
      position: 0)
    try await save("b", content, etag)
    #expect(try await state.endRun(next, .init(pipeline: "p", items: 2)) == isDoubted)
    #expect(try await found() == (isDoubted ? nil : stretch))
  }

  @Test func theEndOfARunIsThatOfTheLastOne() async throws {
    #expect(try await state.lastEnd() == nil)
    let run = try await run(["a"])
    #expect(try await state.lastEnd() == nil)
    var end = StateStore.RunEnd(output: "o", ended: 5.25, standing: "s")
    try await state.note(end, of: run)
    #expect(try await state.lastEnd() == end)
    (end.output, end.standing) = ("p", nil)
    try await state.note(end)
    #expect(try await state.lastEnd() == end)
    _ = try await state.beginRun(boot: "")
    #expect(try await state.lastEnd() == nil)
  }
}
