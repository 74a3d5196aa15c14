import TesseraCatalog
import TesseraManifest
import TesseraPipelineFile
import TesseraState
import Testing

@testable import TesseraPipeline

/// What a run learns from the state about an item and its source.
@Suite struct LookUpTests {
  private static let url = RunInMemory.url("photo")

  private static func work(_ run: RunInMemory) -> Work {
    Work(Item(ManifestEntry(line: 1, id: "a", url: url), position: 0, run.file.fetch))
  }

  /// A header counts if it was read after the bytes were confirmed.
  @Test(arguments: [(1.0, false), (2.0, false), (3.0, true)])
  func onlyANewerHeaderCounts(_ checked: Double, _ counts: Bool) async throws {
    let run = try RunInMemory()
    let work = Self.work(run)
    var confirmation = Confirmation.stale()
    confirmation.checked = 2
    var change = StateStore.SourceChange()
    change.source = SourceRecord(content: "c", confirmation: confirmation)
    try await run.state.save(change, key: work.item.sourceKey, url: work.item.requestDigest)
    change = StateStore.SourceChange()
    confirmation.checked = checked
    change.header = HeaderRecord.example()
    change.header?.confirmation = confirmation
    try await run.state.save(change, key: work.item.sourceKey, url: work.item.requestDigest)
    _ = try await LookUp(try await run.parts()).perform(work)
    #expect(work.source.record?.content == "c")
    #expect((work.source.header != nil) == counts)
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
    let key = Item(
      ManifestEntry(line: 1, id: "a", url: url), position: 0, run.file.fetch
    ).sourceKey
    let parts = try await run.parts(onlyFailed: true)
    _ = try await run.state.claim(
      [.init(id: "a", line: 1, entry: "x")], run: parts.run, position: 0)
    try await run.state.save(
      StateStore.ItemResult(
        id: "a", line: "{}", status: status, reasons: [], content: nil, inputs: nil), key: key)
    let work = Self.work(run)
    _ = try await LookUp(parts).perform(work)
    #expect(work.source.lastStatus == (isKnown ? .ok : nil))
  }
}
