/// A format that variants are written in, with what it can hold.
package enum OutputFormat: String, Sendable, CaseIterable {
  case webp, jpeg, png

  /// The longest side in pixels. WebP's header has 14 bits for size minus one, and libwebp stops
  /// one short of that (WEBP_MAX_DIMENSION); libjpeg stops at JPEG_MAX_DIMENSION; PNG has 31 bits,
  /// of which libvips uses VIPS_MAX_COORD.
  package var longestSide: Int {
    switch self {
    case .webp: 16_383
    case .jpeg: 65_500
    case .png: 10_000_000
    }
  }

  package var hasAlpha: Bool { self != .jpeg }
  package var hasAnimation: Bool { self == .webp }
  package var mediaType: String { "image/\(rawValue)" }
  package var fileExtension: String { self == .jpeg ? "jpg" : rawValue }

  /// The values that `effort` may have, or nil where the encoder has no such setting.
  package var efforts: ClosedRange<Int>? { self == .webp ? 0...6 : nil }
  package var hasQuality: Bool { self != .png }
}

/// Everything about a variant that shapes its bytes but is neither crop nor size.
package struct Encoding: Sendable, Hashable {
  package var format: OutputFormat
  /// 1 to 100; nil where the format has no quality.
  package var quality: Int?
  /// Nil where the encoder has no such setting.
  package var effort: Int?
  /// The colour behind translucent pixels, where the source has some and the format has none.
  package var background: Colour?
  /// Whether all frames are written, or the first alone.
  package var isAnimated: Bool

  package init(
    format: OutputFormat, quality: Int?, effort: Int?, background: Colour?, isAnimated: Bool
  ) {
    self.format = format
    self.quality = quality
    self.effort = effort
    self.background = background
    self.isAnimated = isAnimated
  }
}

/// A colour in sRGB, 0 to 255 a channel.
package struct Colour: Sendable, Hashable {
  package var red: UInt8
  package var green: UInt8
  package var blue: UInt8

  package init(red: UInt8, green: UInt8, blue: UInt8) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  package static var white: Colour { Colour(red: 255, green: 255, blue: 255) }

  /// Reads `#rgb` or `#rrggbb`.
  package init?(hexadecimal text: String) {
    guard text.first == "#" else { return nil }
    let digits = text.dropFirst().map(\.hexDigitValue)
    let values = digits.compactMap(\.self)
    guard values.count == digits.count else { return nil }
    switch values.count {
    case 3:
      self.init(
        red: UInt8(values[0] * 17), green: UInt8(values[1] * 17), blue: UInt8(values[2] * 17))
    case 6:
      self.init(
        red: UInt8(values[0] * 16 + values[1]), green: UInt8(values[2] * 16 + values[3]),
        blue: UInt8(values[4] * 16 + values[5]))
    default: return nil
    }
  }

  /// `#rrggbb`.
  package var hexadecimal: String {
    let digits = [red, green, blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    return "#" + digits.joined()
  }
}
