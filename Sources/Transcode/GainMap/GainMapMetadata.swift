internal import Glibc

/// How a gain map turns its image into one of higher dynamic range (ISO 21496-1, clause 5): for a sample of the map from 0
/// to 1 and linear samples of the images,
///
///     gain = minimum + (maximum - minimum) * sample ^ (1 / gamma)
///     alternate = (base + baseOffset) * 2 ^ gain - alternateOffset
struct GainMapMetadata: Equatable {
  /// Of red, green or blue, or of all of them.
  struct Channel: Equatable {
    /// Stops: binary logarithms of factors.
    var minimum = 0.0
    var maximum: Double
    var gamma = 1.0
    var baseOffset = 1.0 / 64
    var alternateOffset = 1.0 / 64
  }

  /// One or three.
  var channels: [Channel]
  /// How bright a screen can be, in stops above the white of a page, up to which the image is shown without the map.
  var baseHeadroom = 0.0
  /// Where the map is applied in full.
  var alternateHeadroom: Double

  /// The greatest brightness of the image, relative to the white of a page; rounded to hundredths.
  var headroom: Double { (exp2(alternateHeadroom) * 100).rounded() / 100 }

  /// Nil if a value is impossible.
  init?(channels: [Channel], baseHeadroom: Double = 0, alternateHeadroom: Double) {
    // More stops than there are between starlight and the sun; comparisons with NaN are false.
    func isStops(_ value: Double) -> Bool { abs(value) <= 32 }
    guard baseHeadroom >= 0, baseHeadroom < alternateHeadroom,
      (0.015...16).contains(alternateHeadroom),
      channels.count == 1 || channels.count == 3,
      channels.allSatisfy({ channel in
        isStops(channel.minimum) && isStops(channel.maximum) && channel.minimum <= channel.maximum
          && (0.01...100).contains(channel.gamma) && isStops(channel.baseOffset)
          && isStops(channel.alternateOffset)
      })
    else { return nil }
    self.channels = channels
    self.baseHeadroom = baseHeadroom
    self.alternateHeadroom = alternateHeadroom
  }

  // MARK: Binary form

  /// Reads the block of ISO 21496-1, annex C, which follows ``JPEGContainer/gainMapMark``. Nil also for a map of what is
  /// not handled here: one that makes an image of lower range, or works in the colours of the other image.
  init?(block: [UInt8]) {
    var reader = Reader(bytes: block[...])
    guard reader.integer(2) == 0, reader.integer(2) != nil, let flags = reader.integer(1),
      flags & Flag.usesBaseColours != 0, flags & Flag.isBackward == 0
    else { return nil }
    if flags & Flag.hasCommonDenominator != 0 { reader.denominator = reader.integer(4) }
    guard let base = reader.fraction(isSigned: false), let other = reader.fraction(isSigned: false)
    else { return nil }
    var channels: [Channel] = []
    for _ in 0..<(flags & Flag.hasThreeChannels != 0 ? 3 : 1) {
      guard let minimum = reader.fraction(), let maximum = reader.fraction(),
        let gamma = reader.fraction(isSigned: false), let baseOffset = reader.fraction(),
        let alternateOffset = reader.fraction()
      else { return nil }
      channels.append(
        Channel(
          minimum: minimum, maximum: maximum, gamma: gamma, baseOffset: baseOffset,
          alternateOffset: alternateOffset))
    }
    self.init(channels: channels, baseHeadroom: base, alternateHeadroom: other)
  }

  /// The block of ISO 21496-1, annex C.
  var block: [UInt8] {
    let flags = Flag.usesBaseColours | (channels.count == 3 ? Flag.hasThreeChannels : 0)
    var bytes: [UInt8] = [0, 0, 0, 0, UInt8(flags)]
    var numbers = [baseHeadroom, alternateHeadroom]
    for channel in channels {
      numbers += [
        channel.minimum, channel.maximum, channel.gamma, channel.baseOffset,
        channel.alternateOffset,
      ]
    }
    for number in numbers {
      let numerator = Int32((number * Double(Self.denominator)).rounded())
      bytes += UInt32(bitPattern: numerator).bigEndianBytes + Self.denominator.bigEndianBytes
    }
    return bytes
  }

  /// Of all fractions that are written.
  private static let denominator: UInt32 = 1_000_000

  private enum Flag {
    static let hasThreeChannels = 0x80
    static let usesBaseColours = 0x40
    // Two of libultrahdr's own.
    static let hasCommonDenominator = 0x08
    static let isBackward = 0x04
  }

  private struct Reader {
    var bytes: ArraySlice<UInt8>
    /// Of all fractions; nil if each has its own.
    var denominator: Int?

    mutating func integer(_ count: Int) -> Int? {
      guard bytes.count >= count else { return nil }
      defer { bytes = bytes.dropFirst(count) }
      return bytes.prefix(count).reduce(0) { $0 << 8 | Int($1) }
    }

    mutating func fraction(isSigned: Bool = true) -> Double? {
      guard let number = integer(4), let denominator = denominator ?? integer(4), denominator != 0
      else { return nil }
      let numerator = isSigned ? Int(Int32(truncatingIfNeeded: number)) : number
      return Double(numerator) / Double(denominator)
    }
  }
}
