internal import TesseraPlan

/// How much of the reduction the codecs of JPEG and WebP do while decoding.
///
/// At least a factor of two is left to the resize, as vips_thumbnail does: otherwise the codec's
/// box filter would be visible. libwebp could scale by any number, but nothing makes up for what it loses between
/// whole samples.
enum ShrinkOnLoad {
  /// The shrink factor: 1, 2, 4 or 8.
  ///
  /// - Parameters:
  ///   - scale: the base's size relative to the source's, at most 1.
  ///   - size: the source's. At least eight samples of its shorter side remain: libvips 8.14 ends the
  ///     process if none does, and a few are not enough for a good file.
  static func factor(_ scale: Double, of size: Size) -> Int {
    let most = min(1 / scale / 2, Double(min(size.width, size.height)) / 8)
    return [8, 4, 2].first { Double($0) <= most } ?? 1
  }
}
