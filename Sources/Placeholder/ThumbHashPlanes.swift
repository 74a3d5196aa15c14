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
    luminance.reserveCapacity(count)
    yellow.reserveCapacity(count)
    red.reserveCapacity(count)
    alpha.reserveCapacity(count)
    for pixel in 0..<count {
      let (samples, opacity) = image.sample(pixel)
      let colour = average * (1 - opacity) + opacity / 255 * samples
      luminance.append((colour[0] + colour[1] + colour[2]) / 3)
      yellow.append((colour[0] + colour[1]) / 2 - colour[2])
      red.append(colour[0] - colour[1])
      alpha.append(opacity)
    }
  }

  /// The average colour, weighted by alpha, from 0 to 1 per channel; and the sum of all alpha.
  private static func average(of image: Thumbnail) -> (SIMD3<Double>, opacity: Double) {
    var average = SIMD3<Double>()
    var opacity = 0.0
    for pixel in 0..<image.width * image.height {
      let (samples, alpha) = image.sample(pixel)
      average += alpha / 255 * samples
      opacity += alpha
    }
    return (opacity > 0 ? average / opacity : average, opacity)
  }
}

extension Thumbnail {
  /// Red, green and blue from 0 to 255, and alpha from 0 to 1.
  fileprivate func sample(_ pixel: Int) -> (SIMD3<Double>, alpha: Double) {
    let place = pixel * 4
    return (
      SIMD3(Double(samples[place]), Double(samples[place + 1]), Double(samples[place + 2])),
      Double(samples[place + 3]) / 255
    )
  }
}
