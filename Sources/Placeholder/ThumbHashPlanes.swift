/// The four planes that ThumbHash encodes, one value per pixel. Colours are placed on the average
/// colour, so that transparent pixels add no detail.
struct ThumbHashPlanes {
  let luminance: [Double]
  /// Yellow against blue.
  let yellow: [Double]
  /// Red against green.
  let red: [Double]
  /// Empty if none is.
  let alpha: [Double]
  /// Whether any pixel is translucent.
  let hasAlpha: Bool

  init(_ image: Thumbnail) {
    let count = image.width * image.height
    let (average, opacity) = Self.average(of: image)
    // Exact in floating point: an opaque pixel adds 255 / 255, which is 1.
    hasAlpha = opacity < Double(count)
    let (opacities, shares) = (Self.opacities, Self.shares)
    let samples = image.samples.span
    let empty = [Double](repeating: 0, count: count)
    var (luminance, yellow, red) = (empty, empty, empty)
    var luminances = luminance.mutableSpan
    var yellows = yellow.mutableSpan
    var reds = red.mutableSpan
    for pixel in 0..<count {
      let alpha = Int(samples[pixel * 4 + 3])
      let (left, share) = (1 - opacities[alpha], shares[alpha])
      func colour(_ band: Int) -> Double {
        average[band] * left + share * Double(samples[pixel * 4 + band])
      }
      let (first, second, third) = (colour(0), colour(1), colour(2))
      luminances[pixel] = (first + second + third) / 3
      yellows[pixel] = (first + second) / 2 - third
      reds[pixel] = first - second
    }
    (self.luminance, self.yellow, self.red) = (luminance, yellow, red)
    alpha = hasAlpha ? (0..<count).map { opacities[Int(samples[$0 * 4 + 3])] } : []
  }

  /// The average colour, weighted by alpha, from 0 to 1 per channel; and the sum of all alpha.
  private static func average(of image: Thumbnail) -> (SIMD3<Double>, opacity: Double) {
    let (opacities, shares) = (opacities, shares)
    let samples = image.samples.span
    var average = SIMD3<Double>()
    var opacity = 0.0
    for place in stride(from: 0, to: image.width * image.height * 4, by: 4) {
      let alpha = Int(samples[place + 3])
      average +=
        shares[alpha]
        * SIMD3(Double(samples[place]), Double(samples[place + 1]), Double(samples[place + 2]))
      opacity += opacities[alpha]
    }
    return (opacity > 0 ? average / opacity : average, opacity)
  }

  // MARK: By alpha

  /// From 0 to 1.
  private static let opacities = (0...255).map { Double($0) / 255 }
  /// What a sample of 0 to 255 is multiplied by, to be from 0 to 1 and multiplied by its alpha.
  private static let shares = opacities.map { $0 / 255 }
}
