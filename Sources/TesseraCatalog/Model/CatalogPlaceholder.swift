internal import TesseraText

/// What an app can show of an image until its file has loaded. Only the kinds that the pipeline
/// requests are set.
public struct CatalogPlaceholder: Sendable, Hashable {
  /// The dominant colour of the image, as `#rrggbb`.
  public var color: String?
  /// A ThumbHash in Base64: about 25 bytes for a blurred image with its shape and its alpha.
  public var thumbhash: String?
  /// A BlurHash of four by three components, the four along the longer side.
  public var blurhash: String?
  /// A number of 24 bits, from which a page's style sheet draws a blurred image.
  public var css: Int?

  /// A placeholder of any kinds.
  public init(
    color: String? = nil, thumbhash: String? = nil, blurhash: String? = nil, css: Int? = nil
  ) {
    self.color = color
    self.thumbhash = thumbhash
    self.blurhash = blurhash
    self.css = css
  }
}

extension CatalogPlaceholder: CatalogRecord {
  static var blank: CatalogPlaceholder { CatalogPlaceholder() }

  static func members<Visitor: MemberVisitor & ~Copyable>(
    _ visitor: inout Visitor, _ placeholder: inout CatalogPlaceholder
  ) throws(Visitor.Failure) {
    try visitor.optional("color", &placeholder.color)
    try visitor.optional("thumbhash", &placeholder.thumbhash)
    try visitor.optional("blurhash", &placeholder.blurhash)
    try visitor.optional("css", &placeholder.css)
  }
}

extension CatalogPlaceholder {
  /// One kind of placeholder, with its data.
  public enum Kind: Sendable, Hashable {
    /// In Base64; see ``ThumbHash``.
    case thumbhash(String)
    /// See ``BlurHash``.
    case blurhash(String)
    /// `#rrggbb`.
    case color(String)
  }

  /// The most detailed placeholder; nil if there is none.
  public var best: Kind? {
    if let thumbhash { return .thumbhash(thumbhash) }
    if let blurhash { return .blurhash(blurhash) }
    return color.map { .color($0) }
  }

  /// Red, green and blue of ``color``, 0 to 255; nil if the colour is absent or malformed.
  public var rgb: (red: UInt8, green: UInt8, blue: UInt8)? {
    // UInt32(_:radix:) accepts a sign, so the digits are checked first.
    guard let color, color.utf8.count == 7, color.hasPrefix("#"),
      color.dropFirst().allSatisfy({ $0.isASCII && $0.isHexDigit }),
      let value = UInt32(color.dropFirst(), radix: 16)
    else { return nil }
    return (UInt8(value >> 16), UInt8(value >> 8 & 255), UInt8(value & 255))
  }
}

extension CatalogPlaceholder {
  /// The pixels of the first valid placeholder of these: the ThumbHash, the BlurHash, the colour. Nil
  /// if none is valid.
  ///
  /// - Parameter size: the size in pixels at which to draw; see ``Kind/pixels(_:)``.
  public func pixels(_ size: CatalogSize = CatalogSize(width: 32, height: 32)) -> PlaceholderPixels?
  {
    thumbhash.flatMap { Kind.thumbhash($0).pixels(size) }
      ?? blurhash.flatMap { Kind.blurhash($0).pixels(size) }
      ?? color.flatMap { Kind.color($0).pixels(size) }
  }
}

extension CatalogPlaceholder.Kind {
  /// The pixels of the placeholder. Nil if it is not valid.
  ///
  /// - Parameter size: the size in pixels at which to draw a BlurHash. A ThumbHash has a shape of its own, so that only
  ///   the longer side of the size counts; a colour is one pixel.
  public func pixels(_ size: CatalogSize = CatalogSize(width: 32, height: 32)) -> PlaceholderPixels?
  {
    switch self {
    case .thumbhash(let text):
      Self.base64(text).flatMap { ThumbHash.decode($0, side: max(size.width, size.height)) }
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
