import TesseraTestSupport
import Testing

@testable import TesseraState

/// Items whose source is gone, and lines that no longer apply.
@Suite struct LostItemsTests {
  private let state: StateStore

  init() throws { state = try StateStore(path: "") }

  private static let confirmation = Confirmation(
    etag: "e", lastModified: "Mon", checked: 1, freshUntil: nil, run: 1)

  private func finish(_ isLost: Bool) async throws {
    var result = StateStore.ItemResult(
      id: "a", line: "{}", status: "stale", reasons: [], content: nil, inputs: nil)
    result.isLost = isLost
    try await state.save(result)
  }

  /// The first time stays, until the source is back. If the clock was set back, it counts from
  /// then.
  @Test func theTimeBeginsWhenTheSourceIsGone() async throws {
    let run = try await state.beginRun(boot: "1")
    _ = try await state.claim([.init(id: "a", line: 1, entry: "")], run: run, position: 0)
    #expect(try await state.lostSince("a", now: 5.5) == 5.5)
    try await finish(true)
    #expect(try await state.lostSince("a", now: 9) == 5.5)
    try await finish(true)
    #expect(try await state.lostSince("a", now: 3) == 3)
    #expect(try await state.lostSince("a", now: 9) == 3)
    try await finish(false)
    #expect(try await state.lostSince("a", now: 9) == 9)
    try await state.confirm("a", reasons: [], nil, key: "k")
    #expect(try await state.lostSince("a", now: 10) == 10)
    #expect(try await state.lostSince("b", now: 11) == 11)
    #expect(try await state.lostSince("b", now: 12) == 12)
  }

  private func save(
    _ id: String, status: String = "ok", inputs: StateStore.LineInputs?,
    source: SourceRecord? = SourceRecord(content: "c", confirmation: confirmation)
  ) async throws {
    let request = StateStore.ClaimRequest(id: id, line: 1, entry: "x")
    _ = try await state.claim([request], run: 1, position: 4)
    var change = StateStore.SourceChange()
    change.source = source
    try await state.save(
      .init(
        id: id, line: "{\(id)}", status: status, reasons: [], content: "c", inputs: inputs),
      change, key: "k", url: "u")
  }

  private static let inputs = StateStore.LineInputs(settings: "s", entry: "x", source: "k")

  private func lookUp(_ id: String, source: String = "k", url: String = "u") async throws
    -> StateStore.LineLookup
  {
    let request = StateStore.ClaimRequest(id: id, line: 1, entry: "x")
    return try await state.lookUpLines([.init(request, source: source, url: url)], settings: "s")[0]
  }

  @Test func aLineIsReusedWithItsSource() async throws {
    try await save("a", inputs: Self.inputs)
    let found = try await lookUp("a")
    #expect(!found.isNew)
    #expect(found.standing?.line == "{a}" && found.standing?.isRejected == false)
    #expect(
      found.standing?.source == SourceRecord(content: "c", confirmation: Self.confirmation))
    var change = StateStore.SourceChange()
    change.rejection = .save(
      RejectionRecord(
        settings: "s", kind: .refused, code: "not-image", details: "[]", content: nil, etag: nil,
        place: "p", seen: 1))
    try await state.save(change, key: "k", url: "u")
    #expect(try await lookUp("a").standing?.isRejected == true)
    #expect(try await lookUp("a", url: "v").standing?.isRejected == false)
    let missing = try await lookUp("none", source: "none", url: "none")
    #expect(missing.isNew && missing.standing == nil)
  }

  @Test func otherLinesAreMadeAgain() async throws {
    try await save("failed", status: "failed", inputs: Self.inputs)
    try await save("without", inputs: nil)
    // The line was made from another source than the item's, of which nothing is known.
    try await save(
      "other", inputs: .init(settings: "s", entry: "x", source: "other"), source: nil)
    for id in ["failed", "without", "other"] {
      let found = try await lookUp(id)
      #expect(found.standing == nil && !found.isNew, "\(id)")
    }
    // The source was saved before the item.
    try await save("stored", inputs: Self.inputs, source: nil)
    #expect(try await lookUp("stored").standing?.line == "{stored}")
    try await save("second", inputs: Self.inputs)
    try await state.doubtLine(of: "stored")
    #expect(try await lookUp("stored").standing == nil)
    #expect(try await lookUp("second").standing?.line == "{second}")
  }

  /// A line is that of all that it shows or was made from.
  @Test func marksOfLinesCoverAllTheirInputs() {
    let source = SourceRecord(
      content: "c", confirmation: Self.confirmation, url: "u", robots: "r")
    func mark(
      _ id: String = "a", _ line: String = "{}", _ settings: String = "s", _ entry: String = "x",
      _ change: (inout SourceRecord) -> Void = { _ in }
    ) -> Int {
      var source = source
      change(&source)
      return StateStore.mark(
        id, line, .init(settings: settings, entry: entry, source: "k"), source)
    }
    let marks = [
      mark(), mark("b"), mark("a", "[]"), mark("a", "{}", "t"), mark("a", "{}", "s", "y"),
      mark { $0.content = "d" }, mark { $0.url = nil }, mark { $0.robots = nil },
      mark { $0.confirmation.etag = nil }, mark { $0.confirmation.lastModified = nil },
    ]
    #expect(Set(marks).count == marks.count)
    // When the server confirmed it, and for how long, changes nothing in the line.
    #expect(
      mark { source in
        source.confirmation.checked = 9
        source.confirmation.freshUntil = 9
        source.confirmation.run = 9
      } == mark())
  }
}
