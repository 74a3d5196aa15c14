import TesseraTestSupport
import Testing

@testable import TesseraTranscode

/// Exif 2.32, 4.6, and TIFF 6.0, section 2.
@Suite struct TIFFExifTests {
  private struct Entry {
    var tag, type: Int
    var count: Int
    var value: [UInt8]
  }

  /// Writes TIFF files in one byte order.
  private struct Writer {
    let isBig: Bool

    func number(_ number: Int, _ count: Int) -> [UInt8] {
      isBig ? big(number, count) : little(number, count)
    }

    var mark: [UInt8] { isBig ? [0x4D, 0x4D, 0, 42] : [0x49, 0x49, 42, 0] }

    /// A directory at an offset, and behind it the values that have no room in their rows.
    func directory(_ entries: [Entry], at offset: Int) -> [UInt8] {
      var (rows, values): ([UInt8], [UInt8]) = (number(entries.count, 2), [])
      let end = offset + 2 + 12 * entries.count + 4
      for entry in entries {
        rows += number(entry.tag, 2) + number(entry.type, 2) + number(entry.count, 4)
        let isShort = entry.value.count <= 4
        rows += isShort ? (entry.value + [0, 0, 0]).prefix(4) : number(end + values.count, 4)[...]
        if !isShort { values += entry.value + (entry.value.count % 2 == 1 ? [0] : []) }
      }
      return rows + [0, 0, 0, 0] + values
    }

    func pointer(_ tag: Int, _ offset: Int, type: Int = 4) -> Entry {
      Entry(tag: tag, type: type, count: 1, value: number(offset, 4))
    }

    /// A block: the image's directory, then Exif's, then that of the location.
    func block(_ own: [Entry], exif: [Entry] = [], gps: [Entry] = []) -> [UInt8] {
      let pointers = (exif.isEmpty ? 0 : 1) + (gps.isEmpty ? 0 : 1)
      let length = directory(own, at: 8).count + 12 * pointers
      let exifs = exif.isEmpty ? [] : directory(exif, at: 8 + length)
      let places = gps.isEmpty ? [] : directory(gps, at: 8 + length + exifs.count)
      var all = own
      if !exif.isEmpty { all.append(pointer(34665, 8 + length)) }
      if !gps.isEmpty { all.append(pointer(34853, 8 + length + exifs.count)) }
      all.sort { $0.tag < $1.tag }
      return mark + number(8, 4) + directory(all, at: 8) + exifs + places
    }

    /// A whole file: two bytes of pixels, the directories of Exif and of the location, the image's.
    func file(
      _ own: [Entry], exif: [Entry]? = nil, gps: [Entry]? = nil, pointerType: Int = 4
    ) -> [UInt8] {
      var (bytes, all): ([UInt8], [Entry]) = ([7, 7], own)
      for (tag, entries) in [(34665, exif), (34853, gps)] {
        guard let entries else { continue }
        all.append(pointer(tag, 8 + bytes.count, type: pointerType))
        bytes += directory(entries, at: 8 + bytes.count)
      }
      return mark + number(8 + bytes.count, 4) + bytes + directory(all, at: 8 + bytes.count)
    }
  }

  private func block(_ file: [UInt8]) -> [UInt8]? {
    TIFFExif.block { count, offset in Array(file.dropFirst(offset).prefix(count)) }
  }

  private static func text(_ tag: Int, _ text: String) -> Entry {
    Entry(tag: tag, type: 2, count: text.utf8.count, value: Array(text.utf8))
  }

  private let width = Entry(tag: 256, type: 3, count: 1, value: [0, 5])
  private let maker = text(271, "ACME\0")
  private let model = text(272, "M\0")
  private let exposure = Entry(tag: 33434, type: 5, count: 1, value: Array(1...8))
  private let version = Entry(tag: 36864, type: 7, count: 4, value: Array("0232".utf8))
  private let latitude = Entry(tag: 2, type: 5, count: 3, value: Array(1...24))
  private let copyright = text(33432, "(c) someone\0")

  @Test(arguments: [true, false]) func theBlockHasThreeDirectories(_ isBig: Bool) {
    let writer = Writer(isBig: isBig)
    let file = writer.file(
      [width, maker, model, copyright], exif: [exposure, version], gps: [latitude])
    #expect(
      block(file)
        == writer.block([maker, model, copyright], exif: [exposure, version], gps: [latitude]))
    #expect(block(writer.file([width], exif: [version])) == writer.block([], exif: [version]))
    #expect(block(writer.file([width], gps: [latitude])) == writer.block([], gps: [latitude]))
    #expect(block(writer.file([maker])) == writer.block([maker]))
    #expect(block(writer.file([width], exif: [], gps: [])) == nil)
    #expect(
      block(writer.file([], gps: [version], pointerType: 13))
        == writer.block([], gps: [version]))
    // A number of two bytes is not an offset.
    #expect(block(writer.file([], gps: [version], pointerType: 3)) == nil)
  }

  @Test func onlyWhatDescribesTheImageIsTaken() {
    let writer = Writer(isBig: true)
    let own = [
      270, 271, 272, 305, 306, 315, 316, 33432, 40091, 40092, 40093, 40094, 40095,
    ].map { Self.text($0, "a") }
    let others = [
      254, 269, 273, 274, 304, 307, 314, 317, 700, 33431, 33433, 33723, 34377, 34675, 40090, 40096,
    ].map { Self.text($0, "b") }
    let all = (own + others).sorted { $0.tag < $1.tag }
    #expect(block(writer.file(all)) == writer.block(own))
    // The maker's note and the pointer to the directory of interoperability.
    let exif = [37499, 37500, 37501, 40964, 40965, 40966].map { Self.text($0, "c") }
    let kept = exif.filter { ![37500, 40965].contains($0.tag) }
    #expect(block(writer.file([], exif: exif)) == writer.block([], exif: kept))
    #expect(block(writer.file([], gps: exif)) == writer.block([], gps: exif))
  }

  /// The size of one value, by type.
  @Test(arguments: zip(0...14, [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0]))
  func aTypeHasASize(_ type: Int, _ size: Int) {
    let writer = Writer(isBig: false)
    for count in 0...3 {
      let length = size * count
      let entry = Entry(tag: 271, type: type, count: count, value: Array((1...30).prefix(length)))
      let made = block(writer.file([entry]))
      #expect(made == (length == 0 ? nil : writer.block([entry])), "\(count)")
    }
  }

  @Test func incompleteValuesAreLeftOut() {
    let writer = Writer(isBig: false)
    let file = writer.file([model, maker])
    #expect(block(file) == writer.block([model, maker]))
    // The last value has five bytes and one more to an even length.
    #expect(block(Array(file.dropLast())) == writer.block([model, maker]))
    #expect(block(Array(file.dropLast(2))) == writer.block([model]))
    // Within the second row, which ends before the offset of the next directory.
    #expect(block(Array(file.dropLast(10))) == writer.block([model]))
    #expect(block(Array(file.dropLast(11))) == writer.block([model]))
    #expect(block(Array(file.dropLast(23))) == nil)
  }

  @Test func otherFilesHaveNoBlock() {
    let file = Writer(isBig: false).file([maker])
    #expect(block(file) != nil)
    for count in 0..<8 { #expect(block(Array(file.prefix(count))) == nil) }
    for (place, value) in [(0, 0x4D), (2, 43), (3, 1)] {
      var other = file
      other[place] = UInt8(value)
      #expect(block(other) == nil)
    }
    #expect(block([0x4D, 0x4D, 42, 0] + file.dropFirst(4)) == nil)
  }

  /// Each entry counts with its row.
  @Test func aBlockHasAMostLength() {
    let writer = Writer(isBig: true)
    func text(_ tag: Int, _ count: Int) -> Entry {
      Entry(tag: tag, type: 2, count: count, value: [UInt8](repeating: 5, count: count))
    }
    expectMost(60_000 - 12) { block(writer.file([text(271, $0)])) != nil }
    // What does not fit is left out, and what follows it is not.
    let (long, short) = (text(270, 30_000), text(305, 4))
    expectMost(60_000 - 30_012 - 12) { count in
      let made = block(writer.file([long, text(271, count), short]))
      return made == writer.block([long, text(271, count)])
        || made == writer.block([long, text(271, count), short])
    }
    #expect(
      block(writer.file([long, text(271, 30_000), short])) == writer.block([long, short]))
    // All directories share one budget.
    #expect(
      block(writer.file([long], exif: [text(1, 30_000), short]))
        == writer.block([long], exif: [short]))
  }

  @Test func aDirectoryHasAMostNumberOfEntries() {
    let writer = Writer(isBig: true)
    let entries = (1...501).map { Self.text($0, "a") }
    #expect(
      block(writer.file([], gps: entries)) == writer.block([], gps: Array(entries.prefix(500))))
  }
}
