/// A small image: 8-bit sRGB with alpha, not premultiplied.
public struct PlaceholderPixels: Sendable, Hashable {
  /// Pixels.
  public let width: Int
  /// Pixels.
  public let height: Int
  /// Red, green, blue, alpha; rows from top to bottom.
  public let samples: [UInt8]
}
