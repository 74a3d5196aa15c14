/// A format of variants, with its limits.
package enum OutputFormat: String, Sendable, Codable, CaseIterable {
  case webp, jpeg, png, avif, jxl, heic

  /// The longest side in pixels. WebP's header has 14 bits for size minus one, and libwebp stops
  /// one short of that (WEBP_MAX_DIMENSION); libjpeg stops at JPEG_MAX_DIMENSION; PNG has 31 bits,
  /// of which libvips uses VIPS_MAX_COORD. AV1's highest level ends at 16,384, and libheif 1.15
  /// writes longer sides that it does not read back; level 5 of JPEG XL (ISO/IEC 18181-1, annex M)
  /// has 18 bits. HEVC's level 6.2 ends at the square root of 8 x 35,651,584 (ISO/IEC 23008-2, A.4.1).
  package var longestSide: Int {
    switch self {
    case .webp: 16_383
    case .jpeg: 65_500
    case .png: 10_000_000
    case .avif: 16_384
    case .jxl: 262_144
    case .heic: 16_888
    }
  }

  package var hasAlpha: Bool { self != .jpeg }
  /// Whether libvips writes animations in this format.
  package var hasAnimation: Bool { self == .webp }

  /// Whether WebP replaces this format for an animated source. Programs that read AVIF, JPEG XL or HEIC
  /// read WebP; a pipeline requests JPEG or PNG for programs that may not, so these show the first
  /// frame.
  package var givesWayToAnimation: Bool { self == .avif || self == .jxl || self == .heic }

  /// Whether few programs besides apps of Apple's platforms read it. Then `source` does not keep it, and a machine that
  /// can't write it is not short of anything.
  package var isForFewPrograms: Bool { self == .heic }

  package var mediaType: String { "image/\(rawValue)" }
  package var fileExtension: String { self == .jpeg ? "jpg" : rawValue }

  /// The range of `effort`; nil if the encoder lacks it.
  package var efforts: ClosedRange<Int>? {
    switch self {
    case .webp: 0...6  // WebPConfig.method
    case .avif: 0...9  // libvips' `effort`, 9 less cpu-used
    case .jxl: 3...9  // JXL_ENC_FRAME_SETTING_EFFORT, from "falcon" to "tortoise"
    // x265 has presets, which libvips does not set.
    case .jpeg, .png, .heic: nil
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
    case .heic: 5
    }
  }
}

extension OutputFormat {
  /// What is missing where libheif can't encode the format, and where to get it: a clause without its full stop. Nil for
  /// formats that need no encoder of libheif. In Debian 12 libheif itself depends on both.
  package var missingEncoder: String? {
    switch self {
    case .avif:
      "this machine's libheif has no encoder of AV1, which Debian 13 has in the package libheif-plugin-aomenc"
    case .heic:
      "this machine's libheif has no encoder of HEVC, which Debian 13 has in the package libheif-plugin-x265; "
        + "Tessera's archive and its container image leave it out, because x265 is under the GPL"
    case .webp, .jpeg, .png, .jxl: nil
    }
  }
}

/// How much work it is to encode, in one unit for all formats: a pixel in WebP at an effort of 4.
extension OutputFormat {
  /// Of a pixel: medians over 19 photographs at 512 pixels (libwebp 1.2.4, libaom 3.6, libjxl 0.7, x265 3.5), as in the table of
  /// Tests/Benchmarks/RESULTS.md.
  package func work(_ effort: Int?) -> Double {
    switch self {
    case .webp: Self.interpolated(effort ?? 4, [(0, 0.3), (2, 0.53), (4, 1), (6, 1.98)])
    case .avif: Self.interpolated(effort ?? 2, [(0, 0.84), (2, 2.83), (4, 20.3), (9, 100)])
    case .jxl: Self.interpolated(effort ?? 5, [(3, 0.8), (5, 1.88), (7, 3.14), (9, 30)])
    case .heic: 10.7  // with its preset "slow", which libheif sets
    case .jpeg: 0.2
    case .png: 0.6
    }
  }

  private static func interpolated(_ effort: Int, _ table: [(effort: Int, work: Double)]) -> Double
  {
    for (low, high) in zip(table, table.dropFirst()) where effort <= high.effort {
      let part = Double(effort - low.effort) / Double(high.effort - low.effort)
      return low.work + (high.work - low.work) * max(0, part)
    }
    return table.last?.work ?? 1
  }
}
