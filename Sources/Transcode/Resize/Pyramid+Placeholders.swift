internal import TesseraPlaceholder
internal import TesseraPlan
internal import TesseraText
internal import TesseraWire

/// What a client draws until a file has loaded.
extension Pyramid {
  /// The longer side, in pixels, and the quality of the tiny WebP that is embedded in the catalog:
  /// a few hundred bytes.
  private static let tinySide = 16
  private static let tinyQuality = 30

  /// All placeholders, from the first frame of the uncropped image.
  mutating func placeholders() throws(VipsError) -> Placeholders {
    let small = try uncropped(Thumbnail.longestSide)
    let thumbnail = Thumbnail(
      width: small.width, height: small.height, samples: try small.samples())
    let colour = DominantColour.of(thumbnail).map {
      Colour(red: $0.red, green: $0.green, blue: $0.blue).hexadecimal
    }
    // The base may be in the source's own profile, which a stripped file would lose.
    let tiny = try uncropped(Self.tinySide).onScreen()
      .prepared(keeping: .strip, isAnimation: false).0
    let file = try tiny.webp(quality: Self.tinyQuality, effort: 6).withBytes { bytes in
      WebPContainer.clean(bytes) ?? Array(bytes)
    }
    return Placeholders(
      color: colour, thumbHash: Base64.encode(ThumbHash.encode(thumbnail)),
      blurHash: BlurHash.encode(thumbnail), lqip: "data:image/webp;base64," + Base64.encode(file))
  }

  /// The first frame, with its longer side reduced to `longest` pixels.
  private mutating func uncropped(_ longest: Int) throws(VipsError) -> Raster {
    // Only the size matters: frames do not depend on the encoding, but for animation.
    let encoding = Encoding(
      format: .webp, quality: nil, effort: nil, background: nil, isAnimated: false)
    let file = PlannedFile(
      crop: nil, size: size(fitting: longest), encoding: encoding, fallback: nil)
    return try frames(for: file)[0]
  }
}
