internal import TesseraCVips
internal import TesseraImageHeader

/// Colour spaces, profiles and alpha.
extension Raster {
  /// The length of the embedded ICC profile in bytes; 0 if there is none.
  var profileLength: Int { blob(Self.profileField)?.count ?? 0 }
  /// The embedded profile; valid as long as the raster exists.
  var profile: ICCProfile? { blob(Self.profileField).map(ICCProfile.init) }

  /// Whether the embedded profile can be read and is for samples like the image's.
  var hasUsableProfile: Bool {
    profile?.colourSpace == samplesInProfiles && tessera_vips_profile_is_usable(handle) != 0
  }

  /// How profiles name the kind of samples (ICC.1:2022, table 19).
  private var samplesInProfiles: String {
    switch colourSpace {
    case "grey": "GRAY"
    case "cmyk": "CMYK"
    case "lab": "Lab "
    default: "RGB "
    }
  }
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

    /// libvips' name for a built-in profile.
    fileprivate var builtInName: String? {
      switch self {
      case .embedded: nil
      case .cmyk: "cmyk"
      }
    }
  }

  /// Converts to 8-bit sRGB through an ICC profile.
  func transformedToSRGB(from profile: Profile) throws(VipsError) -> Raster {
    guard hasAlpha, vips_image_get_format(handle) == VIPS_FORMAT_USHORT else {
      let intent: VipsIntent =
        switch self.profile?.intent {
        case .perceptual: VIPS_INTENT_PERCEPTUAL
        case .saturation: VIPS_INTENT_SATURATION
        case .relative, nil: VIPS_INTENT_RELATIVE
        }
      return try Self.make { tessera_vips_icc_to_srgb(handle, $0, profile.builtInName, intent) }
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

  /// Converts 8-bit CMYK to sRGB as browsers do where there is no profile. Alpha is not kept.
  func inksConvertedToSRGB() throws(VipsError) -> Raster {
    try Self.make { tessera_vips_inks_to_srgb(handle, $0) }
  }

  /// Grey as red, green and blue of the same samples. Alpha stays.
  func withThreeColours() throws(VipsError) -> Raster {
    try Self.make { tessera_vips_grey_to_rgb(handle, $0) }
  }

  /// Reduced to 8 bits. The profile stays valid.
  func inEightBits() throws(VipsError) -> Raster { isEightBit ? self : try convertedToSRGB() }

  /// Converted from sRGB to CMYK by libvips' built-in profile.
  func convertedToCMYK() throws(VipsError) -> Raster {
    try Self.make { tessera_vips_to_cmyk(handle, $0) }.inMemory().withoutField(Self.profileField)
  }

  /// As everything behind the loader expects it: samples of 8 or 16 bits in grey, red, green and blue, or CMYK, with at
  /// most one more band, which is alpha.
  ///
  /// Lab and XYZ stay: their samples are numbers with a meaning of their own, and so is the light of scRGB.
  ///
  /// - Parameter source: the file that the image was loaded from.
  func usual(_ format: ImageFormat, _ source: SourceData) throws(VipsError) -> Raster {
    switch format {
    // libvips takes any further band for alpha, as TIFF does not.
    case .tiff: try usual(hasAlpha: source.header?.hasAlpha)
    case .avif, .heic: try usual(hasAlpha: nil).asCoded(source.header?.coded)
    default: try usual(hasAlpha: nil)
    }
  }

  /// As the file says of its samples, and libheif does not show them.
  private func asCoded(_ coded: CodedSamples?) throws(VipsError) -> Raster {
    guard let coded else { return self }
    let full = try inFullRange(coded)
    // A profile of grey is for one band.
    return coded.isMonochrome && profile?.colourSpace == "GRAY" ? try full.inOneBand() : full
  }

  /// Grey in three equal bands, as one band. Alpha stays.
  func inOneBand() throws(VipsError) -> Raster {
    guard isRGB else { return self }
    var grey = try Self.make { tessera_vips_extract_bands(handle, $0, 0, 1) }
    if hasAlpha {
      let alpha = try Self.make { tessera_vips_extract_bands(handle, $0, 3, 1) }
      grey = try Self.make { tessera_vips_bandjoin(grey.handle, alpha.handle, $0) }
    }
    let kind = isEightBit ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_GREY16
    return try Self.make { tessera_vips_set_interpretation(grey.handle, $0, kind) }
  }

  func inFullRange(_ coded: CodedSamples) throws(VipsError) -> Raster {
    guard coded.hasLimitedGrey || coded.hasLimitedAlpha else { return self }
    // libheif expands the range of colours, but not that of grey and of alpha.
    return try Self.make {
      tessera_vips_expand_range(
        handle, $0, coded.hasLimitedGrey ? 1 : 0, hasAlpha && coded.hasLimitedAlpha ? 1 : 0)
    }
  }

  private func usual(hasAlpha: Bool?) throws(VipsError) -> Raster {
    let bands = vips_image_get_bands(handle)
    switch interpretation {
    case VIPS_INTERPRETATION_scRGB where profileLength > 0: break
    case VIPS_INTERPRETATION_LAB, VIPS_INTERPRETATION_LABQ, VIPS_INTERPRETATION_LABS,
      VIPS_INTERPRETATION_XYZ, VIPS_INTERPRETATION_scRGB:
      return bands <= 4 && (bands == 3 || hasAlpha != false)
        ? self : try Self.make { tessera_vips_extract_bands(handle, $0, 0, 3) }
    default: break
    }
    let colours: Int32 = isCMYK ? 4 : bands >= 3 ? 3 : 1
    let keepsAlpha = bands > colours && hasAlpha != false && !isCMYK
    if isGreyOrSRGB && isEightBit || isRGB || isCMYK || isGrey16,
      bands == colours + (keepsAlpha ? 1 : 0),
      isEightBit || isSixteenBit
    {
      return self
    }
    var image = try Self.make { tessera_vips_usual_samples(handle, $0) }
    if bands > colours {
      let colour = try Self.make { tessera_vips_extract_bands(image.handle, $0, 0, colours) }
      if keepsAlpha {
        let alpha = try Self.make { tessera_vips_extract_bands(image.handle, $0, colours, 1) }
        image = try Self.make { tessera_vips_bandjoin(colour.handle, alpha.handle, $0) }
      } else {
        image = colour
      }
    }
    let kind: VipsInterpretation =
      switch (colours, image.isEightBit) {
      case (4, _): VIPS_INTERPRETATION_CMYK
      case (3, true): VIPS_INTERPRETATION_sRGB
      case (3, false): VIPS_INTERPRETATION_RGB16
      case (_, true): VIPS_INTERPRETATION_B_W
      case (_, false): VIPS_INTERPRETATION_GREY16
      }
    return try Self.make { tessera_vips_set_interpretation(image.handle, $0, kind) }
  }

  private var isSixteenBit: Bool { vips_image_get_format(handle) == VIPS_FORMAT_USHORT }
  private var isGrey16: Bool { interpretation == VIPS_INTERPRETATION_GREY16 }

  // MARK: Alpha

  /// Composited onto an opaque colour.
  func flattened(red: UInt8, green: UInt8, blue: UInt8) throws(VipsError) -> Raster {
    try Self.make { tessera_vips_flatten(handle, $0, Double(red), Double(green), Double(blue)) }
  }

  /// Without the last band.
  func withoutAlpha() throws(VipsError) -> Raster {
    try Self.make { tessera_vips_extract_bands(handle, $0, 0, vips_image_get_bands(handle) - 1) }
  }

  /// 8-bit colours that were multiplied by their alpha, as they are without it.
  func unpremultiplied() throws(VipsError) -> Raster {
    let straight = try Self.make { tessera_vips_unpremultiply(handle, $0) }
    return try Self.make { tessera_vips_cast_uchar(straight.handle, $0) }
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
    return try least < 255 ? self : withoutAlpha()
  }
}
