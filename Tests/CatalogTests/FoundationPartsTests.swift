import Foundation
import TesseraBytes
import TesseraTestSupport
import Testing

@testable import TesseraCatalog
@testable import TesseraCatalogFoundation

/// Loading, URLs and mapped tables: what each of them chooses, and what it rejects.
@Suite struct FoundationPartsTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func catalogsAreLoaded() async throws {
    let document = CatalogFixture.document(
      (0..<3_000).map { "{\"id\":\"\($0)\",\"status\":\"pending\"}" })
    let text = String(decoding: document, as: UTF8.self)
    let file = URL(filePath: try folder.write(text, to: "catalog.json"))
    let index = try await CatalogIndex.load(file, accepting: [], from: file)
    #expect(try index.images.map(\.image) == Catalog(reading: document).images)
    #expect(throws: Never.self) {
      try CatalogIndex(reading: document, accepting: [], from: "/") {
        MessageDigest.sha256.digest(of: $0)
      }
    }
    #expect {
      try CatalogIndex(reading: document, accepting: [], from: "/") { _ in [1] }
    } throws: {
      "\($0)".hasPrefix("line 1, column 1: digest: the catalog was altered: its digest is 01, ")
    }
    let cut = URL(filePath: try folder.write(String(text.dropLast(3)), to: "cut.json"))
    await #expect(throws: CatalogError.self) {
      try await CatalogIndex.load(cut, accepting: [], from: file)
    }
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await CatalogIndex.load(file, accepting: [], from: file)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  // MARK: Tables

  private static let path = "tables/ab/ab\(String(repeating: "0", count: 30))"
  private static let ids = TableFixture.images.map(\.id)

  /// A table of the fixture's images, in a file of its own.
  private func file(_ name: Int, _ pixels: TablePixels = .bgra8) throws -> CatalogTable.File {
    let fixture = try TableFixture(pixels)
    let path = "\(Self.path)-\(name)x1.\(pixels.rawValue)"
    let url = folder.url.appending(path: path)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(fixture.bytes).write(to: url)
    return .init(
      path: path, prefix: "", width: 11, height: 12, count: 9, bytes: fixture.bytes.count,
      sha256: "")
  }

  private func tables(_ tables: [CatalogTable]) -> CatalogTables {
    var catalog = CatalogFixture.catalog([])
    catalog.tables = ["card": tables]
    return CatalogTables(catalog, in: folder.url)
  }

  /// The least scale that is enough, or else the greatest; of the requested format.
  @Test func tablesOfEachScale() throws {
    let files = try [1, 2, 3].map { try file($0) }
    let other = try file(9, .grey8)
    let all = tables(
      [3, 1, 2].map { CatalogTable(scale: $0, pixels: "bgra8", files: [files[$0 - 1]]) }
        + [CatalogTable(scale: 2, pixels: "grey8", files: [other])])
    let opened = try (1...3).map { scale in
      try #require(all.table(of: Self.ids[0], slot: "card", scale: Double(scale)))
    }
    func place(_ scale: Double) -> Int? {
      let table = all.table(of: Self.ids[0], slot: "card", scale: scale)
      return opened.firstIndex { $0 === table }
    }
    #expect([0, 1, 1.1, 2, 2.5, 3, 9].map(place) == [0, 0, 1, 1, 2, 2, 2])
    #expect(all.table(of: Self.ids[0], slot: "card", scale: 1, as: .grey8)?.pixels == .grey8)
    #expect(all.table(of: Self.ids[0], slot: "card", scale: 1, as: .rgb565) == nil)
    #expect(all.table(of: Self.ids[0], slot: "x", scale: 1) == nil)
    // Closed and opened again.
    all.reset()
    #expect(place(1) == nil && all.table(of: Self.ids[0], slot: "card", scale: 1) != nil)
  }

  /// A file is used only if it is the one that the catalog describes.
  @Test func tablesThatTheCatalogDescribesOtherwise() throws {
    let good = try file(1)
    func isUsed(_ change: (inout CatalogTable.File) -> Void, pixels: String = "bgra8") -> Bool {
      var file = good
      change(&file)
      let tables = tables([CatalogTable(scale: 1, pixels: pixels, files: [file])])
      let format = TablePixels(rawValue: pixels) ?? .bgra8
      return tables.withPixels(of: Self.ids[0], slot: "card", scale: 1, as: format) { _ in true }
        ?? false
    }
    #expect(isUsed { _ in })
    #expect(!isUsed { $0.width += 1 } && !isUsed { $0.height += 1 } && !isUsed { $0.count += 1 })
    #expect(!isUsed { $0.bytes += 1 } && !isUsed({ _ in }, pixels: "rgba8"))
  }

  @Test func filesThatCannotBeMapped() throws {
    func error(_ path: String) -> String {
      do {
        _ = try PixelTable(contentsOf: URL(filePath: path))
        return "opened"
      } catch {
        return "\(error)"
      }
    }
    #expect(error(folder.path("none")) == "could not be opened: No such file or directory")
    let empty = try folder.write("", to: "empty")
    for path in [empty, folder.url.path, "/dev/null"] {
      #expect(error(path) == "not a file, or an empty one")
    }
    #expect(error(try folder.write("x", to: "short")) == "the file is cut off in its header")
    let table = try PixelTable(contentsOf: folder.url.appending(path: file(1).path))
    #expect(
      [table.width, table.height, table.count].elementsEqual([11, 12, 9]) && table.pixels == .bgra8)
    #expect(table.place(of: "none") == nil && Set(Self.ids.compactMap(table.place)) == Set(0..<9))
  }
}
