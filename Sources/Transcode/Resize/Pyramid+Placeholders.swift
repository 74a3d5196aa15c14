internal import TesseraPlaceholder
internal import TesseraPlan
internal import TesseraText
internal import TesseraWire

/// What a client draws until a file has loaded.
extension Pyramid {
  /// Placeholders, from the first frame of the uncropped image; none if no kind is configured.
  mutating func placeholders(_ kinds: [Placeholders.Kind]) throws(VipsError) -> Placeholders {
    guard !kinds.isEmpty else { return Placeholders() }
    // All from one small image in sRGB: the base may be in the source's own profile.
    let small = try uncropped(Thumbnail.longestSide).onScreen().inMemory()
    let thumbnail = Thumbnail(
      width: small.width, height: small.height, samples: try small.samples())
    var placeholders = Placeholders()
    for kind in Placeholders.Kind.allCases where kind == .color || kinds.contains(kind) {
      placeholders[kind] = try placeholder(kind, small, thumbnail)
    }
    return placeholders
  }

  /// Nil if the image has none of the kind.
  private func placeholder(
    _ kind: Placeholders.Kind, _ small: Raster, _ thumbnail: Thumbnail
  ) throws(VipsError) -> String? {
    switch kind {
    case .color:
      return DominantColour.of(thumbnail).map {
        Colour(red: $0.red, green: $0.green, blue: $0.blue).hexadecimal
      }
    case .thumbhash: return Base64.encode(ThumbHash.encode(thumbnail))
    case .blurhash: return BlurHash.encode(thumbnail)
    case .css: return String(CSSPlaceholder.encode(thumbnail))
    }
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
