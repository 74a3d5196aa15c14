import Foundation
import TesseraCatalogFoundation
import TesseraTestSupport
import Testing

@testable import TesseraCatalog

@Suite struct FoundationTests {
  private static let head =
    #"{"schema":"tessera-catalog/1","generator":{"name":"","version":"","libvips":""},"#
    + #""pipeline":{"name":"","fingerprint":""},"formats":[],"slots":{"card":{"width":1,"mode":"fit"}},"scales":[1]"#
  private static let source = URL(filePath: "/feed/catalog.json")
  private static let image =
    #"{"id":"a","url":"u","status":"failed","error":{"code":"c","message":"m","retryable":true}}"#

  private static func document(_ lines: [String]) -> String {
    String(decoding: CatalogFixture.document(lines, head: head), as: UTF8.self)
  }

  @Test func filesAreLoadedInParts() async throws {
    let folder = try TemporaryFolder()
    let many = (0..<5_000).map { Self.image.replacing("\"a\"", with: "\"a\($0)\"") }
    let path = try folder.write(Self.document(many + ["{}"]), to: "catalog.json")
    let file = URL(filePath: path)
    let error = await #expect(throws: CatalogError.self) {
      try await CatalogIndex.load(file, accepting: [], from: Self.source)
    }
    #expect(error?.member == "images[5000]")
  }

  /// An index of a file reads each image when it is looked up.
  @Test func aFileIsIndexedAndLookedUp() async throws {
    let folder = try TemporaryFolder()
    let many = (0..<5_000).map { Self.image.replacing("\"a\"", with: "\"a\($0)\"") }
    let text = Self.document(many)
    let path = try folder.write(text, to: "catalog.json")
    let index = try await CatalogIndex.load(URL(filePath: path), accepting: [], from: Self.source)
    let images = try Catalog(reading: text.utf8).images
    #expect(index.images.map(\.image) == images)
    await withTaskGroup { group in
      for image in images {
        group.addTask { #expect(index.image(image.id)?.image == image) }
      }
    }
    // Replaced, it stays; changed, an image is lost and nothing else.
    try FileManager.default.removeItem(atPath: path)
    try folder.write(Self.document([]), to: "catalog.json")
    #expect(index.image("a4999")?.image == images[4_999])
    let second = try folder.write(text, to: "second.json")
    let changed = try await CatalogIndex.load(
      URL(filePath: second), accepting: [], from: Self.source)
    let handle = try FileHandle(forWritingTo: URL(filePath: second))
    try handle.truncate(atOffset: UInt64(text.utf8.count - 200))
    try handle.close()
    #expect(changed.image("a0")?.image == images[0])
    #expect(changed.image("a4999")?.image == CatalogImage(id: "a4999", status: .failed))
    #expect(changed.images[4_999].image == CatalogImage(id: "a4999", status: .failed))
    let other = text.replacing("\"a1\"", with: "\"b1\"")
    try FileManager.default.copyItem(
      atPath: try folder.write(other, to: "other.json"), toPath: folder.path("third.json"))
    let third = try await CatalogIndex.load(
      URL(filePath: folder.path("third.json")), accepting: [], from: Self.source)
    let writing = try FileHandle(forWritingTo: URL(filePath: folder.path("third.json")))
    try writing.write(contentsOf: Data(text.utf8))
    try writing.close()
    #expect(third.image("b1")?.image == CatalogImage(id: "b1", status: .failed))
    #expect(third.image("a0")?.image == images[0])
    try folder.write(String(text.dropLast(9)), to: "second.json")
    await #expect(throws: CatalogError.self) {
      try await CatalogIndex.load(URL(filePath: second), accepting: [], from: Self.source)
    }
    await #expect(throws: CocoaError.self) {
      try await CatalogIndex.load(
        URL(filePath: folder.path("none")), accepting: [], from: Self.source)
    }
    await #expect(throws: POSIXError.self) {
      try await CatalogIndex.load(URL(filePath: folder.path("")), accepting: [], from: Self.source)
    }
  }

  @Test func urlsAreAbsolute() throws {
    var catalog = try Catalog(reading: Self.document([]).utf8)
    let file = CatalogVariant.File(format: 0, path: "variants/a.webp", type: "image/webp", bytes: 1)
    catalog.images = [
      CatalogImage(
        id: "a", status: .ok, width: 1, height: 1,
        variants: [CatalogVariant(width: 1, height: 1, files: [file])])
    ]
    let source = try #require(URL(string: "https://example.com/feed/catalog.json?x=1"))
    func url(_ types: Set<String> = ["image/webp"]) throws -> String? {
      try CatalogIndex(catalog, accepting: types, from: source).images[0]
        .file(for: CatalogBox(width: 1, height: 1), scale: 1)?.requestURL?.absoluteString
    }
    #expect(try url() == "https://example.com/feed/variants/a.webp")
    #expect(try url([]) == nil)
    catalog.baseURL = "https://cdn.example.com/"
    #expect(try url() == "https://cdn.example.com/variants/a.webp")
  }

  @Test func errorsSayWhatIsWrong() throws {
    let catalog = try Catalog(reading: Self.document([]).utf8)
    let error = #expect(throws: UnknownSlot.self) { try catalog.requireSlots("crad") }
    #expect(
      error?.localizedDescription == "the catalog has no slot \"crad\"; did you mean \"card\"?")
    let broken = #expect(throws: CatalogError.self) { try Catalog(reading: "[".utf8) }
    #expect(broken?.localizedDescription.hasPrefix("line 1, column 1: ") == true)
  }
}
