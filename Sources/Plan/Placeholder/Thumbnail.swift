/// A small image, from which placeholders are computed: 8-bit sRGB with alpha, not premultiplied.
package struct Thumbnail: Sendable {
  package let width: Int
  package let height: Int
  /// Red, green, blue, alpha; rows from the top down.
  package let samples: [UInt8]

  /// The longest side in pixels. ThumbHash is defined for at most 100.
  package static let longestSide = 100

  /// - Precondition: `samples` has four for each pixel, and no side is longer than ``longestSide``.
  package init(width: Int, height: Int, samples: [UInt8]) {
    precondition(samples.count == width * height * 4 && width > 0 && height > 0)
    precondition(max(width, height) <= Self.longestSide)
    self.width = width
    self.height = height
    self.samples = samples
  }
}
