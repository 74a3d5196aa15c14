import Foundation
import TesseraBytes
import TesseraCatalog
import TesseraCatalogFoundation
import TesseraTestSupport
import Testing

@Suite struct PixelTableTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func write(_ bytes: [UInt8], to name: String = "table") throws -> URL {
    let url = URL(filePath: folder.path(name))
    try Data(bytes).write(to: url)
    return url
  }

  /// Reads all bytes that a lookup gives, so that one outside of the file would be noticed.
  private func sum(_ table: PixelTable, _ ids: [String]) -> Int {
    ids.reduce(0) { sum, id in
      sum + (table.withPixels(of: id) { $0.bytes.reduce(0) { $0 &+ Int($1) } } ?? 0)
    }
  }

  @Test(arguments: [TablePixels.bgra8, .rgba8, .rgb565, .grey8])
  func everyPixelComesBack(_ pixels: TablePixels) throws {
    let fixture = try TableFixture(pixels)
    let table = try PixelTable(contentsOf: write(fixture.bytes))
    #expect(table.pixels == pixels && table.count == 9 && table.width == 11 && table.height == 12)
    let bytes = try #require(pixels.bytesPerPixel)
    for image in TableFixture.images {
      let found: Bool? = table.withPixels(of: image.id) { rows in
        #expect(rows.width == image.width && rows.height == image.height)
        #expect(rows.format == pixels && rows.rowBytes % 64 == 0)
        #expect(rows.bytes.count == rows.rowBytes * image.height)
        for row in 0..<image.height {
          for place in 0..<rows.rowBytes {
            let expected =
              place < image.width * bytes ? TableFixture.byte(image.id, row, place) : 0
            if rows.bytes[row * rows.rowBytes + place] != expected { return false }
          }
        }
        return true
      }
      #expect(found == true, "\(image.id)")
    }
    #expect(table.withPixels(of: "another", { _ in true }) == nil)
    #expect(table.withPixels(of: "", { _ in true }) == nil)
  }

  @Test func theHashIsThatOfOtherPrograms() {
    var random = SplitMix(seed: 256)
    for count in Array(0..<200) + [1_000, 65_536] {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      let hexadecimal = TableHash.sha256(bytes).map { byte in
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }.joined()
      #expect(hexadecimal == SHA256.of(bytes), "\(count) bytes")
    }
  }

  @Test(.faults(.c17)) func everyTruncatedLengthIsRejected() throws {
    let bytes = try TableFixture().bytes
    // Every length of the header, of the index and around the pixels' start; then some of the rest.
    let lengths =
      Array(0...300) + Array(16_300...16_500) + Array(stride(from: 16_500, to: bytes.count, by: 61))
      + [bytes.count - 1]
    for length in lengths {
      let file = try write(Array(bytes.prefix(length)))
      #expect(throws: TableError.self, "\(length)") { try PixelTable(contentsOf: file) }
    }
    let longer = try write(bytes + [0])
    #expect(throws: TableError.self) { try PixelTable(contentsOf: longer) }
  }

  /// Every byte of the header, and of the index but the hashes, decides.
  @Test(.faults(.c17)) func everyDamagedFieldIsRejected() throws {
    let fixture = try TableFixture()
    let index = 64..<64 + 9 * 24
    for place in Array(0..<64) + index.filter({ ($0 - 64) % 24 >= 20 }) {
      for change: UInt8 in [1, 2, 0x80] {
        var bytes = fixture.bytes
        bytes[place] ^= change
        let file = try write(bytes)
        // The pixel format, and the size of a cell, may be others that are possible, too.
        if (10..<11).contains(place) || (16..<18).contains(place) || (20..<22).contains(place) {
          if let table = try? PixelTable(contentsOf: file) {
            _ = sum(table, TableFixture.images.map(\.id))
          }
          continue
        }
        #expect(throws: TableError.self, "byte \(place)") { try PixelTable(contentsOf: file) }
      }
    }
    var swapped = fixture.bytes
    swapped.replaceSubrange(64..<88, with: fixture.bytes[88..<112])
    swapped.replaceSubrange(88..<112, with: fixture.bytes[64..<88])
    let unsorted = try write(swapped)
    #expect(throws: TableError("the index is not in ascending order")) {
      try PixelTable(contentsOf: unsorted)
    }
    var large = fixture.bytes
    large[64 + 16] = 12  // one more than the cell's width
    let outside = try write(large)
    #expect(throws: TableError.self) { try PixelTable(contentsOf: outside) }
  }

  @Test(.faults(.c17)) func foreignFilesAreRejected() throws {
    var names = ["plain.jpg", "grey.png", "lossy.webp", "animated.gif"].map {
      Places.fixture($0)
    }
    names.append(try write([], to: "empty"))
    names.append(try write(Array("\u{89}TSP\r\n\u{1a}\n".utf8), to: "as-text"))
    names.append(URL(filePath: folder.path("missing")))
    names.append(URL(filePath: folder.url.path))
    names.append(URL(filePath: "/dev/null"))
    for name in names {
      #expect(throws: TableError.self, "\(name)") { try PixelTable(contentsOf: name) }
    }
  }

  /// 10,000 files with a few random bytes in places that matter: each is rejected, or read within its bytes.
  @Test(.faults(.c17)) func randomBytesNeverLeadOutside() throws {
    let fixture = try TableFixture()
    let ids = TableFixture.images.map(\.id)
    var random = SplitMix(seed: 10_000)
    var (opened, sums) = (0, 0)
    let special: [UInt8] = [0, 1, 0x40, 0x7F, 0x80, 0xFF]
    let count = isSoak ? 10_000 : 1_000
    for _ in 0..<count {
      var bytes = fixture.bytes
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: 8..<64 + 9 * 24, using: &random)
        for offset in 0..<Int.random(in: 1...8, using: &random) where place + offset < bytes.count {
          bytes[place + offset] =
            Bool.random(using: &random)
            ? special.randomElement(using: &random) ?? 0 : .random(in: 0...255, using: &random)
        }
      }
      guard let table = try? PixelTable(contentsOf: write(bytes)) else { continue }
      opened += 1
      sums += sum(table, ids)
    }
    #expect(opened > 0 && opened < count / 2 && sums > 0)
  }

  /// Numbers whose sums and products overflow.
  @Test(.faults(.c17)) func extremeNumbersAreRejected() throws {
    let fixture = try TableFixture()
    for (place, count) in [(16, 4), (20, 4), (24, 4), (28, 4), (32, 8), (40, 8), (48, 8), (56, 8)] {
      for fill: UInt8 in [0, 0x7F, 0x80, 0xFF] {
        var bytes = fixture.bytes
        for offset in 0..<count { bytes[place + offset] = fill }
        let file = try write(bytes)
        #expect(throws: TableError.self, "\(place) \(fill)") { try PixelTable(contentsOf: file) }
      }
    }
  }

  @Test(.faults(.c18)) func aMappedTableOutlivesItsReplacement() throws {
    let file = try write(try TableFixture().bytes)
    let table = try PixelTable(contentsOf: file)
    // The mapping needs no open file.
    let manager = FileManager.default
    let open = try manager.contentsOfDirectory(atPath: "/proc/self/fd").filter {
      (try? manager.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == file.path
    }
    #expect(open == [])
    let ids = TableFixture.images.map(\.id)
    let before = sum(table, ids)
    let other = try write(Array(repeating: 0, count: 10), to: "other")
    #expect(rename(other.path, file.path) == 0)
    #expect(sum(table, ids) == before)
    try FileManager.default.removeItem(at: file)
    #expect(sum(table, ids) == before)
  }

  // MARK: Splitting

  private func split(_ hashes: [[UInt8]]) async -> [String: [[UInt8]]] {
    let files = await TablePrefix.split { prefix in
      let found = hashes.filter { prefix.contains($0) }
      return found.isEmpty ? nil : found
    } fits: {
      $0.count <= TableGeometry.maximumCount
    }
    #expect(files.map(\.prefix.description) == files.map(\.prefix.description).sorted())
    return Dictionary(uniqueKeysWithValues: files.map { ($0.prefix.description, $0.content) })
  }

  /// One more id changes one file: none of the others has another prefix or another content.
  @Test func aNewImageChangesOneFile() async {
    let hashes = (0..<9_000).map { TableHash.of("image \($0)") }
    let before = await split(hashes)
    #expect(before.count >= 8 && before.values.reduce(0) { $0 + $1.count } == 9_000)
    #expect(before.values.allSatisfy { $0.count <= 2_000 })
    for id in ["new", "another", "a third"] {
      let after = await split(hashes + [TableHash.of(id)])
      #expect(after.filter { before[$0.key] != $0.value }.count == 1)
    }
    let small = await split(Array(hashes.prefix(2_000)))
    #expect(Array(small.keys) == [""])
    let halves = await split(Array(hashes.prefix(2_001)))
    #expect(halves.keys.sorted() == ["0", "1"])
  }

  @Test func aPrefixIsARangeOfHashes() {
    #expect(TablePrefix.all.range.lowerBound == String(repeating: "0", count: 32))
    #expect(TablePrefix.all.range.upperBound == String(repeating: "f", count: 32))
    let third = TablePrefix.all.halves[1].halves[0].halves[1]
    #expect(third.description == "101")
    #expect(third.range.lowerBound == "a" + String(repeating: "0", count: 31))
    #expect(third.range.upperBound == "b" + String(repeating: "f", count: 31))
  }

  // MARK: The tables of a catalog

  private func catalog(_ file: CatalogTable.File) -> Catalog {
    var catalog = Catalog(
      generator: .init(name: "", version: "", libvips: ""),
      pipeline: .init(name: "", fingerprint: ""), baseURL: nil, formats: [], slots: [:],
      scales: [1, 2], images: [])
    catalog.tables = ["avatar": [CatalogTable(scale: 2, pixels: "bgra8", files: [file])]]
    return catalog
  }

  @Test(.faults(.c18)) func missingAndDamagedTablesAreNotErrors() throws {
    let fixture = try TableFixture()
    let digest = SHA256.of(fixture.bytes)
    let path = "tables/\(digest.prefix(2))/\(digest.prefix(32))-11x12.bgra8"
    var file = CatalogTable.File(
      path: path, prefix: "", width: 11, height: 12, count: 9, bytes: fixture.bytes.count,
      sha256: digest)
    let id = TableFixture.images[4].id
    let tables = CatalogTables(catalog(file), in: folder.url)
    func isDrawn(_ tables: CatalogTables, _ id: String, _ slot: String = "avatar") -> Bool {
      tables.withPixels(of: id, slot: slot, scale: 1.5) { $0.width == 7 } ?? false
    }
    #expect(!isDrawn(tables, id))
    try FileManager.default.createDirectory(
      at: folder.url.appending(path: path).deletingLastPathComponent(),
      withIntermediateDirectories: true)
    _ = try write(fixture.bytes, to: path)
    // It was missing when it was first needed, and is not looked for with each image.
    #expect(!isDrawn(tables, id))
    tables.reset()
    #expect(isDrawn(tables, id))
    #expect(!isDrawn(tables, "another") && !isDrawn(tables, id, "card"))
    #expect(tables.withPixels(of: id, slot: "avatar", scale: 2, as: .rgba8) { _ in } == nil)
    file.prefix = TablePrefix.matches("0", TableHash.of(id)) ? "1" : "0"
    #expect(!isDrawn(CatalogTables(catalog(file), in: folder.url), id))
    file.prefix = ""
    file.count = 8
    #expect(!isDrawn(CatalogTables(catalog(file), in: folder.url), id))
    (file.count, file.path) = (9, "../\(path)")
    #expect(!isDrawn(CatalogTables(catalog(file), in: folder.url), id))
  }

  @Test(arguments: [
    "variants/3f/3f9c", "tables/3f/3f9c-64x64.bgra8", "../tables/aa/x", "tables/aa/../../x",
    "tables/ab/\(String(repeating: "a", count: 32))-1x1.bgra8",
    "tables/aa/\(String(repeating: "a", count: 32))-1x.bgra8",
    "tables/aa/\(String(repeating: "a", count: 32))-1x1",
    "tables/aa/\(String(repeating: "a", count: 32))-1x1.a/b",
  ])
  func pathsLeadNowhereElse(_ path: String) throws {
    #expect(!CatalogTable.isPath(path))
    let head =
      #"{"schema":"tessera-catalog/1","generator":{"name":"","version":"","libvips":""},"#
      + #""pipeline":{"name":"","fingerprint":""},"formats":[],"slots":{},"scales":[1],"tables":{"avatar":[{"scale":1,"#
      + #""pixels":"bgra8","files":[{"path":"\#(path)","prefix":"","width":1,"height":1,"count":1,"#
      + #""bytes":1,"sha256":""}]}]}"#
    let error = #expect(throws: CatalogError.self) {
      try Catalog(reading: CatalogFixture.document([], head: head))
    }
    #expect(error?.member == "tables.avatar", "\(error as Any)")
  }

  @Test func tablesAreReadAndWritten() throws {
    let name = "tables/aa/\(String(repeating: "a", count: 32))"
    let table =
      #"{"scale":2,"pixels":"later9","files":[{"path":"\#(name)-64x64.later9","prefix":"01","width":64,"height":64,"#
      + #""count":3,"bytes":9,"sha256":"d","index":"\#(name).json","more":1}]}"#
    let head =
      #"{"schema":"tessera-catalog/1","generator":{"name":"","version":"","libvips":""},"#
      + #""pipeline":{"name":"","fingerprint":""},"formats":[],"slots":{},"scales":[1],"tables":{"avatar":[\#(table)]}"#
    let document = CatalogFixture.document([], head: head)
    let catalog = try Catalog(reading: document)
    let found = try #require(catalog.tables?["avatar"]?.first)
    #expect(found.pixels == "later9" && found.format == nil && found.files[0].prefix == "01")
    #expect(found.files[0].index == "\(name).json")
    let (written, stated) = CatalogFixture.document(catalog)
    #expect(try Catalog(reading: written) == stated && stated.tables == catalog.tables)
  }
}
