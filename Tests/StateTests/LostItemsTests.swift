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
    var result = ItemResult(id: "a", line: "{}", status: "stale", reasons: [])
    result.isLost = isLost
    try await state.save(result)
  }

  /// The first time stays, until the source is back. If the clock was set back, it counts from
  /// then.
  @Test func theTimeBeginsWhenTheSourceIsGone() async throws {
    let run = try await state.beginRun(boot: "1")
    _ = try await state.claim([.init(id: "a", line: 1, entry: "")], run: run)
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
    _ id: String, status: String = "ok", inputs: LineInputs?,
    source: SourceRecord? = SourceRecord(content: "c", confirmation: confirmation)
  ) async throws {
    let request = StateStore.ClaimRequest(id: id, line: 1, entry: "x")
    _ = try await state.claim([request], run: 1, slot: 4)
    var change = StateStore.SourceChange()
    change.source = source
    try await state.save(
      .init(id: id, line: "{\(id)}", status: status, reasons: [], inputs: inputs),
      change, key: "k", url: "u")
  }

  private static let inputs = LineInputs(settings: "s", entry: "x", source: "k")

  private func lookUp(_ id: String, source: String = "k", url: String = "u") async throws
    -> StateStore.LineLookup
  {
    try await state.lookUpLines([.init(id, source: source, url: url)])[0]
  }

  /// Whether a line was found that is the item's with these inputs, and with the source as it is known.
  private func stands(
    _ id: String, _ inputs: LineInputs = inputs, url: String = "u"
  ) async throws -> Bool {
    guard let known = try await lookUp(id, source: inputs.source, url: url).line else {
      return false
    }
    let sum = LineInputs.sum(of: "{\(id)}".utf8)
    return inputs.mark(id, sum: sum, known.source) == known.made
  }

  @Test func aLineIsReusedWithItsSource() async throws {
    try await save("a", inputs: Self.inputs)
    let found = try await lookUp("a")
    #expect(!found.isNew)
    #expect(try await stands("a"))
    #expect(found.line?.isRejected == false)
    #expect(try await state.chunkNumbers(of: ["a", "none"]) == [found.line?.chunk, nil])
    #expect(
      found.line?.source == SourceRecord(content: "c", confirmation: Self.confirmation))
    var change = StateStore.SourceChange()
    change.rejection = .save(
      RejectionRecord(
        settings: "s", kind: .rejected, code: "not-image", details: "[]", content: nil, etag: nil,
        place: "p", seen: 1))
    try await state.save(change, key: "k", url: "u")
    #expect(try await lookUp("a").line?.isRejected == true)
    #expect(try await lookUp("a", url: "v").line?.isRejected == false)
    let missing = try await lookUp("none", source: "none", url: "none")
    #expect(missing.isNew && missing.line == nil)
  }

  /// A line is reused while its item, the settings and its source are unchanged.
  @Test func aLineStandsWhileNothingHasChanged() async throws {
    var source = SourceRecord(content: "c", confirmation: Self.confirmation)
    func save() async throws {
      var change = StateStore.SourceChange()
      change.source = source
      try await state.save(change, key: "k", url: "")
    }
    func stands(
      _ entry: String = "x", _ key: String = "k", _ settings: String = "s"
    ) async throws -> Bool {
      try await self.stands("a", .init(settings: settings, entry: entry, source: key), url: key)
    }
    try await self.save("a", inputs: Self.inputs)
    #expect(try await stands())
    #expect(try await stands("y") == false)
    #expect(try await stands("x", "l") == false)
    #expect(try await stands("x", "k", "t") == false)
    // A run that stops before it has a result leaves the line of the old entry.
    let later = StateStore.ClaimRequest(id: "a", line: 1, entry: "y")
    _ = try await state.claim([later], run: try await state.beginRun(boot: "1"))
    #expect(try await stands("y") == false)
    // Another confirmation by the server changes nothing.
    source.confirmation.checked = 2
    source.confirmation.run = 9
    try await save()
    #expect(try await stands())
    // The line shows the terms of use.
    source.robots = "noai"
    try await save()
    #expect(try await stands() == false)
    source.robots = nil
    try await save()
    #expect(try await stands())
    var change = StateStore.SourceChange()
    change.header = HeaderRecord(
      format: "gif", width: 3, height: 4, hasAlpha: true, isAnimated: nil,
      confirmation: Self.confirmation)
    try await state.save(change, key: "k", url: "")
    #expect(try await stands() == false)
    source.content = "d"
    try await save()
    #expect(try await stands() == false)
  }

  @Test func otherLinesAreMadeAgain() async throws {
    try await save("failed", status: "failed", inputs: Self.inputs)
    try await save("without", inputs: nil)
    // The line was made from another source than the item's, of which nothing is known.
    try await save(
      "other", inputs: .init(settings: "s", entry: "x", source: "other"), source: nil)
    for id in ["failed", "without", "other"] {
      let found = try await lookUp(id)
      #expect(found.line == nil && !found.isNew, "\(id)")
    }
    // The source was saved before the item.
    try await save("stored", inputs: Self.inputs, source: nil)
    #expect(try await stands("stored"))
    try await save("second", inputs: Self.inputs)
    try await state.doubtLine(of: "stored")
    #expect(try await lookUp("stored").line == nil)
    #expect(try await stands("second"))
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
      return LineInputs(settings: settings, entry: entry, source: "k")
        .mark(id, sum: LineInputs.sum(of: line.utf8), source)
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
