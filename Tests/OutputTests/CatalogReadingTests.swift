import Foundation
import TesseraBytes
import TesseraMemoryOutput
import TesseraSystem
import TesseraTestSupport
import Testing

@testable import TesseraOutput

/// Catalogs of an output as they are read: in parts, and with their digest.
@Suite struct CatalogReadingTests {
  private let catalogs: MemoryCatalogs
  private var output: MemoryOutput { catalogs.output }

  init() throws { catalogs = try MemoryCatalogs() }

  /// The ids of all images; or the error.
  private func read(_ name: String, checks: Bool = false) async -> Result<[String], SystemError> {
    var texts = CatalogTexts(name, in: output, checksDigest: checks)
    var ids: [String] = []
    do throws(SystemError) {
      while let text = try await texts.next() { ids.append(CatalogLine(text)?.id ?? "-") }
      return .success(ids)
    } catch {
      return .failure(error)
    }
  }

  @Test func aCatalogIsAsItWasWritten() async throws {
    try await catalogs.publish(["a", "b"])
    for checks in [true, false] {
      #expect(await read("catalog.json", checks: checks) == .success(["a", "b"]))
    }
    let text = try output.text("catalog.json")
    let other = text.replacing("example.com/b", with: "example.com/c")
    try output.write("catalog.json", Array(other.utf8))
    #expect(await read("catalog.json") == .success(["a", "b"]))
    #expect(
      await read("catalog.json", checks: true)
        == .failure(
          .damaged("memory/catalog.json", "its content has another digest than its head states")))
  }

  /// What other tools make of a catalog is damage, and the message says what it is.
  @Test(arguments: [
    #"{"schema":"tessera-catalog/1","#, "{ \"digest\":\"", "\n", "<!doctype html>",
  ])
  func aCatalogOfAnotherFormIsSaid(_ start: String) async throws {
    try await catalogs.publish(["a", "b"])
    let other = try output.text("catalog.json").replacing(/^\{"digest":"/, with: start)
    try output.write("catalog.json", Array(other.utf8))
    guard case .failure(let error) = await read("catalog.json") else {
      Issue.record("it was read")
      return
    }
    #expect(error.isDamage)
    #expect(
      error.description.hasPrefix(
        "\"memory/catalog.json\" is damaged: line 1, column 1: expected {\"digest\":\"…\""))
    #expect(error.description.hasSuffix("use the file as Tessera wrote it"))
    #expect(try await CurrentCatalog(of: output) == nil)
  }

  /// Each beginning of a catalog is one that is cut off.
  @Test func aCatalogThatIsCutOffIsDamaged() async throws {
    try await catalogs.publish(["a"])
    let bytes = Array(try output.text("catalog.json").utf8)
    for count in bytes.indices {
      try output.write("catalog.json", Array(bytes.prefix(count)))
      guard case .failure(let error) = await read("catalog.json") else {
        Issue.record("\(count) bytes were a whole catalog")
        return
      }
      #expect(error.isDamage && error.path == "memory/catalog.json", "\(count)")
    }
  }

  /// Files come some at a time; an image whose entry is malformed stops it.
  @Test func filesComeInParts() async throws {
    let ids = (0..<1_500).map { "i\($0)" }
    try await catalogs.publish(ids)
    var texts = CatalogTexts("catalog.json", in: output)
    var parts: [[String]] = []
    while let part = try await texts.nextFiles() { parts.append(part) }
    #expect(parts.map(\.count) == [1_000, 500])
    #expect(parts.flatMap(\.self) == ids.map(MemoryCatalogs.path(of:)))
    try await catalogs.publish(["a"])
    let text = try output.text("catalog.json").replacing("\"width\"", with: "\"wide\"")
    try output.write("catalog.json", Array(text.utf8))
    texts = CatalogTexts("catalog.json", in: output)
    do throws(SystemError) {
      _ = try await texts.nextFiles()
      Issue.record("it was read")
    } catch {
      #expect(
        error
          == .damaged(
            "memory/catalog.json", "an image has a malformed entry; run again"))
    }
  }

  /// With the files of tables, and the index of an atlas.
  @Test func allFilesOfACatalogAreFound() async throws {
    func files() async throws -> [[String]] {
      var parts: [[String]] = []
      try await CurrentCatalog.forEachFiles(in: output) { parts.append($0) }
      return parts
    }
    #expect(try await files() == [])
    let digest = SHA256.of("table")
    let path = "tables/\(digest.prefix(2))/\(digest.prefix(32))-8x8.webp"
    let index = "tables/\(digest.prefix(2))/\(digest.prefix(32)).json"
    let table =
      #","tables":{"card":[{"scale":1,"pixels":"webp","files":[{"path":"\#(path)","prefix":"","#
      + #""width":8,"height":8,"count":1,"bytes":9,"sha256":"\#(digest)","index":"\#(index)"}]}]}"#
    try await catalogs.publish(["a", "b"], head: MemoryCatalogs.head("feed", table))
    #expect(
      try await files() == [["a", "b"].map(MemoryCatalogs.path(of:)), [path, index]])
    try await catalogs.publish(["a"])
    #expect(try await files() == [[MemoryCatalogs.path(of: "a")], []])
  }

  @Test func theCurrentCatalogIsKnownByItsHead() async throws {
    #expect(try await CurrentCatalog(of: output) == nil)
    #expect(try await !CurrentCatalog.isThere(in: output))
    try await catalogs.publish(["a", "b"])
    let text = try output.text("catalog.json")
    let current = try #require(try await CurrentCatalog(of: output))
    #expect(current.images == 2 && current.bytes == text.utf8.count)
    #expect(text.hasPrefix("{\"digest\":\"\(current.digest)\""))
    #expect(current.keptPath == ".tessera/catalogs/\(current.digest.prefix(32)).json")
    // A file is named after its digest: one of another form is not taken for it.
    for digest in ["x", "../../../../x", String(repeating: "A", count: 64)] {
      try output.write("catalog.json", Array(text.replacing(current.digest, with: digest).utf8))
      #expect(try await CurrentCatalog(of: output) == nil)
    }
    for text in ["", "{}", "<html>"] {
      try output.write("catalog.json", Array(text.utf8))
      #expect(try await CurrentCatalog(of: output) == nil)
      #expect(try await CurrentCatalog.isThere(in: output))
    }
  }

  // MARK: Cached sources

  /// A source may fill the cache, and nothing may be larger than it.
  @Test func aSourceMayFillTheCache() throws {
    try expectMost(20) { count in
      let folder = try TemporaryFolder()
      let workspace = Workspace(
        try Directory(folder.path("w"), creates: true), of: "the output")
      try workspace.clear()
      let cache = try SourceCache(in: workspace, limit: 20, clock: .fixed(1_000))
      let bytes = [UInt8](repeating: 7, count: count)
      let file = workspace.spool("a")
      try file.open(.create).write(bytes)
      cache.keep(file, as: SHA256.of(bytes))
      let target = workspace.spool("b")
      let isThere = cache.restore(SHA256.of(bytes), to: target)
      #expect(isThere == cache.has(SHA256.of(bytes)))
      #expect(target.size == (isThere ? count : nil))
      #expect(!cache.restore("none", to: workspace.spool("c")))
      return isThere
    }
  }

  /// From a thousand sources on, room is made for a while.
  @Test(arguments: [(999, 998), (1_000, 899)])
  func manySourcesMakeMoreRoom(_ count: Int, _ left: Int) throws {
    let folder = try TemporaryFolder()
    for number in 0..<count { try folder.write("0123456789", to: "w/cache/\(number)") }
    let workspace = Workspace(try Directory(folder.path("w")), of: "the output")
    let cache = try SourceCache(in: workspace, limit: (count - 1) * 10)
    #expect((0..<count).filter { cache.has("\($0)") }.count == left)
    #expect(try workspace.cachedDigests().count == left)
  }
}
