internal import TesseraImageHeader
internal import TesseraPlan
internal import TesseraWire

/// Brings a decoded source into the colour space of its outputs.
///
/// That is 8-bit sRGB or grey; or 8 bits in the source's own profile, if the plan keeps the profile
/// and the samples are RGB. Grey is converted, because some output formats have no grey.
struct ColourConversion {
  let source: SourceData
  let format: ImageFormat
  /// ``DecodePlan/keepsProfile``.
  let keepsProfile: Bool

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
    guard image.profileLength > 0 else {
      guard isCodedAsDisplayP3 else { return try Self.withoutProfile(image) }
      return try image.transformedToSRGB(from: .displayP3).withoutField(Raster.profileField)
    }
    // vips_icc_transform would silently use another profile in place of an unusable one.
    guard image.hasUsableProfile else {
      warnings.append(.damagedProfile)
      return try Self.withoutProfile(image.withoutField(Raster.profileField))
    }
    if keeps(profileOf: image) { return try image.inEightBits() }
    do throws(VipsError) {
      return try image.transformedToSRGB(from: .embedded).withoutField(Raster.profileField)
    } catch {
      warnings.append(.unusableProfile(detail: error.message))
    }
    return try Self.withoutProfile(image.withoutField(Raster.profileField))
  }

  /// Whether the stored samples need no conversion.
  func isIdentity(for image: Raster) -> Bool {
    image.profileLength > 0 ? keeps(profileOf: image) : image.isGreyOrSRGB
  }

  private func keeps(profileOf image: Raster) -> Bool {
    keepsProfile && image.hasUsableProfile && image.isRGB
      && image.profileLength <= Self.maximumProfileBytes
  }

  /// Whether an AVIF or HEIC file states Display P3 by code points alone, which libvips does not
  /// read.
  private var isCodedAsDisplayP3: Bool {
    guard format == .avif || format == .heic else { return false }
    return CodedColour.primaries(of: source.read(64 << 10, at: 0)) == CodedColour.displayP3
  }

  private static func withoutProfile(_ image: Raster) throws(VipsError) -> Raster {
    if image.isCMYK {
      return try image.transformedToSRGB(from: .cmyk).withoutField(Raster.profileField)
    }
    return image.isGreyOrSRGB && image.isEightBit ? image : try image.convertedToSRGB()
  }
}
