/// Estimates the bytes of a file, for a price before any file is made.
///
/// The tables are measurements: 22 photographs at three sizes and six qualities (libwebp 1.2.4 at
/// effort 4, libjpeg-turbo 2.1.5 with optimised Huffman tables, libpng 1.6). For AVIF and JPEG XL
/// they have the share of WebP's bytes at the defaults, over 14 photographs at four sizes (libaom
/// 3.6 at effort 2, libjxl 0.7 at effort 5), for HEIC the share at the same quality, over 38 at 512 pixels
/// (x265 3.5). A drawing takes less, noise more: only the sum over many images is useful.
enum ByteEstimate {
  static func bytes(of file: PlannedFile, hasAlpha: Bool) -> Double {
    let pixels = Double(file.size.width) * Double(file.size.height)
    let quality = Double(
      file.encoding.quality ?? file.encoding.automatic?.expected(file.encoding.format) ?? 0)
    switch file.encoding.format {
    case .png: return pixels * 1.9  // photographs; PNG has no quality
    case .webp:
      // WebP stores alpha without loss, which takes about as much again.
      return pixels * at(pixels, webpBySize) * at(quality, webpByQuality) * (hasAlpha ? 2 : 1)
    case .jpeg: return pixels * at(pixels, jpegBySize) * at(quality, jpegByQuality)
    case .avif: return pixels * at(pixels, webpBySize) * 0.81 * at(quality, avifByQuality)
    case .jxl: return pixels * at(pixels, webpBySize) * 0.9 * at(quality, jxlByQuality)
    case .heic: return pixels * at(pixels, webpBySize) * 0.77 * at(quality, webpByQuality)
    }
  }

  /// Bytes per pixel at quality 80, by the number of pixels.
  private static let webpBySize = [
    (1_000.0, 0.25), (16_000, 0.17), (175_000, 0.12), (700_000, 0.094), (4_000_000, 0.075),
  ]
  private static let jpegBySize = [
    (1_000.0, 0.4), (11_000, 0.26), (175_000, 0.148), (700_000, 0.123), (4_000_000, 0.1),
  ]

  /// The factor relative to quality 80, by quality.
  private static let webpByQuality = [
    (0.0, 0.2), (30, 0.43), (50, 0.6), (70, 0.77), (80, 1), (90, 1.64), (100, 3.3),
  ]
  private static let jpegByQuality = [
    (0.0, 0.15), (30, 0.41), (50, 0.57), (70, 0.79), (80, 1), (90, 1.9), (100, 7),
  ]

  /// The factor relative to the defaults, 65 for AVIF and 80 for JPEG XL, by quality.
  private static let avifByQuality = [
    (0.0, 0.1), (40, 0.39), (50, 0.57), (60, 0.86), (65, 1), (70, 1.13), (80, 1.53), (100, 5),
  ]
  private static let jxlByQuality = [
    (0.0, 0.2), (60, 0.63), (70, 0.77), (80, 1), (90, 1.57), (100, 4),
  ]

  /// The value of a table for a key, by linear interpolation; beyond its ends, that of the nearer
  /// end.
  private static func at(_ key: Double, _ table: [(key: Double, value: Double)]) -> Double {
    guard let first = table.first, let last = table.last, key > first.key else {
      return table.first?.value ?? 0
    }
    for (low, high) in zip(table, table.dropFirst()) where key <= high.key {
      return low.value + (high.value - low.value) * (key - low.key) / (high.key - low.key)
    }
    return last.value
  }
}

extension PlanSettings {
  /// The estimated bytes of a file of a source.
  package func estimatedBytes(
    _ size: Size, _ format: OutputFormat, of source: PlanSource
  ) -> Double {
    let file = PlannedFile(
      crop: nil, size: size, encoding: Encoding(self, format, of: source), fallback: nil)
    return ByteEstimate.bytes(of: file, hasAlpha: source.hasAlpha)
  }
}

extension PlannedFile {
  /// Its estimated bytes, with one frame.
  package func estimatedBytes(hasAlpha: Bool) -> Double {
    ByteEstimate.bytes(of: self, hasAlpha: hasAlpha)
  }
}

extension PlannedVariant {
  /// The estimated bytes of the preferred file.
  ///
  /// - Parameter size: what its size would be; nil for its own.
  package func estimatedBytes(hasAlpha: Bool, at size: Size? = nil) -> Double {
    var file = files[0]
    if let size { file.size = size }
    return ByteEstimate.bytes(of: file, hasAlpha: hasAlpha)
  }
}

extension Plan {
  /// The estimated bytes of all files together, with one frame each.
  package func estimatedBytes(hasAlpha: Bool) -> Double {
    files.reduce(0) { $0 + ByteEstimate.bytes(of: $1, hasAlpha: hasAlpha) }
  }
}
