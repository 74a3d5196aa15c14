internal import TesseraCVips

/// Orientation, cropping, resizing and stacking.
extension Raster {
  /// Marked with an Exif orientation; the pixels stay as they are.
  func marked(orientation: Int) throws(VipsError) -> Raster {
    let copy = try copy()
    copy.set(Self.orientationField, orientation)
    return copy
  }

  /// Turned upright, without an orientation tag.
  func turnedUpright() throws(VipsError) -> Raster {
    try Self.make { tessera_vips_autorot(handle, $0) }
  }

  func extracted(x: Int, y: Int, width: Int, height: Int) throws(VipsError) -> Raster {
    try Self.make {
      tessera_vips_extract_area(handle, $0, Int32(x), Int32(y), Int32(width), Int32(height))
    }
  }

  /// The origin of the most interesting part of this size, by libvips' attention or entropy
  /// strategy.
  func interestingPart(
    width: Int, height: Int, byEntropy: Bool
  ) throws(VipsError) -> (x: Int, y: Int) {
    let part = try Self.make {
      tessera_vips_smartcrop(handle, $0, Int32(width), Int32(height), byEntropy ? 1 : 0)
    }
    // vips_smartcrop states the position as negated offsets.
    return (-Int(vips_image_get_xoffset(part.handle)), -Int(vips_image_get_yoffset(part.handle)))
  }

  /// Resized to exactly this size with a Lanczos kernel.
  func resized(width: Int, height: Int) throws(VipsError) -> Raster {
    if width == self.width && height == self.height { return self }
    if canBeResampled(width: width, height: height) {
      return try resampled(width: width, height: height)
    }
    let horizontal = Double(width) / Double(self.width)
    let vertical = Double(height) / Double(self.height)
    guard hasAlpha else {
      return try Self.make { tessera_vips_resize(handle, $0, horizontal, vertical) }
    }
    // Premultiplied, so that the colour of transparent pixels does not bleed into dark fringes.
    let premultiplied = try Self.make { tessera_vips_premultiply(handle, $0) }
    let small = try Self.make {
      tessera_vips_resize(premultiplied.handle, $0, horizontal, vertical)
    }
    // vips_premultiply works in float, so the result goes back to bytes.
    return try small.unpremultiplied()
  }

  /// Frames of one size, one below the other, as libvips holds animations.
  static func stacked(_ frames: [Raster]) throws(VipsError) -> Raster {
    guard let first = frames.first else { throw VipsError(message: "the image has no frames") }
    if frames.count == 1 { return first }
    var handles = frames.map { Optional($0.handle) }
    let stack = try make { tessera_vips_stack(&handles, $0, Int32(frames.count)) }.copy()
    stack.set("page-height", first.height)
    return stack
  }

  /// 8-bit red, green, blue and alpha of each pixel, row by row.
  func samples() throws(VipsError) -> [UInt8] {
    try onScreen().withSamples { samples, bands in
      guard bands == 3 else { return Array(samples) }
      let pixels = samples.count / 3
      return [UInt8](unsafeUninitializedCapacity: pixels * 4) { buffer, count in
        for pixel in 0..<pixels {
          for band in 0..<3 { buffer[pixel * 4 + band] = samples[pixel * 3 + band] }
          buffer[pixel * 4 + 3] = 255
        }
        count = pixels * 4
      }
    }
  }
}
