internal import TesseraCVips

extension Raster {
  /// Calls `body` with the samples of an image in 8-bit sRGB, row by row without gaps: three bands, or four with alpha.
  func withSamples<Value>(
    _ body: (_ samples: UnsafeBufferPointer<UInt8>, _ bands: Int) -> Value
  ) throws(VipsError) -> Value {
    let isSRGB = isEightBit && vips_image_get_interpretation(handle) == VIPS_INTERPRETATION_sRGB
    let image = try (isSRGB ? self : convertedToSRGB()).inMemory()
    let bands = Int(vips_image_get_bands(image.handle))
    guard image.isEightBit, bands == 3 || bands == 4, let start = image.handle.pointee.data else {
      throw VipsError(message: "the image has no samples of sRGB")
    }
    return withExtendedLifetime(image) {
      body(
        UnsafeBufferPointer(
          start: start, count: width * height * bands), bands)
    }
  }

  /// An image of samples that were allocated with malloc(3), and are freed with it.
  ///
  /// - Parameter bands: grey, red, green and blue, or inks; one more is alpha.
  static func owning(
    _ samples: UnsafeMutableRawPointer, width: Int, height: Int, bands: Int, isWide: Bool,
    isCMYK: Bool
  ) throws(VipsError) -> Raster {
    let kind =
      isCMYK
      ? VIPS_INTERPRETATION_CMYK
      : bands < 3
        ? isWide ? VIPS_INTERPRETATION_GREY16 : VIPS_INTERPRETATION_B_W
        : isWide ? VIPS_INTERPRETATION_RGB16 : VIPS_INTERPRETATION_sRGB
    return try make {
      tessera_vips_from_owned_samples(
        samples, Int32(width), Int32(height), Int32(bands),
        isWide ? VIPS_FORMAT_USHORT : VIPS_FORMAT_UCHAR, kind, $0)
    }
  }

  /// An image of samples in 8-bit sRGB: three bands, or four with alpha.
  static func of(
    samples: UnsafeRawBufferPointer, width: Int, height: Int, bands: Int
  ) throws(VipsError) -> Raster {
    try make {
      tessera_vips_from_samples(
        samples.baseAddress, samples.count, Int32(width), Int32(height), Int32(bands), $0)
    }
  }

  static func of(
    samples: [UInt8], width: Int, height: Int, bands: Int
  ) throws(VipsError) -> Raster {
    let made = samples.withUnsafeBytes { samples in
      Result { () throws(VipsError) in
        try of(samples: samples, width: width, height: height, bands: bands)
      }
    }
    return try made.get()
  }
}
