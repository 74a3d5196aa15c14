import TesseraTestSupport
import Testing

@testable import TesseraCatalog

/// The format of tables, by `Pipelines/CATALOG.md`.
@Suite struct TableFormatTests {
  private static func number(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  private static func bytes(
    _ pixels: Int, _ width: Int, _ height: Int, row: Int, count: Int, entry: Int, offset: Int,
    file: Int
  ) -> [UInt8] {
    let short = [1, pixels, 1, 0].flatMap { number($0, 2) }
    let sides = [width, height, row, count].flatMap { number($0, 4) }
    return [0x89, 0x54, 0x53, 0x50, 0x0D, 0x0A, 0x1A, 0x0A] + short + sides
      + [entry, 64, offset, file].flatMap { number($0, 8) }
  }

  private static func error(_ bytes: [UInt8], fileSize: Int) -> String {
    do {
      _ = try TableHeader(bytes, fileSize: fileSize)
      return "read"
    } catch {
      return "\(error)"
    }
  }

  @Test func headersOfEachFormat() throws {
    for (pixels, code, row) in [
      (TablePixels.bgra8, 1, 64), (.rgba8, 2, 64), (.rgb565, 3, 64), (.grey8, 4, 64),
    ] {
      let geometry = try #require(TableGeometry(pixels, width: 16, height: 5))
      let header = geometry.header(count: 3)
      let expected = Self.bytes(
        code, 16, 5, row: row, count: 3, entry: 320, offset: 16_384, file: 17_344)
      #expect(header.bytes == expected && expected.count == TableHeader.size)
      #expect(try TableHeader(expected, fileSize: 17_344) == header && header.index == 64..<136)
      #expect(TablePixels(code: code) == pixels && TablePixels(rawValue: "\(pixels)") == pixels)
    }
    #expect(
      TablePixels(code: 0) == nil && TablePixels(code: 5) == nil && TablePixels.webp.code == nil)
    #expect(TablePixels.allCases.map(\.bytesPerPixel) == [4, 4, 2, 1, nil])
  }

  /// Rows begin at multiples of 64 bytes, and pixels at multiples of 16,384.
  @Test func geometry() throws {
    for (pixels, width, row) in [
      (TablePixels.bgra8, 16, 64), (.bgra8, 17, 128), (.rgb565, 32, 64), (.rgb565, 33, 128),
      (.grey8, 64, 64), (.grey8, 65, 128), (.grey8, 1, 64), (.rgba8, 1_024, 4_096),
    ] {
      let geometry = try #require(TableGeometry(pixels, width: width, height: 3))
      #expect([geometry.rowBytes, geometry.entryBytes] == [row, 3 * row])
      #expect([geometry.width, geometry.height] == [width, 3] && geometry.pixels == pixels)
    }
    let geometry = try #require(TableGeometry(.grey8, width: 1, height: 1))
    // Header and index of 680 entries fill 16,384 bytes.
    #expect(geometry.header(count: 680).pixelOffset == 16_384)
    #expect(geometry.header(count: 681).pixelOffset == 32_768)
    #expect(geometry.header(count: 681).fileBytes == 32_768 + 681 * 64)
    expectMost(1_024) { TableGeometry(.grey8, width: $0, height: 1) != nil }
    expectMost(1_024) { TableGeometry(.grey8, width: 1, height: $0) != nil }
    expectLeast(1) { TableGeometry(.grey8, width: $0, height: 1) != nil }
    expectLeast(1) { TableGeometry(.grey8, width: 1, height: $0) != nil }
    #expect(TableGeometry(.webp, width: 1, height: 1) == nil)
    #expect(TableGeometry.longestSide == 1_024 && TableGeometry.maximumCount == 2_000)
  }

  @Test func headersAreConsistent() {
    let good = Self.bytes(1, 16, 5, row: 64, count: 3, entry: 320, offset: 16_384, file: 17_344)
    func error(_ place: Int, _ value: Int, _ count: Int) -> String {
      var bytes = good
      bytes.replaceSubrange(place..<place + count, with: Self.number(value, count))
      return Self.error(bytes, fileSize: 17_344)
    }
    #expect(Self.error(good, fileSize: 17_344) == "read")
    #expect(Self.error(Array(good.dropLast()), fileSize: 63) == "the file is cut off in its header")
    for place in 0..<8 { #expect(error(place, 0, 1) == "not a table of pixels") }
    #expect(error(8, 2, 2) == "version 2 of the format; this program reads version 1")
    #expect(error(10, 5, 2) == "unknown pixel format 5")
    let colours = "unknown colour space, or reserved bytes that are not zero"
    #expect(error(12, 2, 2) == colours && error(14, 1, 2) == colours)
    #expect(error(40, 65, 8) == "the index does not follow the header")
    #expect(error(16, 0, 4) == "impossible size 0 x 5 of a cell")
    #expect(error(20, 65_536, 4) == "impossible size 16 x 65536 of a cell")
    #expect(error(16, 65_536, 4) == "impossible size 65536 x 5 of a cell")
    let lengths = "impossible lengths of rows or entries"
    for row in [0, 32, 96, 128] { #expect(error(24, row, 4) == lengths, "\(row)") }
    for entry in [0, 256, 319, 321, 352] { #expect(error(32, entry, 8) == lengths, "\(entry)") }
    #expect(error(16, 17, 4) == lengths && error(20, 6, 4) == lengths)
    let entries = "impossible number or place of entries"
    for count in [0, 2, 4] { #expect(error(28, count, 4) == entries, "\(count)") }
    for offset in [0, 8_192, 16_385, 32_768] {
      #expect(error(48, offset, 8) == entries, "\(offset)")
    }
    #expect(error(56, 17_345, 8) == entries && error(32, 384, 8) == entries)
    #expect(
      Self.error(good, fileSize: 17_345) == "the file has 17345 bytes, and its header states 17344")
    // Room that nothing needs is accepted: longer entries, a later place.
    let roomy = Self.bytes(1, 16, 5, row: 128, count: 2, entry: 704, offset: 32_768, file: 34_176)
    #expect(Self.error(roomy, fileSize: 34_176) == "read")
    // An index that reaches beyond the beginning of the pixels.
    for (count, isRead) in [(680, true), (681, false)] {
      let bytes = Self.bytes(
        4, 1, 1, row: 64, count: count, entry: 64, offset: 16_384, file: 16_384 + count * 64)
      #expect(Self.error(bytes, fileSize: 16_384 + count * 64) == (isRead ? "read" : entries))
    }
  }

  private static func entry(_ first: UInt8, _ width: Int, _ height: Int) -> TableIndex.Entry {
    .init(hash: [first] + [UInt8](repeating: 7, count: 15), width: width, height: height)
  }

  @Test func indexes() throws {
    let geometry = try #require(TableGeometry(.grey8, width: 300, height: 400))
    let entries = [(1, 300, 1), (5, 1, 400), (9, 258, 259)].map { Self.entry($0.0, $0.1, $0.2) }
    let bytes = TableIndex.bytes(entries)
    let sevens = [UInt8](repeating: 7, count: 15)
    #expect(
      bytes == [1] + sevens + [0x2C, 1, 1, 0, 0, 0, 0, 0] + [5] + sevens + [
        1, 0, 0x90, 1, 0, 0, 0, 0,
      ]
        + [9] + sevens + [2, 1, 3, 1, 0, 0, 0, 0])
    let header = geometry.header(count: 3)
    #expect(try TableIndex.entries(bytes, header) == entries)
    for (place, entry) in entries.enumerated() {
      #expect(TableIndex.place(of: entry.hash, in: entries) == place)
    }
    for first: UInt8 in [0, 2, 6, 10] {
      #expect(TableIndex.place(of: Self.entry(first, 1, 1).hash, in: entries) == nil)
    }
    #expect(TableIndex.place(of: entries[0].hash, in: []) == nil)
    func error(_ entries: [TableIndex.Entry], _ header: TableHeader) -> String {
      do {
        _ = try TableIndex.entries(TableIndex.bytes(entries), header)
        return "read"
      } catch {
        return "\(error)"
      }
    }
    #expect(error(Array(entries.prefix(2)), header) == "the file is cut off in its index")
    let ascending = "the index is not in ascending order"
    #expect(error([entries[0], entries[0], entries[2]], header) == ascending)
    #expect(error([entries[1], entries[0], entries[2]], header) == ascending)
    for (width, height) in [(0, 1), (301, 1), (1, 0), (1, 401)] {
      let damaged = "an entry of the index is larger than its cell, or damaged"
      #expect(error([Self.entry(1, width, height)], geometry.header(count: 1)) == damaged)
    }
  }

  // MARK: Prefixes

  @Test func prefixesAreLeadingBits() {
    // 1010 0101, 0000 1111
    let hash: [UInt8] = [0xA5, 0x0F]
    let bits = "1010010100001111"
    for count in 0...16 {
      let prefix = String(bits.prefix(count))
      #expect(TablePrefix.matches(prefix, hash))
      guard count > 0 else { continue }
      let other = prefix.dropLast() + (prefix.last == "1" ? "0" : "1")
      #expect(!TablePrefix.matches(String(other), hash))
    }
    #expect(!TablePrefix.matches("\(bits)0", hash) && TablePrefix.matches("", []))
    let table = CatalogTable(
      scale: 1, pixels: "grey8",
      files: ["00", "01", "1"].map {
        .init(path: $0, prefix: $0, width: 1, height: 1, count: 1, bytes: 1, sha256: "")
      })
    #expect([0x3F, 0x7F, 0xFF].map { table.file(of: [$0])?.path } == ["00", "01", "1"])
    #expect(CatalogTable(scale: 1, pixels: "x", files: []).file(of: hash) == nil)
  }

  /// Buckets that are too full are split, down to the last bit; empty ones get no file.
  @Test func bucketsAreSplit() async {
    let hashes: [[UInt8]] = [[0x00], [0x20], [0x30], [0xE0]].map {
      $0 + [UInt8](repeating: 0, count: 15)
    }
    let files = await TablePrefix.split { prefix in
      let found = hashes.filter { prefix.contains($0) }
      return found.isEmpty ? nil : found.count
    } fits: {
      $0 <= 1
    }
    #expect(files.map(\.prefix.description) == ["000", "0010", "0011", "1"])
    #expect(files.map(\.content) == [1, 1, 1, 1])
    let equal = await TablePrefix.split { prefix in
      prefix.contains(hashes[0]) ? 2 : nil
    } fits: {
      $0 <= 1
    }
    #expect(equal.map(\.prefix.description) == [String(repeating: "0", count: 128)])
  }
}
