/// How the pixels of a table are stored. The raw value is the catalog's word and the extension of a
/// file's name.
public enum TablePixels: String, Codable, Sendable, CaseIterable {
  /// Blue, green, red, alpha; 8 bits each; the colours are multiplied by alpha. What Core Graphics and
  /// most displays use.
  case bgra8
  /// Red, green, blue, alpha; 8 bits each; the colours are multiplied by alpha. What Android's bitmaps and
  /// most graphics interfaces use.
  case rgba8
  /// 16 bits, little-endian: red in the upper 5, green in 6, blue in the lower 5; no alpha.
  case rgb565
  /// The brightness; no alpha.
  case grey8
  /// No ready pixels, but an atlas: all images in one WebP file, for the web.
  case webp

  /// The number of the format in a file's header; nil for an atlas.
  package var code: Int? {
    switch self {
    case .bgra8: 1
    case .rgba8: 2
    case .rgb565: 3
    case .grey8: 4
    case .webp: nil
    }
  }

  /// Nil for an atlas.
  public var bytesPerPixel: Int? {
    switch self {
    case .bgra8, .rgba8: 4
    case .rgb565: 2
    case .grey8: 1
    case .webp: nil
    }
  }

  package init?(code: Int) {
    guard let pixels = Self.allCases.first(where: { $0.code == code }) else { return nil }
    self = pixels
  }
}

/// Why a file is not a table of pixels, or not a whole one.
public struct TableError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A sentence without its full stop.
  public var description: String

  package init(_ description: String) { self.description = description }
}
