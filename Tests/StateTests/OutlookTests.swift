import TesseraPlan
import TesseraTestSupport
import Testing

@testable import TesseraState

/// What is known of items before their turns, and what is saved of them in few statements.
@Suite struct OutlookTests {
  /// A source is new as long as there is nothing of it: no bytes, no header, no rejection.
  @Test(arguments: ["source", "header", "rejection"])
  func aSourceIsNewUntilAnythingIsKnownOfIt(_ kind: String) async throws {
    let state = try StateStore(path: "")
    let confirmation = Confirmation(
      etag: nil, lastModified: nil, checked: 1, freshUntil: nil, run: 1)
    func isNew() async throws -> Bool {
      try await state.lookUpLines([.init("a", source: "k", url: "u")])[0].isNew
    }
    #expect(try await isNew())
    var change = StateStore.SourceChange()
    switch kind {
    case "source": change.source = SourceRecord(content: "c", confirmation: confirmation)
    case "header":
      change.header = HeaderRecord(
        format: "gif", width: 3, height: 4, hasAlpha: true, isAnimated: nil,
        confirmation: confirmation)
    default:
      change.rejection = .save(
        RejectionRecord(
          settings: "s", kind: .undecodable, code: "decode", details: "[]", content: nil,
          etag: nil, place: "p", seen: 1))
    }
    try await state.save(change, key: "k", url: "u")
    #expect(try await isNew() == false)
  }

  /// More files than one statement saves at a time.
  @Test func savesManyFilesOfAContent() async throws {
    let state = try StateStore(path: "")
    let keys = (0..<230).map { "v\($0)" }
    let records = keys.map { Files.record($0) }
    let made = StateStore.Made(
      digest: "c",
      content: ContentRecord(
        format: "jpeg", facts: SourceFacts(size: Size(3, 4), hasAlpha: false, frames: 1),
        warnings: []),
      variants: zip(keys, records).map { (key: $0, record: $1) },
      placeholder: ("p", Placeholders()), run: 1)
    var change = StateStore.SourceChange()
    change.made = made
    try await state.save(change, key: "", url: "")
    #expect(try await state.made(keys, placeholder: "").0 == records)
  }
}
