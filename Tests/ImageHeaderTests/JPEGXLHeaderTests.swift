import TesseraTestSupport
import Testing

@testable import TesseraImageHeader

/// By the specification (ISO/IEC 18181-1, annexes B and D; 18181-2).
@Suite struct JPEGXLHeaderTests {
  /// Writes bits from the lowest up.
  private struct Bits {
    var all: [Int] = []

    init(_ fields: (value: Int, count: Int)...) {
      self.init(fields)
    }

    init(_ fields: [(value: Int, count: Int)]) {
      for field in fields { add(field.value, field.count) }
    }

    mutating func add(_ value: Int, _ count: Int) {
      for place in 0..<count { all.append(value >> place & 1) }
    }

    mutating func add(_ other: Bits) { all += other.all }

    var bytes: [UInt8] {
      stride(from: 0, to: all.count, by: 8).map { start in
        all[start..<min(start + 8, all.count)].reversed().reduce(0) { $0 << 1 | UInt8($1) }
      }
    }
  }

  /// A bare code stream.
  private static func stream(_ size: Bits, _ metadata: Bits) -> [UInt8] {
    var bits = size
    bits.add(metadata)
    // Other values follow, none of them zero.
    return joined([0xFF, 0x0A], bits.bytes, [UInt8](repeating: 0xFF, count: 8))
  }

  /// Not small; a height of 9 bits, and a width of 9 bits.
  private static let size = Bits((0, 1), (0, 2), (8, 9), (0, 3), (0, 2), (6, 9))
  private static let isDefault = Bits((1, 1))

  /// Metadata that are not the default: the extra fields, the depth, and the extra channels.
  private static func metadata(
    fields: Bits = Bits((0, 1)), depth: Bits = Bits((0, 1), (0, 2)), channels: Bits = Bits((0, 2))
  ) -> Bits {
    var bits = Bits((0, 1))
    bits.add(fields)
    bits.add(depth)
    bits.add(1, 1)  // modular_16bit_buffers
    bits.add(channels)
    return bits
  }

  private static func read(_ metadata: Bits) -> String { whole(stream(size, metadata)) }

  @Test func sidesOfEachLength() {
    func read(_ size: Bits) -> String { whole(Self.stream(size, Self.isDefault)) }
    for (choice, bits) in [(0, 9), (1, 13), (2, 18), (3, 30)] {
      let most = 1 << bits
      #expect(
        read(Bits((0, 1), (choice, 2), (most - 1, bits), (0, 3), (0, 2), (4, 9)))
          == "jxl 5x\(most)@8")
      #expect(
        read(Bits((0, 1), (0, 2), (4, 9), (0, 3), (choice, 2), (most - 2, bits)))
          == "jxl \(most - 1)x5@8")
    }
    for side in 0..<32 {
      #expect(
        read(Bits((1, 1), (side, 5), (0, 3), (31 - side, 5)))
          == "jxl \((32 - side) * 8)x\((side + 1) * 8)@8")
    }
  }

  /// The width as a ratio of the height, rounded down.
  @Test func sidesByRatio() {
    let widths = [1: 1_001, 2: 1_201, 3: 1_334, 4: 1_501, 5: 1_779, 6: 1_251, 7: 2_002]
    for (ratio, width) in widths {
      let size = Bits((0, 1), (1, 2), (1_000, 13), (ratio, 3))
      #expect(whole(Self.stream(size, Self.isDefault)) == "jxl \(width)x1001@8")
    }
  }

  @Test func depths() {
    for (choice, depth) in [(0, 8), (1, 10), (2, 12)] {
      #expect(Self.read(Self.metadata(depth: Bits((0, 1), (choice, 2)))) == "jxl 7x9@\(depth)")
    }
    #expect(Self.read(Self.metadata(depth: Bits((0, 1), (3, 2), (0, 6)))) == "jxl 7x9@1")
    #expect(Self.read(Self.metadata(depth: Bits((0, 1), (3, 2), (63, 6)))) == "jxl 7x9@64")
    // Floating point, with the bits of the exponent behind it.
    for (choice, depth) in [(0, 32), (1, 16), (2, 24)] {
      #expect(
        Self.read(Self.metadata(depth: Bits((1, 1), (choice, 2), (7, 4)))) == "jxl 7x9@\(depth)")
    }
    let odd = Bits((1, 1), (3, 2), (19, 6), (7, 4))
    #expect(Self.read(Self.metadata(depth: odd)) == "jxl 7x9@20")
    #expect(
      Self.read(Self.metadata(depth: odd, channels: Bits((1, 2), (1, 1)))) == "jxl 7x9@20 alpha")
  }

  /// A channel is alpha if its type is 0 or it is the default one. The others have depths, names, and more.
  @Test func extraChannels() {
    func read(_ channels: Bits) -> String { Self.read(Self.metadata(channels: channels)) }
    #expect(read(Bits((0, 2))) == "jxl 7x9@8")
    #expect(read(Bits((1, 2), (1, 1))) == "jxl 7x9@8 alpha")
    #expect(read(Bits((1, 2), (0, 1), (0, 2))) == "jxl 7x9@8 alpha")
    // Depth of 8 bits, no shift, no name; then what only this type has.
    let plain: [(value: Int, count: Int)] = [(0, 1), (0, 2), (0, 2), (0, 2)]
    let kinds: [([(value: Int, count: Int)], [(value: Int, count: Int)])] = [
      ([(1, 2)], []), ([(2, 2), (0, 4)], [(0, 64)]), ([(2, 2), (3, 4)], [(1, 2), (3, 2)]),
      ([(3, 2), (0, 6)], []),
    ]
    for (type, rest) in kinds {
      let first: [(value: Int, count: Int)] = [(2, 2), (0, 4), (0, 1)] + type + plain + rest
      #expect(read(Bits(first + [(0, 1), (1, 2)] + plain)) == "jxl 7x9@8", "\(type)")
      #expect(read(Bits(first + [(0, 1), (0, 2)])) == "jxl 7x9@8 alpha", "\(type)")
      #expect(read(Bits(first + [(1, 1)])) == "jxl 7x9@8 alpha", "\(type)")
    }
    // Floating point, a shift, and a name of 17 letters.
    let named: [(value: Int, count: Int)] =
      [(1, 1), (0, 2), (0, 4), (3, 2), (7, 3), (2, 2), (1, 5)] + (0..<17).map { _ in (0xFF, 8) }
    #expect(
      read(Bits([(2, 2), (0, 4), (0, 1), (1, 2)] + named + [(0, 1), (0, 2)])) == "jxl 7x9@8 alpha")
    #expect(read(Bits((2, 2), (15, 4), (0, 1), (0, 2))) == "jxl 7x9@8 alpha")
    #expect(read(Bits((3, 2), (0xABC, 12), (0, 1), (0, 2))) == "jxl 7x9@8 alpha")
  }

  /// What is read with these extra fields: a depth and an alpha channel follow, which are at the
  /// right place only if the lengths of all fields are right.
  private static func read(fields: Bits) -> String {
    var bits = Bits((1, 1))
    bits.add(fields)
    return read(
      metadata(
        fields: bits, depth: Bits((1, 1), (2, 2), (5, 4)), channels: Bits((1, 2), (0, 1), (0, 2))))
  }

  @Test func orientationsAndSizes() {
    for orientation in 1...8 {
      let suffix = orientation > 1 ? " orientation \(orientation)" : ""
      #expect(
        Self.read(fields: Bits((orientation - 1, 3), (0, 3))) == "jxl 7x9@24\(suffix) alpha")
    }
    let plain = "jxl 7x9@24 alpha"
    // An intrinsic size: small with a ratio, small, and large.
    #expect(Self.read(fields: Bits((0, 3), (1, 1), (1, 1), (9, 5), (3, 3), (0, 2))) == plain)
    #expect(
      Self.read(fields: Bits((0, 3), (1, 1), (1, 1), (9, 5), (0, 3), (8, 5), (0, 2))) == plain)
    #expect(
      Self.read(
        fields: Bits((0, 3), (1, 1), (0, 1), (3, 2), (9, 30), (0, 3), (0, 2), (5, 9), (0, 2)))
        == plain)
  }

  /// Sides are multiples of 8, or numbers, with or without a ratio.
  @Test func previews() {
    let plain = "jxl 7x9@24 alpha"
    for (isMultiple, lengths) in [(1, [0, 0, 5, 9]), (0, [6, 8, 10, 12])] {
      for (choice, length) in lengths.enumerated() {
        let side = ((choice, 2), (3, length))
        #expect(
          Self.read(
            fields: Bits((0, 3), (0, 1), (1, 1), (isMultiple, 1), side.0, side.1, (1, 3), (0, 1)))
            == plain)
        #expect(
          Self.read(
            fields: Bits(
              (0, 3), (0, 1), (1, 1), (isMultiple, 1), side.0, side.1, (0, 3), side.0, side.1,
              (0, 1)))
            == plain)
      }
    }
  }

  /// Two numbers of ticks, the loops, and whether frames have time codes.
  @Test func animations() {
    let (first, second, loops) = ([0, 0, 10, 30], [0, 0, 8, 10], [0, 3, 16, 32])
    for choice in 0..<4 {
      let ticks = Bits(
        (0, 3), (0, 2), (1, 1), (choice, 2), (3, first[choice]), (choice, 2), (3, second[choice]),
        (choice, 2), (3, loops[choice]), (1, 1))
      #expect(Self.read(fields: ticks) == "jxl 7x9@24 alpha animated")
    }
  }

  @Test func codeStreamsInBoxes() {
    typealias F = BoxFile
    let bare = Self.stream(Self.size, Self.metadata(channels: Bits((1, 2), (1, 1))))
    func read(_ boxes: [UInt8]...) -> String {
      whole(
        joined(
          F.box("JXL ", [0x0D, 0x0A, 0x87, 0x0A]), F.box("ftyp", ascii("jxl "), zeros(4)),
          boxes.flatMap(\.self)))
    }
    let expected = "jxl 7x9@8 alpha"
    #expect(whole(bare) == expected)
    #expect(read(F.box("jxlc", bare)) == expected)
    #expect(read(F.box("Exif", zeros(40)), F.box("jxlc", bare)) == expected)
    #expect(read(joined(zeros(4), ascii("jxlc"), bare)) == expected)
    for cut in 0...7 {
      let parts = [Array(bare[..<cut]), Array(bare[cut...])]
      let boxes = parts.enumerated().map { F.box("jxlp", be($0.offset, 4), $0.element) }
      #expect(read(boxes[0], F.box("free", zeros(9)), boxes[1]) == expected)
    }
    let bytes = bare.map { F.box("jxlp", zeros(4), [$0]) }.flatMap(\.self)
    #expect(read(bytes) == expected)
    // A part of less than its index.
    #expect(read(F.box("jxlp", [0, 0]), F.box("jxlp", zeros(4), bare)) == expected)
    let missing = "malformed: a JPEG XL image, but it has no code stream"
    #expect(read() == missing && read(F.box("jxlx", bare)) == missing)
    #expect(read(F.box("jxlc", Array(bare.prefix(4)))) == missing)
    #expect(
      read(F.box("jxlc", [0xFF, 0x0B], zeros(20)))
        == "malformed: a JPEG XL image, but its code stream has no signature")
  }

  @Test func eachLengthHasItsAnswer() {
    // Signature, and 26 + 1 bits.
    let bytes = Self.stream(Self.size, Self.isDefault)
    #expect(answersByLength(bytes) == ["0 not-image", "4 truncated", "6 jxl 7x9@8"])
    #expect(beginning(Array(bytes.prefix(5))) == "needs 0..<32")
    #expect(requests(joined(bytes, zeros(40))) == ["0..<32", "jxl 7x9@8"])
  }
}
