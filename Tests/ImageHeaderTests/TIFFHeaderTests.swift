import TesseraTestSupport
import Testing

@testable import TesseraImageHeader

/// By the specification (TIFF 6.0, sections 2 and 8) and that of BigTIFF, in both byte orders.
@Suite struct TIFFHeaderTests {
  enum Form: CaseIterable {
    case little, big, littleBigTIFF, bigBigTIFF

    var isLittle: Bool { self == .little || self == .littleBigTIFF }
    var isBigTIFF: Bool { self == .littleBigTIFF || self == .bigBigTIFF }
    /// The length of offsets.
    var wide: Int { isBigTIFF ? 8 : 4 }

    func number(_ value: Int, _ size: Int) -> [UInt8] {
      isLittle ? le(value, size) : be(value, size)
    }

    /// An entry whose value is small enough for it, or an offset.
    func entry(_ tag: Int, _ type: Int = 3, count: Int = 1, _ value: [UInt8]) -> [UInt8] {
      joined(
        number(tag, 2), number(type, 2), number(count, wide), value, zeros(wide - value.count))
    }

    func short(_ tag: Int, _ value: Int) -> [UInt8] { entry(tag, 3, number(value, 2)) }

    /// A file with one directory, and what follows the directory.
    func file(
      _ entries: [[UInt8]], count: Int? = nil, directory: Int? = nil, _ further: [UInt8] = []
    ) -> [UInt8] {
      let start = isBigTIFF ? 16 : 8
      let head = joined(
        ascii(isLittle ? "II" : "MM"), number(isBigTIFF ? 43 : 42, 2),
        isBigTIFF ? joined(number(8, 2), zeros(2)) : [], number(directory ?? start, wide))
      return joined(
        head, zeros(max(0, (directory ?? start) - start)),
        number(count ?? entries.count, isBigTIFF ? 8 : 2), entries.flatMap(\.self), further)
    }

    /// Where what follows a directory begins.
    func end(_ entries: Int) -> Int {
      isBigTIFF ? 16 + 8 + 20 * entries : 8 + 2 + 12 * entries
    }

    var sides: [[UInt8]] { [short(256, 0x0102), short(257, 0x0304)] }
  }

  @Test(arguments: Form.allCases) func sidesOfEachType(_ form: Form) {
    let types = [
      (1, 1, 7), (3, 2, 0x0102), (4, 4, 0x0102_0304), (6, 1, 7), (8, 2, 0x0102), (9, 4, 9),
    ]
    for (type, size, side) in types {
      let file = form.file([
        form.entry(256, type, form.number(side, size)), form.entry(257, type, form.number(5, size)),
      ])
      #expect(whole(file) == "tiff \(side)x5@1")
    }
    // LONG8 fits in an entry of BigTIFF only.
    let long = form.number(form.isBigTIFF ? 0x0102 : form.end(2), form.wide)
    let file = form.file([form.entry(256, 16, long), form.short(257, 5)], form.number(0x0102, 8))
    #expect(whole(file) == "tiff 258x5@1")
    for type in [0, 2, 5, 7, 12] {
      #expect(
        whole(form.file([form.entry(256, type, [7])]))
          == "malformed: a TIFF image, but an entry of its directory has the type \(type)")
    }
  }

  @Test(arguments: Form.allCases) func allFields(_ form: Form) {
    func read(_ entries: [UInt8]...) -> String { whole(form.file(form.sides + entries)) }
    #expect(read() == "tiff 258x772@1")
    #expect(read(form.short(258, 16)) == "tiff 258x772@16")
    #expect(read(form.short(34_675, 0)) == "tiff 258x772@1 profile")
    for (value, suffix) in [(0, ""), (1, " alpha"), (2, " alpha")] {
      #expect(read(form.short(338, value)) == "tiff 258x772@1\(suffix)")
    }
    for value in 0...10 {
      let suffix = (2...8).contains(value) ? " orientation \(value)" : ""
      #expect(read(form.short(274, value)) == "tiff 258x772@1\(suffix)")
    }
    // A damaged orientation does not make the image malformed.
    #expect(read(form.entry(274, 3, count: 2, form.number(6, 2))) == "tiff 258x772@1")
    #expect(read(form.entry(274, 3, count: 0, form.number(6, 2))) == "tiff 258x772@1")
    #expect(read(form.entry(274, 2, form.number(6, 2))) == "tiff 258x772@1")
    #expect(read(form.entry(274, 4, form.number(6, 4))) == "tiff 258x772@1 orientation 6")
    // Tags that no reader uses, of a type that none knows.
    #expect(read(form.entry(305, 2, count: 9, form.number(9, 4))) == "tiff 258x772@1")
    // Of a duplicate the first counts.
    #expect(read(form.short(256, 9), form.short(257, 9)) == "tiff 258x772@1")
    #expect(read(form.short(258, 8), form.short(258, 16)) == "tiff 258x772@8")
    #expect(whole(form.file([form.short(257, 7)])) == "malformed: a TIFF image of 0 x 7 pixels")
    #expect(whole(form.file([form.short(256, 7)])) == "malformed: a TIFF image of 7 x 0 pixels")
  }

  @Test(arguments: Form.allCases) func bitsHaveALimit(_ form: Form) {
    func reading(_ bits: Int) -> String { whole(form.file(form.sides + [form.short(258, bits)])) }
    expectMost(128) { reading($0) == "tiff 258x772@\($0)" }
    expectLeast(1) { reading($0) == "tiff 258x772@\($0)" }
    #expect(reading(129) == "malformed: a TIFF image with 129 bits per channel")
  }

  /// Values that are larger than the field for them are where it points to.
  @Test(arguments: Form.allCases) func largeValuesAreElsewhere(_ form: Form) {
    let most = form.wide / 2
    for count in 1...5 {
      let values = joined(form.number(16, 2), (1..<5).flatMap { _ in form.number(7, 2) })
      let place =
        count > most ? form.number(form.end(3), form.wide) : Array(values.prefix(2 * count))
      let file = form.file(form.sides + [form.entry(258, 3, count: count, place)], values)
      #expect(whole(file) == "tiff 258x772@16", "\(count)")
    }
    let empty = form.file([form.entry(256, 3, count: 0, [1])])
    #expect(
      whole(empty) == "malformed: a TIFF image, but an entry of its directory has 0 values")
    expectMost(4_096) { count in
      let place = form.number(form.end(3), form.wide)
      let file = form.file(
        form.sides + [form.entry(258, 3, count: count, place)], form.number(8, 2))
      return whole(file) == "tiff 258x772@8"
    }
  }

  @Test(arguments: Form.allCases) func directoriesAreAnywhere(_ form: Form) {
    #expect(whole(form.file(form.sides, directory: 1_000)) == "tiff 258x772@1")
    for place in [0, 7] {
      let file = joined(
        Array(form.file([]).prefix(form.isBigTIFF ? 8 : 4)), form.number(place, form.wide),
        zeros(40))
      #expect(
        whole(file) == "malformed: a TIFF image, but its directory begins at byte \(place)")
    }
    #expect(
      whole(joined(form.file([]), zeros(30)))
        == "malformed: a TIFF image, but its directory has 0 entries")
    // Only as many entries as it states.
    let entries = form.sides + [form.short(258, 8)]
    #expect(whole(form.file(entries, count: 2)) == "tiff 258x772@1")
    #expect(whole(form.file(entries, count: 3)) == "tiff 258x772@8")
    #expect(whole(form.file(entries, count: 4)).hasPrefix("truncated: "))
    expectMost(4_096) { count in
      let others = (0..<count - 2).map { form.short(40_000 + $0, 1) }
      return whole(form.file(others + form.sides)) == "tiff 258x772@1"
    }
  }

  /// The whole directory is requested at once, and values of several numbers by their first.
  @Test(arguments: Form.allCases) func onlyTheDirectoryIsRequested(_ form: Form) {
    let near = form.file(form.sides)
    #expect(
      answersByLength(near) == ["0 not-image", "4 truncated", "\(near.count) tiff 258x772@1"])
    let value = form.number(1_500, form.wide)
    let entries = form.sides + [form.entry(258, 3, count: 5, value)]
    let list = requests(joined(form.file(entries, directory: 1_000), zeros(500)))
    #expect(list.last == "malformed: a TIFF image with 0 bits per channel")
    // BigTIFF has counts of eight bytes, which are requested in parts.
    if form.isBigTIFF {
      #expect(list.dropLast().suffix(2) == ["1000..<1068", "1500..<1502"])
    } else {
      #expect(list.dropLast() == ["0..<32", "1000..<1002", "1000..<1038", "1500..<1502"])
    }
  }

  /// Offsets of 64 bits end at 2^48.
  @Test(arguments: [true, false]) func offsetsHaveALimit(_ isLittle: Bool) {
    func reading(_ offset: Int) -> String {
      let form: Form = isLittle ? .littleBigTIFF : .bigBigTIFF
      let head = Array(form.file([]).prefix(8))
      return beginning(joined(head, form.number(offset, 8), zeros(30)))
    }
    let tooLarge = "malformed: a TIFF image, but an offset in it is larger than any file"
    // The half of the count that is read first.
    func half(_ offset: Int) -> String {
      isLittle ? "needs \(offset + 4)..<\(offset + 6)" : "needs \(offset)..<\(offset + 4)"
    }
    #expect(reading(0x0102_0304_0506) == half(0x0102_0304_0506))
    expectMost(1 << 48 - (isLittle ? 6 : 4)) { reading($0) == half($0) }
    for offset in [1 << 48, 1 << 48 + 1 << 32, -1] { #expect(reading(offset) == tooLarge) }
  }
}
