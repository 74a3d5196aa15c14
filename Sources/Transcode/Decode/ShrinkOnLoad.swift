internal import TesseraPlan

/// How much of the reduction a codec does while decoding.
///
/// At least a factor of two is left to the resize, as vips_thumbnail does: otherwise the codec's
/// box filter would be visible.
enum ShrinkOnLoad {
  /// JPEG's shrink factor: 1, 2, 4 or 8.
  ///
  /// - Parameter scale: the base's size relative to the source's, at most 1.
  static func jpeg(_ scale: Double) -> Int {
    switch 1 / scale {
    case 16...: 8
    case 8..<16: 4
    case 4..<8: 2
    default: 1
    }
  }

  /// WebP's scale, with the same margin.
  static func webp(_ scale: Double) -> Double { min(1, scale * 2) }
}
