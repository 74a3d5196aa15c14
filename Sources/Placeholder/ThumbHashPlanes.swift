/// The four planes that ThumbHash encodes, one value per pixel. Colours are placed on the average
/// colour, so that transparent pixels add no detail.
struct ThumbHashPlanes {
  private(set) var luminance: [Double] = []
  /// Yellow against blue.
  private(set) var yellow: [Double] = []
  /// Red against green.
  private(set) var red: [Double] = []
  private(set) var alpha: [Double] = []
  /// Whether any pixel is translucent.
  let hasAlpha: Bool

  init(_ image: Thumbnail) {
    let count = image.width * image.height
    let (average, opacity) = Self.average(of: image)
    // Exact in floating point: an opaque pixel adds 255 / 255, which is 1.
    hasAlpha = opacity < Double(count)
    for pixel in 0..<count {
      let opacity = Double(image.samples[pixel * 4 + 3]) / 255
      func colour(_ channel: Int) -> Double {
        average[channel] * (1 - opacity)
          + opacity / 255 * Double(image.samples[pixel * 4 + channel])
      }
      let (first, second, third) = (colour(0), colour(1), colour(2))
      luminance.append((first + second + third) / 3)
      yellow.append((first + second) / 2 - third)
      red.append(first - second)
      alpha.append(opacity)
    }
  }

  /// The average colour, weighted by alpha, from 0 to 1 per channel; and the sum of all alpha.
  private static func average(of image: Thumbnail) -> ([Double], opacity: Double) {
    var average = [0.0, 0.0, 0.0]
    var opacity = 0.0
    for pixel in 0..<image.width * image.height {
      let alpha = Double(image.samples[pixel * 4 + 3]) / 255
      for channel in 0..<3 {
        average[channel] += alpha / 255 * Double(image.samples[pixel * 4 + channel])
      }
      opacity += alpha
    }
    if opacity > 0 { for channel in 0..<3 { average[channel] /= opacity } }
    return (average, opacity)
  }
}
