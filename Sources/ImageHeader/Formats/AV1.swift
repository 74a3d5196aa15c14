/// The samples of an AV1 image, by the sequence header in its configuration (`av1C`, AV1 in ISO base media files, 2.3;
/// AV1 Bitstream and Decoding Process, 5.3 and 5.5).
struct AV1Sequence: Equatable {
  var isMonochrome: Bool
  /// Whether black and white are the least and the greatest sample.
  var isFullRange: Bool

  /// Nil if no sequence header is among the first units (OBU; 5.3) of the range.
  ///
  /// - Parameter start: of the bit stream: an item's, or what follows the four bytes of profile and level of a
  ///   configuration.
  static func read(
    _ file: borrowing HeaderView, from start: Int, to end: Int
  ) throws(HeaderStop) -> AV1Sequence? {
    var offset = start
    // A temporal delimiter (2) may come before the sequence header (1).
    for _ in 0..<4 where end - offset > 2 {
      let head = try file.byte(offset)
      // Without a size the unit ends with the range.
      guard head & 2 == 2 else { return nil }
      offset += head & 4 == 4 ? 2 : 1
      let length = try file.byte(offset)
      guard length < 0x80 else { return nil }
      offset += 1
      if head >> 3 & 15 == 1 {
        var bits = BitReader(start: offset * 8, end: min(end, offset + length) * 8)
        return try bits.sequence(file)
      }
      offset += length
    }
    return nil
  }
}

/// Reads numbers of any count of bits, the highest first.
private struct BitReader {
  private var place: Int
  private let end: Int

  init(start: Int, end: Int) { (place, self.end) = (start, end) }

  mutating func number(_ file: borrowing HeaderView, _ count: Int) throws(HeaderStop) -> Int {
    guard place + count <= end else { throw .malformed("its AV1 configuration is cut off") }
    var value = 0
    for _ in 0..<count {
      value = try value << 1 | file.byte(place / 8) >> (7 - place % 8) & 1
      place += 1
    }
    return value
  }

  mutating func flag(_ file: borrowing HeaderView) throws(HeaderStop) -> Bool {
    try number(file, 1) == 1
  }

  /// Section 5.5.1, up to the range of the samples.
  mutating func sequence(_ file: borrowing HeaderView) throws(HeaderStop) -> AV1Sequence {
    let profile = try number(file, 3)
    _ = try flag(file)
    let isReduced = try flag(file)
    if isReduced { _ = try number(file, 5) } else { try skipTimes(file) }
    let width = try number(file, 4) + 1
    let height = try number(file, 4) + 1
    _ = try number(file, width)
    _ = try number(file, height)
    if !isReduced, try flag(file) { _ = try number(file, 7) }
    // Tools of still images, then of others, then filters.
    _ = try number(file, 3)
    if !isReduced { try skipTools(file) }
    _ = try number(file, 3)
    return try colour(file, profile)
  }

  /// Times and operating points.
  private mutating func skipTimes(_ file: borrowing HeaderView) throws(HeaderStop) {
    var delayBits: Int?
    if try flag(file) {
      _ = try number(file, 32)
      _ = try number(file, 32)
      if try flag(file) { try skipExponential(file) }
      if try flag(file) {
        delayBits = try number(file, 5) + 1
        _ = try number(file, 32)
        _ = try number(file, 10)
      }
    }
    let hasInitialDelay = try flag(file)
    for _ in 0...(try number(file, 5)) {
      _ = try number(file, 12)
      if try number(file, 5) > 7 { _ = try flag(file) }
      if let delayBits, try flag(file) { _ = try number(file, 2 * delayBits + 1) }
      if hasInitialDelay, try flag(file) { _ = try number(file, 4) }
    }
  }

  /// `uvlc` (4.10.3).
  private mutating func skipExponential(_ file: borrowing HeaderView) throws(HeaderStop) {
    var zeros = 0
    while try !flag(file) { zeros += 1 }
    if zeros < 32 { _ = try number(file, zeros) }
  }

  /// Tools that only moving images have.
  private mutating func skipTools(_ file: borrowing HeaderView) throws(HeaderStop) {
    _ = try number(file, 4)
    let hasOrder = try flag(file)
    if hasOrder { _ = try number(file, 2) }
    var hasScreenTools = try flag(file)
    if !hasScreenTools { hasScreenTools = try flag(file) }
    if hasScreenTools, try !flag(file) { _ = try flag(file) }
    if hasOrder { _ = try number(file, 3) }
  }

  /// `color_config` (5.5.2).
  private mutating func colour(
    _ file: borrowing HeaderView, _ profile: Int
  ) throws(HeaderStop) -> AV1Sequence {
    let isDeep = try flag(file)
    if profile == 2, isDeep { _ = try flag(file) }
    let isMonochrome = profile == 1 ? false : try flag(file)
    var codes: [Int] = []
    if try flag(file) { for _ in 0..<3 { codes.append(try number(file, 8)) } }
    // Red, green and blue themselves are always of full range.
    if !isMonochrome, codes == [1, 13, 0] {
      return AV1Sequence(isMonochrome: false, isFullRange: true)
    }
    return AV1Sequence(isMonochrome: isMonochrome, isFullRange: try flag(file))
  }
}
