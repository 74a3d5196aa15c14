import TesseraTestSupport
import Testing

@testable import TesseraImageHeader

/// The range of samples by AV1's sequence header (AV1 Bitstream, 5.5), and what HEIF files say of their samples.
@Suite struct CodedSamplesTests {
  /// Numbers of any count of bits, the highest first.
  private struct BitWriter {
    private(set) var bytes: [UInt8] = []
    private var place = 0

    mutating func add(_ value: Int, _ count: Int) {
      for bit in (0..<count).reversed() {
        if place % 8 == 0 { bytes.append(0) }
        if value >> bit & 1 == 1 { bytes[bytes.count - 1] |= 0x80 >> (place % 8) }
        place += 1
      }
    }
  }

  /// A sequence header. Every optional part is there, or none is.
  private static func sequence(
    profile: Int = 0, isReduced: Bool = true, isFull: Bool, isGrey: Bool, hasAll: Bool = false,
    isDeep: Bool = false, codes: [Int] = []
  ) -> [UInt8] {
    var bits = BitWriter()
    bits.add(profile, 3)
    bits.add(1, 1)
    bits.add(isReduced ? 1 : 0, 1)
    if isReduced {
      bits.add(31, 5)
    } else {
      bits.add(hasAll ? 1 : 0, 1)
      if hasAll {
        bits.add(1, 32)
        bits.add(1, 32)
        // Equal intervals: three bits after two zeros; then a decoder model with delays of five bits.
        bits.add(1, 1)
        bits.add(0b00_1_11, 5)
        bits.add(1, 1)
        bits.add(4, 5)
        bits.add(1, 32)
        bits.add(0x3FF, 10)
      }
      bits.add(hasAll ? 1 : 0, 1)
      bits.add(hasAll ? 1 : 0, 5)
      for point in 0...(hasAll ? 1 : 0) {
        bits.add(0xFFF, 12)
        bits.add(point == 0 ? 7 : 8, 5)
        if point == 1 { bits.add(1, 1) }
        if hasAll {
          bits.add(1, 1)
          bits.add(0x7FF, 11)
          bits.add(1, 1)
          bits.add(15, 4)
        }
      }
    }
    bits.add(8, 4)
    bits.add(7, 4)
    bits.add(0x1FF, 9)
    bits.add(0xFF, 8)
    if !isReduced {
      bits.add(hasAll ? 1 : 0, 1)
      if hasAll { bits.add(0x7F, 7) }
    }
    bits.add(7, 3)
    if !isReduced {
      bits.add(15, 4)
      bits.add(hasAll ? 1 : 0, 1)
      if hasAll { bits.add(3, 2) }
      // The tools for screens: chosen, or forced and then with vectors that are forced, too.
      bits.add(hasAll ? 0 : 1, 1)
      if hasAll { bits.add(1, 1) }
      bits.add(hasAll ? 0 : 1, 1)
      if hasAll { bits.add(1, 1) }
      if hasAll { bits.add(7, 3) }
    }
    bits.add(7, 3)
    bits.add(isDeep ? 1 : 0, 1)
    if profile == 2, isDeep { bits.add(1, 1) }
    if profile != 1 { bits.add(isGrey ? 1 : 0, 1) }
    bits.add(codes.isEmpty ? 0 : 1, 1)
    for code in codes { bits.add(code, 8) }
    if codes != [1, 13, 0] || isGrey { bits.add(isFull ? 1 : 0, 1) }
    // What follows must not be taken for the range.
    bits.add(isFull ? 0 : 0xFF, 8)
    return bits.bytes
  }

  private static func configuration(_ sequence: [UInt8]) -> [UInt8] {
    [0x81, 0, 0, 0, 0x0A, UInt8(sequence.count)] + sequence
  }

  private static func read(_ configuration: [UInt8]) -> AV1Sequence? {
    let bytes = configuration
    let view = HeaderView(bytes.span, prefix: bytes.count, fileSize: bytes.count)
    return try? AV1Sequence.read(view, from: 4, to: bytes.count)
  }

  @Test(arguments: [false, true], [false, true])
  func theRangeIsBehindEverything(_ isFull: Bool, _ isGrey: Bool) {
    for (isReduced, hasAll) in [(true, false), (false, false), (false, true)] {
      for (profile, isDeep) in [(0, false), (0, true), (2, false), (2, true)] {
        for codes in [[], [1, 13, 6], [9, 16, 9]] {
          let bytes = Self.sequence(
            profile: profile, isReduced: isReduced, isFull: isFull, isGrey: isGrey, hasAll: hasAll,
            isDeep: isDeep, codes: codes)
          #expect(
            Self.read(Self.configuration(bytes))
              == AV1Sequence(isMonochrome: isGrey, isFullRange: isFull),
            "reduced \(isReduced), all \(hasAll), profile \(profile), \(codes)")
        }
      }
    }
  }

  @Test func someProfilesAndCodesDecide() {
    // Profile 1 has no grey.
    let colours = Self.sequence(profile: 1, isFull: false, isGrey: false)
    #expect(
      Self.read(Self.configuration(colours)) == AV1Sequence(isMonochrome: false, isFullRange: false)
    )
    // Red, green and blue are of full range, unless the image is grey.
    let same = Self.sequence(isFull: false, isGrey: false, codes: [1, 13, 0])
    #expect(
      Self.read(Self.configuration(same)) == AV1Sequence(isMonochrome: false, isFullRange: true))
    let grey = Self.sequence(isFull: false, isGrey: true, codes: [1, 13, 0])
    #expect(
      Self.read(Self.configuration(grey)) == AV1Sequence(isMonochrome: true, isFullRange: false))
  }

  @Test func aConfigurationMayHaveNoSequence() {
    let whole = Self.configuration(Self.sequence(isFull: false, isGrey: true))
    for count in 4..<10 { #expect(Self.read(Array(whole[..<count])) == nil, "\(count)") }
    var other = whole
    other[4] = 0x12
    #expect(Self.read(other) == nil)
    other[4] = 0x08
    #expect(Self.read(other) == nil)
  }

  /// A delimiter comes before it in a bit stream, and the head of a unit may be longer.
  @Test func otherUnitsMayComeFirst() {
    let sequence = Self.sequence(isFull: false, isGrey: true)
    let limited = AV1Sequence(isMonochrome: true, isFullRange: false)
    let size = UInt8(sequence.count)
    for units: [UInt8] in [
      [0x12, 0, 0x0A, size], [0x0E, 0x20, size], [0x2A, 2, 9, 9, 0x0A, size],
      [0x16, 0x20, 0, 0x0E, 0x20, size],
    ] {
      #expect(Self.read(joined(zeros(4), units, sequence)) == limited, "\(units)")
    }
    // A length of more bytes, and too many units.
    #expect(Self.read(joined(zeros(4), [0x12, 0x80, 0, 0x0A, size], sequence)) == nil)
    #expect(
      Self.read(joined(zeros(4), [0x12, 0, 0x12, 0, 0x12, 0, 0x12, 0, 0x0A, size], sequence)) == nil
    )
  }

  // MARK: HEIF

  private typealias F = BoxFile

  private static func codes(_ primaries: Int, _ transfer: Int, isFull: Bool) -> [UInt8] {
    F.box(
      "colr", ascii("nclx"), be(primaries, 2), be(transfer, 2), be(6, 2), [isFull ? 0x80 : 0])
  }

  private static func samples(isFull: Bool, isGrey: Bool) -> [UInt8] {
    F.box("av1C", configuration(sequence(isFull: isFull, isGrey: isGrey)))
  }

  private static func coded(_ properties: [[UInt8]], further: [UInt8] = []) -> CodedSamples? {
    let bytes = joined(F.ftyp("avif"), F.meta([F.size()] + properties, further: further))
    guard case .header(let header) = ImageHeader.read(bytes.span, isWhole: true) else { return nil }
    return header.coded
  }

  /// Without units in the configuration, which says only that there is no chroma.
  private static let bare = F.box("av1C", [0x81, 0, 0x1C, 0])

  @Test func theConfigurationSaysThatThereIsNoChroma() {
    #expect(Self.coded([Self.bare])?.isMonochrome == true)
    #expect(Self.coded([F.box("av1C", [0x81, 0, 0x0C, 0])])?.isMonochrome == false)
    #expect(Self.coded([Self.bare, Self.codes(1, 13, isFull: false)])?.hasLimitedGrey == true)
    #expect(Self.coded([Self.bare, Self.codes(1, 13, isFull: true)])?.hasLimitedGrey == false)
    #expect(Self.coded([Self.bare])?.hasLimitedGrey == false)
  }

  /// The bit stream of the item itself, at a place in the file or in the meta box.
  @Test(arguments: [0, 1, 2], [false, true])
  func theRangeMayBeInTheItem(_ version: Int, _ isFull: Bool) throws {
    let stream = joined(
      [0x12, 0, 0x0A], [UInt8(Self.sequence(isFull: isFull, isGrey: true).count)],
      Self.sequence(isFull: isFull, isGrey: true))
    func file(_ place: Int) -> [UInt8] {
      let isInside = version > 0
      let item = be(1, version == 2 ? 4 : 2)
      let iloc = F.full(
        "iloc", version: version, [0x44, 0x40], be(1, version == 2 ? 4 : 2), item,
        version == 0 ? [] : be(isInside ? 1 : 0, 2), be(0, 2), be(place, 4), be(1, 2), be(2, 4),
        be(stream.count, 4))
      let idat = F.box("idat", [9, 9, 9, 9], stream)
      return joined(
        F.ftyp("avif"), F.meta([F.size(), Self.bare], further: joined(iloc, isInside ? idat : [])),
        isInside ? [] : stream)
    }
    let bytes = file(version == 0 ? file(0).count - stream.count - 2 : 2)
    guard case .header(let header) = ImageHeader.read(bytes.span, isWhole: true) else {
      Issue.record("no header")
      return
    }
    #expect(header.coded.isMonochrome && header.coded.hasLimitedGrey == !isFull)
  }

  private static func edited(_ bytes: [UInt8]) -> [UInt8] {
    guard case .header(let header) = ImageHeader.read(bytes.span, isWhole: true) else { return [] }
    var result = bytes
    for edit in header.coded.edits { result.replaceSubrange(edit.range, with: edit.bytes) }
    return result
  }

  /// What libheif does not read is written otherwise.
  @Test func whatLibheifDoesNotReadIsChanged() {
    func clap(_ numbers: [Int]) -> [UInt8] { F.box("clap", numbers.flatMap { be($0, 4) }) }
    func file(_ brands: [String], _ properties: [UInt8]...) -> [UInt8] {
      joined(
        F.box("ftyp", ascii(brands[0]), zeros(4), brands.dropFirst().flatMap { ascii($0) }),
        F.meta(Array(properties)))
    }
    let fine = file(["avif", "mif1"], F.size(7, 9), clap([5, 1, 5, 1, 0, 1, 0, 1]))
    #expect(Self.edited(fine) == fine)
    #expect(
      Self.edited(file(["avif"], F.size(7, 9), clap([9, 1, 5, 1, 0, 1, 0, 1])))
        == file(["avif"], F.size(7, 9), clap([7, 1, 9, 1, 0, 1, 0, 1])))
    // Sequences of which no brand says that there is a still image.
    let size = F.size(7, 9)
    #expect(
      Self.edited(file(["avis", "avis", "iso8"], size)) == file(["avis", "avif", "iso8"], size))
    #expect(Self.edited(file(["hevc", "msf1"], size)) == file(["hevc", "heic"], size))
    #expect(
      Self.edited(file(["avis", "msf1", "mif1"], size)) == file(["avis", "msf1", "mif1"], size))
    // The size is the third property, behind one that turns the image.
    let turned = joined(
      F.ftyp("avif"),
      F.full(
        "meta", F.full("pitm", be(1, 2)),
        F.box(
          "iprp", F.box("ipco", F.box("free"), F.box("irot", [1]), size),
          F.full("ipma", be(1, 4), be(1, 2), [3, 1, 0x82, 3]))))
    var expected = turned
    expected.replaceSubrange(turned.count - 3..<turned.count, with: [3, 1, 0x82])
    #expect(Self.edited(turned) == expected)
    #expect(Self.edited(expected) == expected)
  }

  @Test func layersAreNoticed() {
    for (name, body, isChoice) in [
      ("a1op", [1], true), ("lsel", [0, 1], true), ("a1lx", [0, 0, 0, 0, 0, 0, 0], false),
    ] as [(String, [UInt8], Bool)] {
      #expect(Self.coded([F.box(name, body)])?.hasLayers == isChoice, "\(name)")
    }
  }

  @Test func codePointsAreThoseOfThePrimaryItem() {
    let stated = Self.coded([Self.codes(12, 16, isFull: true)])
    #expect(stated?.primaries == 12 && stated?.transfer == 16)
    #expect(Self.coded([F.box("colr", ascii("prof"), zeros(8))]) == CodedSamples())
    #expect(Self.coded([]) == CodedSamples())
  }

  @Test(
    .faults(.i36),
    arguments: [
      // The code points decide before the bit stream.
      (nil, false, true, true), (nil, true, true, false), (true, false, true, false),
      (false, true, true, true), (nil, false, false, false), (false, false, false, false),
    ] as [(Bool?, Bool, Bool, Bool)])
  func greyMayBeLimited(_ stated: Bool?, _ isFull: Bool, _ isGrey: Bool, _ isLimited: Bool) {
    var properties = [Self.samples(isFull: isFull, isGrey: isGrey)]
    if let stated { properties.append(Self.codes(1, 13, isFull: stated)) }
    let coded = Self.coded(properties)
    #expect(coded?.hasLimitedGrey == isLimited && coded?.hasLimitedAlpha == false)
  }

  /// Item 2 is the alpha of item 1.
  @Test(.faults(.i36), arguments: [true, false]) func alphaMayBeLimited(_ isFull: Bool) {
    let urn = F.full("auxC", ascii("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha"), [0])
    let properties = [
      F.size(), Self.samples(isFull: true, isGrey: true),
      Self.samples(isFull: isFull, isGrey: true), urn,
    ]
    let bytes = joined(
      F.ftyp("avif"),
      F.full(
        "meta", F.full("pitm", be(1, 2)),
        F.full("iref", F.box("auxl", be(2, 2), be(1, 2), be(1, 2))),
        F.box(
          "iprp", F.box("ipco", properties.flatMap(\.self)),
          F.full("ipma", be(2, 4), be(1, 2), [2, 1, 2], be(2, 2), [3, 1, 3, 4]))))
    guard case .header(let header) = ImageHeader.read(bytes.span, isWhole: true) else {
      Issue.record("no header")
      return
    }
    #expect(header.hasAlpha && !header.coded.hasLimitedGrey)
    #expect(header.coded.hasLimitedAlpha == !isFull)
  }
}
