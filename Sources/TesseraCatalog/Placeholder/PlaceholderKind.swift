extension CatalogPlaceholder {
  /// One kind of placeholder, with its data.
  public enum Kind: Sendable, Hashable {
    /// An image as a `data:` URL.
    case lqip(String)
    /// In Base64; see ``ThumbHash``.
    case thumbhash(String)
    /// See ``BlurHash``.
    case blurhash(String)
    /// `#rrggbb`.
    case color(String)
  }

  /// The most detailed placeholder; nil if there is none.
  public var best: Kind? {
    if let lqip { return .lqip(lqip) }
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
