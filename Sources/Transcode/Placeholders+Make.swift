internal import TesseraPlaceholder
internal import TesseraPlan
internal import TesseraText
internal import TesseraWire

extension Pyramid {
  /// The longest side, in pixels, of the tiny picture that goes into the catalog itself, and its quality:
  /// some hundred bytes.
  private static let tinySide = 16
  private static let tinyQuality = 30

  /// All placeholders, of the first frame of the whole picture.
  mutating func placeholders() throws(VipsError) -> Placeholders {
    let small = try whole(Thumbnail.longestSide)
    let thumbnail = Thumbnail(
      width: small.width, height: small.height, samples: try small.samples())
    let colour = DominantColour.of(thumbnail).map {
      Colour(red: $0.red, green: $0.green, blue: $0.blue).hexadecimal
    }
    let tiny = try whole(Self.tinySide).onScreen().prepared(keeping: .strip, isAnimation: false).0
    let file = try tiny.webp(quality: Self.tinyQuality, effort: 6).withBytes { bytes in
      WebPContainer.clean(bytes) ?? Array(bytes)
    }
    return Placeholders(
      color: colour, thumbHash: Base64.encode(ThumbHash.encode(thumbnail)),
      blurHash: BlurHash.encode(thumbnail), lqip: "data:image/webp;base64," + Base64.encode(file))
  }

  /// The first frame with a longer side of so many pixels, or as large as it is.
  private mutating func whole(_ longest: Int) throws(VipsError) -> Picture {
    let encoding = Encoding(
      format: .webp, quality: nil, effort: nil, background: nil, isAnimated: false)
    let file = PlannedFile(
      crop: nil, size: size(fitting: longest), encoding: encoding, fallback: nil)
    return try frames(for: file)[0]
  }
}
