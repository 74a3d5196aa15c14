internal import TesseraImageHeader
internal import TesseraPlan
internal import TesseraWorkers

/// Brings a decoded source into the colour space of its outputs.
///
/// That is 8-bit sRGB or grey; or 8 bits in the source's own profile, if the plan keeps the profile
/// and the samples are RGB. Grey is converted, because some output formats have no grey.
struct ColourConversion {
  private let format: ImageFormat
  /// ``DecodePlan/keepsProfile``.
  private let keepsProfile: Bool
  /// What the file states by numbers.
  private let coded: CodedColours?

  init(source: SourceData, format: ImageFormat, keepsProfile: Bool) {
    (self.format, self.keepsProfile) = (format, keepsProfile)
    coded = CodedColours.stated(in: source, format)
  }

  /// No profile of a camera or printer comes near this size.
  private static let maximumProfileBytes = 4 << 20

  /// Converts an image.
  ///
  /// A profile that cannot be used is a warning; the colours are then interpreted without it. That
  /// a profile is not kept is not a warning: it depends on the pipeline, and warnings are stored
  /// with the source.
  func convert(
    _ image: Raster, warnings: inout [SourceWarning]
  ) throws(VipsError) -> Raster {
    if let coded = codedColours(of: image) {
      if coded.isHDR { warnings.append(.toneMapped) }
      return try coded == .sRGB
        ? withoutProfile(image.withoutField(Raster.profileField)) : convert(image, from: coded)
    }
    guard image.profileLength > 0 else { return try withoutProfile(image) }
    // vips_icc_transform would silently use another profile in place of an unusable one.
    guard image.hasUsableProfile else {
      warnings.append(.damagedProfile)
      return try withoutProfile(image.withoutField(Raster.profileField))
    }
    if keeps(profileOf: image) { return try image.inEightBits() }
    do throws(VipsError) {
      return try image.transformedToSRGB(from: .embedded).withoutField(Raster.profileField)
    } catch {
      warnings.append(.unusableProfile(detail: error.message))
    }
    return try withoutProfile(image.withoutField(Raster.profileField))
  }

  /// Whether the stored samples need no conversion.
  func isIdentity(for image: Raster) -> Bool {
    if let coded = codedColours(of: image) {
      return coded == .sRGB && image.profileLength == 0 && image.isGreyOrSRGB
    }
    return image.profileLength > 0 ? keeps(profileOf: image) : image.isGreyOrSRGB
  }

  /// The numbers that count for an image: those of the file, or of a profile of HDR. Nil if a profile, or nothing, does.
  private func codedColours(of image: Raster) -> CodedColours? {
    if let coded, coded.precedesProfile(in: format) || image.profileLength == 0 { return coded }
    return image.profile?.hdr
  }

  private func keeps(profileOf image: Raster) -> Bool {
    keepsProfile && image.hasUsableProfile && image.isRGB
      && image.profileLength <= Self.maximumProfileBytes
  }

  /// Primaries that are those of no colour space leave the samples as they are.
  private func convert(_ image: Raster, from coded: CodedColours) throws(VipsError) -> Raster {
    guard let profile = coded.profile() else { return try withoutProfile(image) }
    // LittleCMS converts grey in so few steps that dark ones come out wrong.
    let image = try image.isRGB ? image : image.withThreeColours()
    let described = try image.copy()
    described.set(Raster.profileField, profile)
    return try described.transformedToSRGB(from: .embedded).withoutField(Raster.profileField)
  }

  private func withoutProfile(_ image: Raster) throws(VipsError) -> Raster {
    if image.isCMYK {
      // Browsers show JPEGs in CMYK, and multiply the inks, as OpenJPEG's own tools do; others come from printing.
      if format == .jpeg || format == .jp2 { return try image.inksConvertedToSRGB() }
      return try image.transformedToSRGB(from: .cmyk).withoutField(Raster.profileField)
    }
    return image.isGreyOrSRGB && image.isEightBit ? image : try image.convertedToSRGB()
  }
}
