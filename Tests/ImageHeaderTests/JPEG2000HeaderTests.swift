import Testing

@testable import TesseraImageHeader

/// By the specification (ISO/IEC 15444-1, annexes A and I).
@Suite struct JPEG2000HeaderTests {
  private typealias F = BoxFile

  private static let signature = F.box("jP  ", [0x0D, 0x0A, 0x87, 0x0A])

  private static func file(_ boxes: [UInt8]...) -> [UInt8] {
    joined(signature, F.box("ftyp", ascii("jp2 "), zeros(4), ascii("jp2 ")), boxes.flatMap(\.self))
  }

  private static func sides(
    _ width: Int = 7, _ height: Int = 9, bits: UInt8 = 7, components: Int = 3
  ) -> [UInt8] {
    F.box("ihdr", be(height, 4), be(width, 4), be(components, 2), [bits, 7, 0, 0])
  }

  private static func read(_ boxes: [UInt8]...) -> String {
    whole(file(F.box("jp2h", boxes.flatMap(\.self)), F.box("jp2c", zeros(9))))
  }

  /// A code stream that begins with SIZ: the reference grid, and where the image begins in it.
  private static func stream(
    _ grid: (Int, Int), _ origin: (Int, Int), bits: UInt8 = 7, marker: UInt8 = 0x51,
    steps: [(UInt8, UInt8)] = [(1, 1), (1, 1), (1, 1)]
  ) -> [UInt8] {
    joined(
      [0xFF, 0x4F, 0xFF, marker], be(38 + 3 * steps.count, 2), be(0, 2), be(grid.0, 4),
      be(grid.1, 4), be(origin.0, 4), be(origin.1, 4), be(99, 4), be(99, 4), be(0, 4), be(0, 4),
      be(steps.count, 2), steps.flatMap { [bits, $0.0, $0.1] })
  }

  /// A byte holds one less than the bits, and the sign; 255 means that channels differ.
  private static let depths: [(UInt8, Int)] = [
    (0, 1), (7, 8), (15, 16), (37, 38), (0x80, 1), (0x87, 8), (0x8B, 12), (255, 8),
  ]

  @Test func sidesAndDepths() {
    #expect(Self.read(Self.sides(0x0102_0304, 0x0506_0708)) == "jp2 16909060x84281096@8")
    for (byte, bits) in Self.depths {
      #expect(Self.read(Self.sides(bits: byte)) == "jp2 7x9@\(bits)")
      #expect(whole(Self.stream((7, 9), (0, 0), bits: byte)) == "jp2 7x9@\(bits)")
    }
    #expect(
      Self.read(F.box("colr", [1, 0, 0]))
        == "malformed: a JPEG 2000 image, but its header box has no size")
    #expect(whole(Self.file()) == "malformed: a JPEG 2000 image, but it has no header box")
    #expect(whole(Self.file(F.box("free", zeros(99)), F.box("jp2h", Self.sides()))) == "jp2 7x9@8")
  }

  @Test func coloursAndChannels() {
    for (method, suffix) in [(0, ""), (1, ""), (2, " profile"), (3, "")] {
      #expect(
        Self.read(Self.sides(), F.box("colr", be(method, 1), zeros(6))) == "jp2 7x9@8\(suffix)")
    }
    /// Channels by their types.
    func channels(_ types: [Int], count: Int? = nil) -> [UInt8] {
      F.box(
        "cdef", be(count ?? types.count, 2),
        types.enumerated().flatMap { joined(be($0.offset, 2), be($0.element, 2), be(1, 2)) })
    }
    for (types, isAlpha) in [
      ([0, 0, 0], false), ([1], true), ([2], true), ([3, 65_535, 256], false),
      ([0, 0, 0, 1], true),
      ([0, 2, 0], true), ([], false),
    ] {
      let expected = isAlpha ? "jp2 7x9@8 alpha" : "jp2 7x9@8"
      #expect(Self.read(Self.sides(), channels(types)) == expected, "\(types)")
    }
    #expect(Self.read(Self.sides(), channels([0, 1], count: 1)) == "jp2 7x9@8")
    #expect(Self.read(Self.sides(), channels([1]), channels([0])) == "jp2 7x9@8 alpha")
    // 64 channels are more than any image has.
    for count in 62...66 {
      let many = channels((0..<count).map { _ in 0 } + [1])
      #expect(Self.read(Self.sides(), many) == (count < 64 ? "jp2 7x9@8 alpha" : "jp2 7x9@8"))
    }
  }

  @Test func codeStreams() {
    #expect(
      whole(Self.stream((0x0102_0304, 0x0506_0708), (0x0100_0001, 0x0500_0002)))
        == "jp2 131843x395014@8")
    #expect(
      whole(Self.stream((5, 9), (5, 0))) == "malformed: a JPEG 2000 image of 0 x 9 pixels")
    #expect(whole(Self.stream((5, 9), (0, 10))) == "malformed: a JPEG 2000 image of 5 x -1 pixels")
    #expect(whole(Self.stream((7, 9), (0, 0), marker: 0x52)).hasPrefix("not-image: "))
    #expect(
      whole(Self.stream((7, 9), (0, 0), steps: [(0, 1)]))
        == "malformed: a JPEG 2000 image, but its components have no samples")
  }

  /// The component with most samples has the size, whatever the reference grid is.
  @Test(arguments: [
    ([(1, 1), (2, 2), (2, 2)], "7x9"), ([(2, 2), (2, 2), (2, 2)], "4x5"),
    ([(2, 1), (2, 1), (2, 1)], "4x9"), ([(3, 4), (1, 2), (3, 2)], "7x5"),
  ])
  func componentsMayHaveFewerSamples(_ steps: [(UInt8, UInt8)], _ size: String) {
    let stream = Self.stream((9, 11), (2, 2), steps: steps)
    #expect(whole(stream) == "jp2 \(size)@8")
    let boxes = joined(F.box("jp2h", Self.sides()), F.box("uuid", zeros(20)))
    #expect(whole(Self.file(boxes, F.box("jp2c", stream))) == "jp2 \(size)@8")
    // Without the code stream, that of the grid.
    let bytes = Self.file(boxes)
    #expect(beginning(bytes, isExact: false) == "jp2 7x9@8")
    #expect(beginning(bytes) == "needs \(bytes.count)..<\(bytes.count + 4)")
  }

  /// One component more than grey or colours is alpha, unless it is known to be something else.
  @Test func theRestIsAlpha() {
    func read(_ components: Int, _ boxes: [UInt8]...) -> String {
      Self.read(joined(Self.sides(components: components), boxes.flatMap(\.self)))
    }
    let steps = { (count: Int) in [(UInt8, UInt8)](repeating: (1, 1), count: count) }
    for (components, suffix) in [(1, ""), (2, " alpha"), (3, ""), (4, " alpha"), (5, "")] {
      #expect(read(components) == "jp2 7x9@8\(suffix)")
      #expect(
        whole(Self.stream((7, 9), (0, 0), steps: steps(components))) == "jp2 7x9@8\(suffix)")
    }
    #expect(read(4, F.box("colr", [1, 0, 0], be(16, 4))) == "jp2 7x9@8 alpha")
    #expect(read(4, F.box("colr", [1, 0, 0], be(12, 4))) == "jp2 7x9@8")
    let profile = { (space: String) in F.box("colr", [2, 0, 0], zeros(16), ascii(space)) }
    #expect(read(4, profile("RGB ")) == "jp2 7x9@8 alpha profile")
    #expect(read(4, profile("CMYK")) == "jp2 7x9@8 profile")
    // Columns of a palette; and channels that are named.
    #expect(read(1, F.box("pclr", be(2, 2), [4], zeros(9))) == "jp2 7x9@8 alpha")
    #expect(read(4, F.box("cdef", be(1, 2), be(0, 2), be(0, 2), be(1, 2))) == "jp2 7x9@8")
  }

  @Test func eachLengthHasItsAnswer() {
    #expect(
      answersByLength(Self.stream((7, 9), (1, 1))) == [
        "0 not-image", "4 truncated", "51 jp2 6x8@8",
      ])
    let file = Self.file(F.box("jp2h", Self.sides(), F.box("colr", [2, 0, 0])))
    #expect(
      answersByLength(file) == [
        // The file may end behind any box; within the header box it is cut off.
        "0 not-image", "12 malformed: a JPEG 2000 image, but it has no header box",
        "40 truncated", "71 jp2 7x9@8 profile",
      ])
    #expect(
      requests(file) == [
        "0..<32", "32..<36", "36..<40", "40..<44", "44..<48", "52..<56", "48..<52",
        "58..<59", "56..<58", "62..<66", "66..<70", "70..<71", "jp2 7x9@8 profile",
      ])
  }
}
