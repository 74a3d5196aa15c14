import Testing

@testable import TesseraTranscode

@Suite struct BoxTests {
  @Test func aBoxBeginsWithItsLength() {
    #expect(Box(name: "abcd", body: [7, 8]).bytes == [0, 0, 0, 10, 97, 98, 99, 100, 7, 8])
    let long = Box(name: "long", body: [UInt8](repeating: 5, count: 70_000)).bytes
    #expect(Array(long[..<8]) == [0, 1, 0x11, 0x78] + Array("long".utf8))
    #expect(long.count == 70_008)
  }

  private func names(_ bytes: [UInt8]) -> [String]? { Box.list(bytes[...])?.map(\.name) }

  @Test func boxesAreReadOneAfterTheOther() throws {
    let bytes = box("abcd", [1, 2, 3]) + box("efgh", []) + box("ijkl", Array(0..<255) + [1])
    // Also in the middle of other bytes.
    let boxes = try #require(Box.list(([9, 9, 9] + bytes + [9])[3..<3 + bytes.count]))
    #expect(boxes.map(\.name) == ["abcd", "efgh", "ijkl"])
    #expect(boxes.map(\.body) == [[1, 2, 3], [], Array(0..<255) + [1]])
    #expect(names([]) == [])
  }

  @Test func aLengthOfZeroReachesToTheEnd() throws {
    let bytes = box("abcd", [1]) + [0, 0, 0, 0] + Array("rest".utf8) + [7, 8, 9]
    let last = try #require(Box.list(bytes[...])?.last)
    #expect(last.name == "rest" && last.body == [7, 8, 9])
  }

  @Test func incompleteBoxesAreRejected() {
    let whole = box("abcd", [1, 2, 3])
    #expect(names(whole) == ["abcd"])
    #expect(names(whole.dropLast()) == nil)
    #expect(names(whole + [0]) == nil)
    #expect(names([0, 0, 0, 7] + Array("abcd".utf8)) == nil)
    #expect(names([0, 0, 0, 8] + Array("abcd".utf8)) == ["abcd"])
    #expect(names([0, 0, 0, 9] + Array("abcd".utf8)) == nil)
    #expect(names([0, 0, 0, 8, 97, 98, 99]) == nil)
  }
}

/// ISO/IEC 14496-12, 8.11.3.
@Suite struct ItemLocationsTests {
  /// A row: the id, the base offset, the extent's offset and length.
  private func table(_ rows: [(Int, Int, Int, Int)]) -> [UInt8] {
    var bytes: [UInt8] = [0, 0, 0, 0, 0x44, 0x40] + big(rows.count, 2)
    for (id, base, offset, length) in rows {
      bytes += big(id, 2) + [0, 3] + big(base, 4)
      bytes += [0, 1] + big(offset, 4) + big(length, 4)
    }
    return bytes
  }

  private func read(_ body: [UInt8]) -> ItemLocations? {
    ItemLocations(Box(name: "iloc", body: body))
  }

  @Test func theWholeOffsetIsWrittenAsTheBase() throws {
    let items = try #require(
      read(table([(1, 70_000, 0, 20), (0x102, 0, 80_000, 0x1_0203), (3, 5, 7, 1)])))
    let expected = table([(1, 70_000, 0, 20), (0x102, 80_000, 0, 0x1_0203), (3, 12, 0, 1)])
    #expect(items.box.name == "iloc" && items.box.body == expected)
    #expect(read(table([]))?.box.body == table([]))
  }

  @Test func anItemIsRemovedAndTheOthersMove() throws {
    var items = try #require(
      read(table([(1, 100, 0, 20), (0x102, 120, 10, 50), (2, 179, 0, 4), (3, 180, 0, 1)])))
    #expect(items.remove(4) == nil)
    #expect(items.remove(0x102) == 130..<180)
    #expect(items.remove(0x102) == nil)
    items.close(130..<180)
    #expect(items.box.body == table([(1, 100, 0, 20), (2, 179, 0, 4), (3, 130, 0, 1)]))
    items.shift(by: -30)
    #expect(items.box.body == table([(1, 70, 0, 20), (2, 149, 0, 4), (3, 100, 0, 1)]))
  }

  @Test func otherStructuresAreRejected() {
    let whole = table([(1, 100, 0, 20), (2, 120, 0, 20)])
    func changed(_ place: Int, _ value: UInt8) -> [UInt8] {
      var bytes = whole
      bytes[place] = value
      return bytes
    }
    #expect(read(whole) != nil)
    #expect(read(Array(whole.dropLast())) == nil)
    #expect(read(whole + [0]) == nil)
    #expect(read([0, 0, 0, 0, 0x44, 0x40, 0]) == nil)
    // The version, the lengths of the numbers, the count, the number of extents.
    for (place, value) in [(0, 1), (4, 0x45), (5, 0x44), (6, 1), (7, 1), (16, 1), (17, 2), (35, 0)]
    {
      #expect(read(changed(place, UInt8(value))) == nil, "byte \(place)")
    }
  }
}

@Suite struct JXLFileTests {
  private let codestream: [UInt8] = [0xFF, 0x0A, 1, 2, 3]
  private let beginning =
    box("JXL ", [0x0D, 0x0A, 0x87, 0x0A]) + box("ftyp", Array("jxl \0\0\0\0jxl ".utf8))

  private func file(_ bytes: [UInt8], _ exif: [UInt8]?, _ xmp: [UInt8]?) -> [UInt8]? {
    JXLContainer.file(bytes, exif: exif, xmp: xmp)
  }

  @Test func aCodestreamGetsBoxesForMetadataOnly() {
    #expect(file(codestream, nil, nil) == codestream)
    let image = beginning + box("jxlc", codestream)
    #expect(file(codestream, [9, 8], nil) == image + box("Exif", [0, 0, 0, 0, 9, 8]))
    #expect(file(codestream, nil, [60, 62]) == image + box("xml ", [60, 62]))
    #expect(
      file(codestream, [9], [60])
        == image + box("Exif", [0, 0, 0, 0, 9]) + box("xml ", [60]))
  }

  @Test func metadataOfAFileIsReplaced() {
    let image = beginning + box("jxlp", [0, 0, 0, 0, 5]) + box("jxlp", [0x80, 0, 0, 1, 6])
    let others = box("Exif", [1]) + box("xml ", [2]) + box("brob", [3])
    #expect(file(others + image + others, nil, nil) == image)
    #expect(file(image + others, nil, [4]) == image + box("xml ", [4]))
    #expect(file(Array((image + others).dropLast()), nil, nil) == nil)
  }
}
