/// What an image shows of itself before it is encoded.
package struct ImageFeatures: Sendable, Equatable {
  /// The share of pixels, from 0 to 1, that equal their right or their lower neighbour in all channels.
  ///
  /// Resampled photographs have few; the flat areas and plain gradients of graphics, screenshots and text have many.
  package let flatShare: Double

  /// From this share of flat pixels on, an image counts as a graphic.
  private static let graphicShare = 0.15

  package var isGraphic: Bool { flatShare >= Self.graphicShare }

  package init(of image: Raster) {
    let (width, height, channels) = (image.width, image.height, image.channels)
    let samples = image.samples.span
    let row = width * channels
    var flat = 0
    for y in 0..<height {
      for x in 0..<width {
        let start = y * row + x * channels
        func isEqual(_ other: Int) -> Bool {
          for channel in 0..<channels where samples[start + channel] != samples[other + channel] {
            return false
          }
          return true
        }
        if (x + 1 < width && isEqual(start + channels)) || (y + 1 < height && isEqual(start + row))
        {
          flat += 1
        }
      }
    }
    flatShare = Double(flat) / Double(width * height)
  }
}
