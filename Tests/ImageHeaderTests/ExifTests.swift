import Testing

@testable import TesseraImageHeader

/// The orientation in Exif (Exif 2.32; TIFF 6.0, section 2), read from a PNG's chunk, which holds
/// the block and nothing else.
@Suite struct ExifTests {
  private struct Entry {
    var tag = 0x0112
    var type = 3
    var count = 1
    /// Four bytes.
    var value: [UInt8]
  }

  /// A block of Exif: header, directory at `place`, and what follows it.
  private static func block(
    isLittle: Bool, _ entries: [Entry], count: Int? = nil, directory place: Int = 8,
    _ further: [UInt8] = []
  ) -> [UInt8] {
    func number(_ value: Int, _ size: Int) -> [UInt8] {
      isLittle ? le(value, size) : be(value, size)
    }
    let directory = entries.flatMap {
      joined(number($0.tag, 2), number($0.type, 2), number($0.count, 4), $0.value)
    }
    return joined(
      ascii(isLittle ? "II*\0" : "MM\0*"), number(place, 4), zeros(place - 8),
      number(count ?? entries.count, 2), directory, further)
  }

  /// The orientation that is read; nil if the image is upright.
  private static func orientation(_ block: [UInt8]) -> String? {
    let head = joined(be(7, 4), be(9, 4), [8, 2, 0, 0, 0])
    let png = joined(
      [0x89], ascii("PNG\r\n"), [0x1A, 0x0A], be(13, 4), ascii("IHDR"), head, zeros(4),
      // Behind the block, bytes that would make an orientation of one that is cut off.
      be(block.count, 4), ascii("eXIf"), block, [6, 6, 6, 6], zeros(4), ascii("IDAT"))
    let text = whole(png)
    #expect(text.hasPrefix("png 7x9@8"))
    return text.split(separator: " orientation ").dropFirst().first.map(String.init)
  }

  /// Each type has its size and its place in the four bytes of a value. Little-endian, then
  /// big-endian.
  @Test(
    arguments: [
      (1, 1, [6, 9, 9, 9], [6, 9, 9, 9]), (1, 4, [6, 9, 9, 9], [6, 9, 9, 9]),
      (2, 2, [0x36, 0, 9, 9], [0x36, 0, 9, 9]), (6, 1, [6, 9, 9, 9], [6, 9, 9, 9]),
      (3, 1, [6, 0, 9, 9], [0, 6, 9, 9]), (3, 2, [6, 0, 9, 0], [0, 6, 0, 9]),
      (8, 1, [6, 0, 9, 9], [0, 6, 9, 9]), (4, 1, [6, 0, 0, 0], [0, 0, 0, 6]),
      (9, 1, [6, 0, 0, 0], [0, 0, 0, 6]),
    ] as [(Int, Int, [UInt8], [UInt8])])
  func smallValuesAreInTheEntry(
    _ type: Int, _ count: Int, _ little: [UInt8], _ big: [UInt8]
  ) {
    for (isLittle, value) in [(true, little), (false, big)] {
      let entry = Entry(type: type, count: count, value: value)
      #expect(Self.orientation(Self.block(isLittle: isLittle, [entry])) == "6")
    }
  }

  /// The first number of a value of more than four bytes is where the entry points to.
  @Test(
    arguments: [
      (1, 5, [6, 9, 9, 9, 9], [6, 9, 9, 9, 9]), (2, 5, [0x36, 0, 0, 0, 0], [0x36, 0, 0, 0, 0]),
      (6, 5, [6, 9, 9, 9, 9], [6, 9, 9, 9, 9]), (3, 3, [6, 0, 9, 9, 9, 9], [0, 6, 9, 9, 9, 9]),
      (8, 3, [6, 0, 9, 9, 9, 9], [0, 6, 9, 9, 9, 9]), (4, 2, [6, 0, 0, 0], [0, 0, 0, 6]),
      (9, 2, [6, 0, 0, 0], [0, 0, 0, 6]),
      (5, 1, [13, 0, 0, 0, 2, 0, 0, 0], [0, 0, 0, 13, 0, 0, 0, 2]),
      (10, 1, [6, 0, 0, 0, 1, 0, 0, 0], [0, 0, 0, 6, 0, 0, 0, 1]),
    ] as [(Int, Int, [UInt8], [UInt8])])
  func largeValuesAreElsewhere(_ type: Int, _ count: Int, _ little: [UInt8], _ big: [UInt8]) {
    for (isLittle, value) in [(true, little), (false, big)] {
      let place = 26
      let entry = Entry(type: type, count: count, value: isLittle ? le(place, 4) : be(place, 4))
      let block = Self.block(isLittle: isLittle, [entry], zeros(4) + value)
      #expect(Self.orientation(block) == "6")
    }
  }

  @Test func whatIsNoOrientationLeavesTheImageUpright() {
    func read(_ entry: Entry, _ further: [UInt8] = []) -> String? {
      Self.orientation(Self.block(isLittle: true, [entry], further))
    }
    for value in 0...255 {
      let expected = (2...8).contains(value) ? "\(value)" : nil
      #expect(read(Entry(value: le(value, 4))) == expected)
    }
    for type in [0, 7, 11, 12, 13, 16] { #expect(read(Entry(type: type, value: le(6, 4))) == nil) }
    #expect(read(Entry(count: 0, value: le(6, 4))) == nil)
    // A fraction with the denominator 0.
    #expect(read(Entry(type: 5, value: le(22, 4)), joined(le(6, 4), le(0, 4))) == nil)
    #expect(read(Entry(type: 5, value: le(22, 4)), joined(le(6, 4), le(1, 4))) == "6")
    // A digit as a number is another one.
    #expect(read(Entry(type: 1, value: [0x36, 0, 0, 0])) == nil)
    #expect(read(Entry(type: 2, value: [6, 0, 0, 0])) == nil)
  }

  /// Values that end with the block count; those that reach beyond it do not.
  @Test func onlyTheBlockCounts() {
    for (type, count, value) in [
      (1, 5, be(6, 1)), (3, 3, be(6, 2)), (4, 2, be(6, 4)), (5, 1, be(36 << 32 + 6, 8)),
    ] {
      let entry = Entry(type: type, count: count, value: be(26, 4))
      let block = Self.block(isLittle: false, [entry], zeros(4) + value)
      #expect(Self.orientation(block) == "6")
      #expect(Self.orientation(block.dropLast()) == nil, "type \(type)")
    }
    // An entry needs all its twelve bytes.
    let block = Self.block(isLittle: true, [Entry(value: le(6, 4))])
    #expect(block.count == 22 && Self.orientation(block) == "6")
    #expect(Self.orientation(block.dropLast()) == nil)
    let far = Self.block(isLittle: true, [Entry(value: le(6, 4))], directory: 100)
    #expect(Self.orientation(far) == "6")
    #expect(Self.orientation(Array(far[..<102])) == nil)
    #expect(Self.orientation(Array(far[..<101])) == nil)
  }

  @Test func theFirstEntryWithTheTagCounts() {
    let others = [0x010E, 0x0111, 0x1201, 0x0113].map { Entry(tag: $0, value: le(8, 4)) }
    let six = Entry(value: le(6, 4))
    let eight = Entry(value: le(8, 4))
    #expect(Self.orientation(Self.block(isLittle: true, others + [six, eight])) == "6")
    #expect(Self.orientation(Self.block(isLittle: true, others)) == nil)
    #expect(Self.orientation(Self.block(isLittle: true, others + [six], count: 4)) == nil)
    #expect(Self.orientation(Self.block(isLittle: true, others + [six], count: 5)) == "6")
    #expect(Self.orientation(Self.block(isLittle: true, [six], count: 0)) == nil)
    // More entries than the block has room for.
    #expect(Self.orientation(Self.block(isLittle: true, [six], count: 9)) == "6")
  }

  @Test func theBlockBeginsAsATIFFFile() {
    let block = Self.block(isLittle: true, [Entry(value: le(6, 4))])
    for (place, byte) in [(0, 0x4D), (1, 0x4D), (2, 0x2B), (3, 1)] as [(Int, UInt8)] {
      var damaged = block
      damaged[place] = byte
      #expect(Self.orientation(damaged) == nil, "byte \(place)")
    }
    // Numbers in the other order than the header says.
    var other = block
    other.replaceSubrange(0..<4, with: ascii("MM\0*"))
    #expect(Self.orientation(other) == nil)
  }

  /// A block of fewer than 14 bytes holds no directory, and none of it is requested.
  @Test(arguments: [13, 14])
  func aBlockTooShortIsNotRequested(_ count: Int) {
    let png = joined(
      [0x89], ascii("PNG\r\n"), [0x1A, 0x0A], be(13, 4), ascii("IHDR"), be(7, 4), be(9, 4),
      [8, 2, 0, 0, 0], zeros(4), be(8, 4), ascii("tEXt"), zeros(12),
      // At byte 53.
      be(count, 4), ascii("eXIf"), zeros(count), zeros(8), ascii("IDAT"))
    let list = requests(png)
    #expect(list.contains("61..<69") == (count == 14), "\(list)")
    #expect(list.last == "png 7x9@8")
  }
}
