import TesseraCatalog
import TesseraManifest
import TesseraNet
import TesseraPipelineFile
import TesseraState
import TesseraTestSupport
import Testing

@testable import TesseraPipeline

/// What a run learns from the state about an item and its source.
@Suite struct LookUpTests {
  private static let url = RunInMemory.url("photo")

  private static func item(_ run: RunInMemory, _ url: String = url) -> Item {
    Item(ManifestEntry(line: 1, id: "a", url: url), position: 0, run.file.fetch)
  }

  /// A header counts if it was read after the bytes were confirmed. One of the same second is newer: bytes replace it.
  @Test(arguments: [(1.0, false), (2.0, true), (3.0, true)])
  func onlyANewerHeaderCounts(_ checked: Double, _ counts: Bool) async throws {
    let run = try RunInMemory()
    let item = Self.item(run)
    var confirmation = Confirmation.stale()
    confirmation.checked = 2
    var change = StateStore.SourceChange()
    change.source = SourceRecord(content: "c", confirmation: confirmation)
    try await run.state.save(change, key: item.sourceKey, url: item.requestKey)
    change = StateStore.SourceChange()
    confirmation.checked = checked
    change.header = HeaderRecord.example()
    change.header?.confirmation = confirmation
    try await run.state.save(change, key: item.sourceKey, url: item.requestKey)
    let source = try await LookUp(try await run.runContext()).source(of: item)
    #expect(source.record?.content == "c")
    #expect((source.header != nil) == counts)
  }

  /// `--only-failed` leaves an item alone if it was fine, but not if its URL is another one now.
  @Test(
    arguments: [
      (url, "ok", true), ("\(url)?2", "ok", false), (url, "great", false),
    ])
  func theLastStatusIsThatOfTheURL(
    _ url: String, _ status: String, _ isKnown: Bool
  ) async throws {
    let run = try RunInMemory()
    let key = Self.item(run, url).sourceKey
    let runContext = try await run.runContext(onlyFailed: true)
    _ = try await run.state.claim(
      [.init(id: "a", line: 1, entry: "x")], run: runContext.run)
    try await run.state.save(
      ItemResult(id: "a", line: "{}", status: status, reasons: []), key: key)
    let source = try await LookUp(runContext).source(of: Self.item(run))
    #expect(source.lastStatus == (isKnown ? .ok : nil))
  }

  // MARK: Lines

  private static func line(_ source: SourceRecord) -> LineReuse.Line {
    LineReuse.Line(
      .confirmation(of: source), source, 0..<2, KeptLine(freshUntil: 0, places: 2, files: 2))
  }

  /// Nothing is looked up for a line, unless another item's failure has to be taken over; and nothing of
  /// what is new.
  @Test func whatIsKnownAlreadyIsNotLookedUp() async throws {
    let run = try RunInMemory()
    let item = Self.item(run)
    let lookUp = LookUp(try await run.runContext())
    var change = StateStore.SourceChange()
    change.source = SourceRecord(content: "c", confirmation: .stale())
    try await run.state.save(change, key: item.sourceKey, url: item.requestKey)
    let line = Self.line(try #require(change.source))
    let table: [(lookup: LineReuse.Lookup?, failure: ItemFailure?, stage: String, isKnown: Bool)] =
      [
        (.stands(line), nil, "line", false),
        (.stands(line), .unreachable(.status(404)), "known", true),
        (.new, nil, "known", false),
        (nil, nil, "known", true),
      ]
    for (index, row) in table.enumerated() {
      let context = ItemContext(
        item, sharedFailure: row.failure.map { SharedFailure(failure: $0) })
      let stage = try await lookUp.perform(row.lookup, context)
      #expect(stage.summary == row.stage, "case \(index)")
      let known = if case .known(let known) = stage { known.source.record != nil } else { false }
      #expect(known == row.isKnown, "case \(index)")
      #expect(context.reasons.count == 1, "case \(index)")
    }
  }

  /// The answer stays, and with it what was asked.
  @Test func aDoubtedLineIsLookedUp() async throws {
    let run = try RunInMemory()
    let item = Self.item(run)
    var confirmation = Confirmation.stale()
    confirmation.etag = "\"1\""
    var change = StateStore.SourceChange()
    change.source = SourceRecord(content: "c", confirmation: confirmation, url: Self.url)
    try await run.state.save(change, key: item.sourceKey, url: item.requestKey)
    let context = ItemContext(item)
    let stage = try await LookUp(try await run.runContext()).perform(
      Self.line(try #require(change.source)), .failed(.status(500)), context)
    guard case .answered(let asked, .failed) = stage else {
      Issue.record("the stage is \(stage.summary)")
      return
    }
    #expect(asked.known.source.record?.content == "c")
    #expect(asked.conditions.condition?.validators.etag == "\"1\"")
    #expect(asked.conditions.rejection == nil)
    // Its reason was noted when the line was asked about.
    #expect(context.reasons.isEmpty)
  }
}
