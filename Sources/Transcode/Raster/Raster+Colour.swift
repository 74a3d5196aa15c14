internal import TesseraCVips

/// Colour spaces, profiles and alpha.
extension Raster {
  /// The length of the embedded ICC profile in bytes; 0 if there is none.
  var profileLength: Int { blob(Self.profileField)?.count ?? 0 }
  /// Whether the embedded profile can be read and matches the image's bands.
  var hasUsableProfile: Bool { tessera_vips_profile_is_usable(handle) != 0 }
  var isCMYK: Bool { interpretation == VIPS_INTERPRETATION_CMYK }

  /// Whether the samples are red, green and blue, in 8 or 16 bits.
  var isRGB: Bool {
    interpretation == VIPS_INTERPRETATION_sRGB || interpretation == VIPS_INTERPRETATION_RGB16
  }

  /// Whether the samples are 8-bit sRGB or grey.
  var isGreyOrSRGB: Bool {
    interpretation == VIPS_INTERPRETATION_sRGB || interpretation == VIPS_INTERPRETATION_B_W
  }

  /// The colour space of the samples, as the catalog names it.
  var colourSpace: String {
    switch interpretation {
    case VIPS_INTERPRETATION_sRGB, VIPS_INTERPRETATION_RGB, VIPS_INTERPRETATION_RGB16,
      VIPS_INTERPRETATION_scRGB:
      "rgb"
    case VIPS_INTERPRETATION_B_W, VIPS_INTERPRETATION_GREY16: "grey"
    case VIPS_INTERPRETATION_CMYK: "cmyk"
    case VIPS_INTERPRETATION_LAB, VIPS_INTERPRETATION_LABQ, VIPS_INTERPRETATION_LABS: "lab"
    default: "other"
    }
  }

  private var interpretation: VipsInterpretation { vips_image_get_interpretation(handle) }

  // MARK: Conversion

  /// The profile that an image's samples are converted from.
  enum Profile {
    case embedded
    /// libvips' built-in CMYK profile.
    case cmyk
    /// libvips' built-in Display P3 profile.
    case displayP3

    /// libvips' name for a built-in profile.
    fileprivate var builtInName: String? {
      switch self {
      case .embedded: nil
      case .cmyk: "cmyk"
      case .displayP3: "p3"
      }
    }
  }

  /// Converts to 8-bit sRGB through an ICC profile.
  func transformedToSRGB(from profile: Profile) throws(VipsError) -> Raster {
    guard hasAlpha, vips_image_get_format(handle) == VIPS_FORMAT_USHORT else {
      return try Self.make { tessera_vips_icc_to_srgb(handle, $0, profile.builtInName) }
    }
    // libvips 8.14.1 treats 16-bit alpha as 8-bit, which makes nearly every pixel opaque. So the
    // colour bands are converted alone, and alpha is reduced to its upper byte.
    let bands = vips_image_get_bands(handle)
    let colour = try Self.make { tessera_vips_extract_bands(handle, $0, 0, bands - 1) }
    let alpha = try Self.make { tessera_vips_extract_bands(handle, $0, bands - 1, 1) }
    let alphaByte = try Self.make { tessera_vips_upper_byte(alpha.handle, $0) }
    let converted = try colour.transformedToSRGB(from: profile)
    return try Self.make { tessera_vips_bandjoin(converted.handle, alphaByte.handle, $0) }
  }

  /// Converted to sRGB if the image has a usable profile; otherwise unchanged.
  func onScreen() throws(VipsError) -> Raster {
    profileLength > 0 && hasUsableProfile ? try transformedToSRGB(from: .embedded) : self
  }

  /// Converts to 8-bit sRGB by the formulas of the colour space, without a profile.
  func convertedToSRGB() throws(VipsError) -> Raster {
    try Self.make { tessera_vips_colourspace(handle, $0, VIPS_INTERPRETATION_sRGB) }
  }

  /// Reduced to 8 bits. The profile stays valid.
  func inEightBits() throws(VipsError) -> Raster { isEightBit ? self : try convertedToSRGB() }

  /// Converted from sRGB to CMYK by libvips' built-in profile.
  func convertedToCMYK() throws(VipsError) -> Raster {
    try Self.make { tessera_vips_to_cmyk(handle, $0) }.inMemory().withoutField(Self.profileField)
  }

  // MARK: Alpha

  /// Composited onto an opaque colour.
  func flattened(red: UInt8, green: UInt8, blue: UInt8) throws(VipsError) -> Raster {
    try Self.make { tessera_vips_flatten(handle, $0, Double(red), Double(green), Double(blue)) }
  }

  /// Without the alpha band if every pixel is opaque. The receiver must be in memory: all its
  /// pixels are read.
  func withoutOpaqueAlpha() throws(VipsError) -> Raster {
    guard hasAlpha, isEightBit else { return self }
    // Resizing with alpha costs a premultiplication: without it, a PNG of 13 megapixels in four
    // sizes takes 0.81 of the processor time.
    let bands = vips_image_get_bands(handle)
    let alpha = try Self.make { tessera_vips_extract_bands(handle, $0, bands - 1, 1) }
    var least = 0.0
    vips_error_clear()
    guard tessera_vips_least(alpha.handle, &least) == 0 else { throw VipsError.current() }
    if least < 255 { return self }
    return try Self.make { tessera_vips_extract_bands(handle, $0, 0, bands - 1) }
  }
}
