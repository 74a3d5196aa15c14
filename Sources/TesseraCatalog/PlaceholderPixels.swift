internal import TesseraText

/// A small picture: 8-bit sRGB with alpha, not premultiplied.
public struct PlaceholderPixels: Sendable, Equatable {
  public let width: Int
  public let height: Int
  /// Red, green, blue, alpha; rows from the top down.
  public let samples: [UInt8]
}

extension CatalogPlaceholder {
  /// The best that can be drawn here: the ThumbHash, the BlurHash or the colour; nil where there is none of them, or
  /// none that is whole.
  ///
  /// - Parameter size: of what a BlurHash is drawn as, in pixels.
  public func pixels(_ size: CatalogSize = CatalogSize(width: 32, height: 32)) -> PlaceholderPixels?
  {
    thumbhash.flatMap { Kind.thumbhash($0).pixels(size) }
      ?? blurhash.flatMap { Kind.blurhash($0).pixels(size) }
      ?? color.flatMap { Kind.color($0).pixels(size) }
  }
}

extension CatalogPlaceholder.Kind {
  /// The placeholder as pixels; nil where it is damaged, and for a `data:` URL, which the system's own decoder reads.
  ///
  /// - Parameter size: of what a BlurHash is drawn as, in pixels; a ThumbHash knows its own, a colour is one pixel.
  public func pixels(_ size: CatalogSize = CatalogSize(width: 32, height: 32)) -> PlaceholderPixels?
  {
    switch self {
    case .lqip: nil
    case .thumbhash(let text): Base64.decode(text).flatMap { ThumbHash.decode($0) }
    case .blurhash(let text): BlurHash.decode(text, width: size.width, height: size.height)
    case .color:
      CatalogPlaceholder(color: color).rgb.map { color in
        PlaceholderPixels(
          width: 1, height: 1, samples: [color.red, color.green, color.blue, 255])
      }
    }
  }

  private var color: String? { if case .color(let text) = self { text } else { nil } }
}

/// Base64 (RFC 4648, section 4).
enum Base64 {
  /// Nil where the text is none. Padding may be left out.
  static func decode(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    var (bits, count) = (0 as UInt32, 0)
    var isPadded = false
    for byte in text.utf8 {
      if byte == UInt8(ascii: "=") {
        isPadded = true
        continue
      }
      guard !isPadded, let value = value(of: byte) else { return nil }
      bits = bits << 6 | value
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
      }
    }
    // Six bits alone are no byte.
    return count == 6 ? nil : bytes
  }

  private static func value(of byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
