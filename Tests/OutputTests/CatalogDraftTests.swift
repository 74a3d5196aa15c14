import TesseraBytes
import TesseraCatalog
import TesseraMemoryOutput
import TesseraSystem
import TesseraTestSupport
import Testing

@testable import TesseraOutput

/// Catalogs, byte by byte.
@Suite struct CatalogDraftTests {
  private let catalogs: MemoryCatalogs

  init() throws { catalogs = try MemoryCatalogs() }

  /// A line for each image, and before them the digest of all bytes that follow it.
  private static func document(_ ids: [String]) -> String {
    let images = ids.map { MemoryCatalogs.image($0) }.joined(separator: ",\n")
    let rest =
      "\(MemoryCatalogs.head().dropFirst().dropLast()),\"count\":\(ids.count),\"images\":["
      + (ids.isEmpty ? "" : "\n") + images + "\n]}\n"
    return "{\"digest\":\"\(SHA256.of(rest))\",\(rest)"
  }

  @Test(arguments: [[], ["a"], ["b", "a", "c"]])
  func aCatalogHasItsHeadAndItsImages(_ ids: [String]) async throws {
    try await catalogs.publish(ids)
    #expect(try catalogs.files == ["catalog.json": Self.document(ids)])
    #expect(MemoryCatalogs.document(ids.map { MemoryCatalogs.image($0) }) == Self.document(ids))
    // The same again changes nothing.
    try await catalogs.publish(ids)
    #expect(try catalogs.files == ["catalog.json": Self.document(ids)])
  }

  /// It is written in parts, and its digest is of all of them.
  @Test func aLargeCatalogHasItsDigest() async throws {
    let ids = (0..<8_000).map { "i\($0)" }
    try await catalogs.publish(ids)
    let text = try catalogs.output.text("catalog.json")
    #expect(text.utf8.count > 2 << 20)
    #expect(text == Self.document(ids))
  }

  /// What readers see is the new catalog, whatever follows.
  @Test func replacingIsReportedOnceReadersSeeIt() async throws {
    func publish() async throws -> Int {
      var count = 0
      let draft = try await catalogs.draft(0)
      try await draft.publish(
        keeping: CatalogRetention(count: 1, age: 9), now: 0
      ) { _ in count += 1 }
      return count
    }
    #expect(try await publish() == 1)
    catalogs.output.setUnwritable("catalog.json")
    await #expect(throws: MemoryOutput.full) { try await publish() }
  }

  /// For a screen, images are read.
  @Test func aLineThatIsNotJSONIsDamage() async throws {
    let screens = [MemoryCatalogs.screen(first: 1)]
    var draft = try await catalogs.draft(1, screens)
    do throws(SystemError) {
      try draft.add(Array("{".utf8))
      Issue.record("it was added")
    } catch {
      #expect(error.isDamage && error.path == "catalog")
    }
    await #expect(throws: SystemError.self) {
      _ = try await catalogs.draft(1, screens, head: "[")
    }
  }
}
