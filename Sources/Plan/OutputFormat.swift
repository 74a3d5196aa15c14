/// A format of variants, with its limits.
package enum OutputFormat: String, Sendable, Codable, CaseIterable {
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
  /// Whether libvips writes animations in this format.
  package var hasAnimation: Bool { self == .webp }

  /// Whether WebP replaces this format for an animated source. Programs that read AVIF or JPEG XL
  /// read WebP; a pipeline requests JPEG or PNG for programs that may not, so these show the first
  /// frame.
  package var givesWayToAnimation: Bool { self == .avif || self == .jxl }

  package var mediaType: String { "image/\(rawValue)" }
  package var fileExtension: String { self == .jpeg ? "jpg" : rawValue }

  /// The range of `effort`; nil if the encoder lacks it.
  package var efforts: ClosedRange<Int>? {
    switch self {
    case .webp: 0...6  // WebPConfig.method
    case .avif: 0...9  // libvips' `effort`, 9 less cpu-used
    case .jxl: 3...9  // JXL_ENC_FRAME_SETTING_EFFORT, from "falcon" to "tortoise"
    case .jpeg, .png: nil
    }
  }

  package var hasQuality: Bool { self != .png }

  /// The position in `allCases`. A switch, because planning calls it for every file, and a search
  /// of `allCases` is slower.
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
