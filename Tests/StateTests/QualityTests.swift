import Foundation
import TesseraPlan
import TesseraTestSupport
import Testing

@testable import TesseraState

/// The qualities that were found for contents.
@Suite struct FoundQualityTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static func record(_ quality: Int, _ recipe: String = "search webp") -> QualityRecord {
    QualityRecord(
      recipe: recipe,
      found: FoundQuality(
        quality: quality, score: 67.125, worstTile: -3.5, size: Size(256, 9), encodes: 4,
        isGraphic: false), run: 3)
  }

  private func save(
    _ records: [(key: String, record: QualityRecord)], in state: StateStore
  ) async throws {
    var change = StateStore.SourceChange()
    change.made = StateStore.Made(
      digest: Self.content,
      content: ContentRecord(
        format: "jpeg", facts: SourceFacts(size: Size(30, 40), hasAlpha: false, frames: 1),
        warnings: []),
      variants: [], placeholder: ("p", Placeholders()), run: 3)
    change.made?.qualities = records
    try await state.save(change, key: "", url: "")
    try await state.commit()
  }

  private static let content = String(repeating: "aa", count: 32)
  private static let key = QualityRecord.key(content: content, digest: "0123456789abcdef0000")
  private static let other = QualityRecord.key(content: content, digest: "1123456789abcdef")

  @Test func recordsAreFoundByTheirKeysAndByTheirContent() async throws {
    let state = try StateStore(path: folder.path("state"))
    #expect(Self.key == "\(Self.content)0123456789abcdef")
    let other = String(Self.content.dropLast()) + "b"
    try await save(
      [
        (Self.key, Self.record(72)), (Self.other, Self.record(50, "search jpeg")),
        (QualityRecord.key(content: other, digest: "0123456789abcdef"), Self.record(1)),
      ], in: state)
    #expect(try await state.qualities([Self.key, "none"]) == [Self.record(72), nil])
    #expect(
      try await state.qualities(of: Self.content) == [
        Self.record(50, "search jpeg"), Self.record(72),
      ])
    try await save([(Self.key, Self.record(71))], in: state)
    #expect(try await state.qualities([Self.key]) == [Self.record(71)])
  }

  @Test func aDamagedRecordIsNone() async throws {
    let path = folder.path("state")
    let state = try StateStore(path: path)
    try await save([(Self.key, Self.record(72)), (Self.other, Self.record(50))], in: state)
    try Database(path).execute("UPDATE qualities SET quality = 99 WHERE key = x'\(Self.key)'")
    #expect(try await state.qualities([Self.key, Self.other]) == [nil, Self.record(50)])
    #expect(try await state.qualities(of: Self.content) == [Self.record(50)])
  }
}
