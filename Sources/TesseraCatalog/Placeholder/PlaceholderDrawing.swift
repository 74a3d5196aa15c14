internal import TesseraText

extension CatalogPlaceholder {
  /// The pixels of the first valid placeholder of these: the ThumbHash, the BlurHash, the colour. Nil
  /// if none is valid.
  ///
  /// - Parameter size: the size in pixels at which to draw a BlurHash.
  public func pixels(_ size: CatalogSize = CatalogSize(width: 32, height: 32)) -> PlaceholderPixels?
  {
    thumbhash.flatMap { Kind.thumbhash($0).pixels(size) }
      ?? blurhash.flatMap { Kind.blurhash($0).pixels(size) }
      ?? color.flatMap { Kind.color($0).pixels(size) }
  }
}

extension CatalogPlaceholder.Kind {
  /// The pixels of the placeholder. Nil if it is not valid, and for a `data:` URL, which the system's
  /// image decoder reads.
  ///
  /// - Parameter size: the size in pixels at which to draw a BlurHash. A ThumbHash has a size of its
  ///   own, and a colour is one pixel.
  public func pixels(_ size: CatalogSize = CatalogSize(width: 32, height: 32)) -> PlaceholderPixels?
  {
    switch self {
    case .lqip: nil
    case .thumbhash(let text): Self.base64(text).flatMap { ThumbHash.decode($0) }
    case .blurhash(let text): BlurHash.decode(text, width: size.width, height: size.height)
    case .color(let text):
      CatalogPlaceholder(color: text).rgb.map { color in
        PlaceholderPixels(
          width: 1, height: 1, samples: [color.red, color.green, color.blue, 255])
      }
    }
  }

  /// Some tools write a ThumbHash without the padding that RFC 4648, section 4, requires.
  private static func base64(_ text: String) -> [UInt8]? {
    let missing = (4 - text.utf8.count % 4) % 4
    return Base64.decode(text + String(repeating: "=", count: missing))
  }
}
