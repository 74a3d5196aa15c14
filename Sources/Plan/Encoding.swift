/// A format that variants are written in, with what it can hold.
package enum OutputFormat: String, Sendable, CaseIterable {
  case webp, jpeg, png, avif, jxl

  /// The longest side in pixels. WebP's header has 14 bits for size minus one, and libwebp stops
  /// one short of that (WEBP_MAX_DIMENSION); libjpeg stops at JPEG_MAX_DIMENSION; PNG has 31 bits,
  /// of which libvips uses VIPS_MAX_COORD. AV1's highest level ends at 16,384, and libheif 1.15
  /// writes longer sides that it does not read back; level 5 of JPEG XL (ISO/IEC 18181-1, annex M)
  /// has 18 bits.
  package var longestSide: Int {
    switch self {
    case .webp: 16_383
    case .jpeg: 65_500
    case .png: 10_000_000
    case .avif: 16_384
    case .jxl: 262_144
    }
  }

  package var hasAlpha: Bool { self != .jpeg }
  /// Whether libvips writes animations in it.
  package var hasAnimation: Bool { self == .webp }

  /// Whether WebP takes over for a source that moves. Who reads these formats reads WebP; JPEG and
  /// PNG are asked for by those who do not, and show the first frame.
  package var givesWayToAnimation: Bool { self == .avif || self == .jxl }

  package var mediaType: String { "image/\(rawValue)" }
  package var fileExtension: String { self == .jpeg ? "jpg" : rawValue }

  /// The values that `effort` may have, or nil where the encoder has no such setting.
  package var efforts: ClosedRange<Int>? {
    switch self {
    case .webp: 0...6
    case .avif: 0...9
    case .jxl: 3...9
    case .jpeg, .png: nil
    }
  }

  package var hasQuality: Bool { self != .png }

  /// Its place among all formats.
  var index: Int {
    switch self {
    case .webp: 0
    case .jpeg: 1
    case .png: 2
    case .avif: 3
    case .jxl: 4
    }
  }
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
  package var metadata: MetadataPolicy

  package init(
    format: OutputFormat, quality: Int?, effort: Int?, background: Colour?, isAnimated: Bool,
    metadata: MetadataPolicy = .strip
  ) {
    self.format = format
    self.quality = quality
    self.effort = effort
    self.background = background
    self.isAnimated = isAnimated
    self.metadata = metadata
  }
}
