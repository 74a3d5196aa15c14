/// A small image: 8-bit sRGB with alpha, not premultiplied.
public struct PlaceholderPixels: Sendable, Equatable {
  public let width: Int
  public let height: Int
  /// Red, green, blue, alpha; rows from top to bottom.
  public let samples: [UInt8]
}
