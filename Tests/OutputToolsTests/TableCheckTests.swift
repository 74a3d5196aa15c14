import TesseraBytes
import TesseraMemoryOutput
import TesseraTestSupport
import Testing

@testable import TesseraCatalog
@testable import TesseraOutput
@testable import tessera

/// What `verify` says of a table's files.
@Suite struct TableCheckTests {
  private let output = MemoryOutput()

  /// A file of pixels for some ids, by the description of the format: header, index, pixels.
  private static func pixels(_ ids: [String]) throws -> [UInt8] {
    let geometry = try #require(TableGeometry(.grey8, width: 3, height: 2))
    let header = geometry.header(count: ids.count)
    let hashes = ids.map(TableHash.of).sorted { $0.lexicographicallyPrecedes($1) }
    let index = TableIndex.bytes(hashes.map { .init(hash: $0, width: 3, height: 2) })
    let start = header.bytes + index
    return start + [UInt8](repeating: 7, count: header.fileBytes - start.count)
  }

  /// Writes a file of pixels, and returns what a catalog says of it.
  private func file(_ ids: [String], prefix: String = "") throws -> CatalogTable.File {
    let bytes = try Self.pixels(ids)
    let digest = SHA256.of(bytes)
    let path = PublishedFile.tablePath(
      digest: digest, width: 3, height: 2, fileExtension: "grey8")
    try output.write(path, bytes)
    return CatalogTable.File(
      path: path, prefix: prefix, width: 3, height: 2, count: ids.count, bytes: bytes.count,
      sha256: digest)
  }

  private func problem(
    _ file: CatalogTable.File, _ pixels: String = "grey8", isDeep: Bool = false,
    _ change: (inout CatalogTable.File) -> Void = { _ in }
  ) async -> String? {
    var file = file
    change(&file)
    let table = CatalogTable(scale: 1, pixels: pixels, files: [file])
    return await TableCheck(file, of: table, in: output, isDeep: isDeep).problem()
  }

  @Test func aFileOfPixelsIsComparedWithTheCatalog() async throws {
    let file = try file(["a", "b", "c"])
    #expect(await problem(file) == nil)
    #expect(await problem(file, isDeep: true) == nil)
    #expect(await problem(file) { $0.path = "tables/x.grey8" } == "has a name that no run gives")
    #expect(await problem(file) { $0.path += "x" } == "is missing")
    for bytes in [file.bytes - 1, file.bytes + 1] {
      #expect(
        await problem(file) { $0.bytes = bytes } == "has \(file.bytes) bytes instead of \(bytes)")
    }
    let other = "is another table than the catalog says"
    #expect(await problem(file, "bgra8") == other)
    #expect(await problem(file) { $0.width = 4 } == other)
    #expect(await problem(file) { $0.height = 3 } == other)
    #expect(await problem(file) { $0.count = 2 } == other)
    #expect(
      await problem(file, isDeep: true) { $0.sha256 = "0" }
        == "has other content than its name says")
    #expect(await problem(file) { $0.sha256 = "0" } == nil)
  }

  @Test func itsImagesHaveItsPrefix() async throws {
    // SHA-256 of "a" begins with ca, which is 1100 1010.
    #expect(TableHash.of("a")[0] == 0xCA)
    let file = try file(["a"], prefix: "1100101")
    #expect(await problem(file) == nil)
    #expect(
      await problem(file) { $0.prefix = "1100100" } == "has images that belong to another file")
  }

  @Test func damageIsFound() async throws {
    let file = try file(["a", "b"])
    let bytes = try output.read(file.path, 1 << 20, at: 0)
    func changed(at place: Int) throws {
      var other = bytes
      other[place] ^= 1
      try output.write(file.path, other)
    }
    try changed(at: 0)
    #expect(await problem(file) == "is damaged: not a table of pixels")
    // A reserved byte of the index.
    try changed(at: 64 + 20)
    #expect(
      await problem(file)
        == "is damaged: an entry of the index is larger than its cell, or damaged")
    // A pixel.
    try changed(at: bytes.count - 1)
    #expect(await problem(file) == nil)
    #expect(await problem(file, isDeep: true) == "has other content than its name says")
    // No more than the header and the index is read.
    let before = output.reads.count
    _ = await problem(file)
    #expect(output.reads[before...].map(\.bytes) == [64, 48])
  }

  /// A name with the digest of other bytes is wrong, even if the catalog states the right digest.
  @Test func aNameIsOfItsContent() async throws {
    let file = try file(["a"])
    let bytes = try output.read(file.path, 1 << 20, at: 0)
    var other = file
    other.path = PublishedFile.tablePath(
      digest: String(repeating: "0", count: 64), width: 3, height: 2, fileExtension: "grey8")
    try output.write(other.path, bytes)
    #expect(await problem(other) == nil)
    #expect(await problem(other, isDeep: true) == "has other content than its name says")
  }

  @Test func anAtlasIsAWebPWithItsSize() async throws {
    let bytes = try Places.bytes("lossy.webp")
    // The last fields of its VP8X chunk.
    let size = (240, 160)
    func file(_ bytes: [UInt8]) throws -> CatalogTable.File {
      let digest = SHA256.of(bytes)
      let path = PublishedFile.tablePath(
        digest: digest, width: size.0, height: size.1, fileExtension: "webp")
      try output.write(path, bytes)
      return CatalogTable.File(
        path: path, prefix: "", width: size.0, height: size.1, count: 1, bytes: bytes.count,
        sha256: digest)
    }
    let atlas = try file(bytes)
    #expect(await problem(atlas, "webp") == nil)
    #expect(await problem(atlas, "webp", isDeep: true) == nil)
    #expect(
      await problem(atlas, "webp") { $0.width += 1 }
        == "has \(size.0) x \(size.1) pixels instead of \(size.0 + 1) x \(size.1)")
    #expect(
      await problem(atlas, "webp") { $0.height -= 1 }
        == "has \(size.0) x \(size.1) pixels instead of \(size.0) x \(size.1 - 1)")
    let png = try file(try Places.bytes("grey.png"))
    #expect(await problem(png, "webp") == "is not a recognized image")
    #expect(
      try await problem(file([1, 2, 3]), "webp") == "is not a recognized image")
  }

  @Test func anIndexBelongsToItsAtlas() async throws {
    var file = try file(["a"])
    let table = CatalogTable(scale: 1, pixels: "webp", files: [])
    func problem(_ path: String?) async -> String? {
      file.index = path
      return await TableCheck(file, of: table, in: output, isDeep: false).indexProblem()
    }
    func written(_ text: String, digest: String? = nil) throws -> String {
      let path = PublishedFile.indexPath(digest: digest ?? SHA256.of(text))
      try output.write(path, Array(text.utf8))
      return path
    }
    let good = #"{"image":"\#(file.path)"}"#
    #expect(await problem(nil) == nil)
    #expect(try await problem(written(good)) == nil)
    #expect(await problem("tables/x.json") == "has a name that no run gives")
    #expect(
      await problem(PublishedFile.indexPath(digest: SHA256.of("none"))) == "is missing")
    #expect(
      try await problem(written(good, digest: SHA256.of("other")))
        == "has other content than its name says")
    for text in [#"{"image":"tables/other"}"#, "{}", "not JSON"] {
      #expect(try await problem(written(text)) == "is of another atlas")
    }
  }
}
