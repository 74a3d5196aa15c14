/// ThumbHash, by Evan Wallace's reference program (github.com/evanw/thumbhash): some 25 bytes for
/// the average colour, the shape, a blurred image and its alpha.
package enum ThumbHash {
  /// The hash of an image. Numbers of bits and components are those of the reference program.
  package static func encode(_ image: Thumbnail) -> [UInt8] {
    let planes = ThumbHashPlanes(image)
    let hasAlpha = planes.hasAlpha
    // The longer side has 7 components, or 5 if alpha takes some of the bytes.
    let most = Double(hasAlpha ? 5 : 7)
    let longer = Double(max(image.width, image.height))
    let across = max(1, rounded(most * Double(image.width) / longer))
    let down = max(1, rounded(most * Double(image.height) / longer))
    // The reference program never takes fewer than three components for luminance.
    let cosines = Cosines(of: image)
    let luminance = CosineFactors(planes.luminance, cosines, max(3, across), max(3, down))
    let yellow = CosineFactors(planes.yellow, cosines, 3, 3)
    let red = CosineFactors(planes.red, cosines, 3, 3)
    let alpha = hasAlpha ? CosineFactors(planes.alpha, cosines, 5, 5) : nil

    let isLandscape = image.width > image.height
    // 24 bits: three constants of 6 bits, the scale of luminance in 5, and a flag for alpha.
    let head =
      // Yellow and red are between -1 and 1, hence 31.5 + 31.5 times the value.
      rounded(63 * luminance.constant) | rounded(31.5 + 31.5 * yellow.constant) << 6
      | rounded(31.5 + 31.5 * red.constant) << 12 | rounded(31 * luminance.scale) << 18
      | (hasAlpha ? 1 : 0) << 23
    // 16 bits: the components of the shorter side in 3, two scales of 6 bits, and a flag for
    // landscape.
    let shape =
      (isLandscape ? down : across) | rounded(63 * yellow.scale) << 3
      | rounded(63 * red.scale) << 9 | (isLandscape ? 1 : 0) << 15
    var hash = [head, head >> 8, head >> 16, shape, shape >> 8].map { UInt8($0 & 255) }
    if let alpha {
      hash.append(UInt8(rounded(15 * alpha.constant) | rounded(15 * alpha.scale) << 4))
    }
    let factors = [luminance, yellow, red, alpha].compactMap(\.self).flatMap(\.factors)
    return hash + packed(factors)
  }

  /// Four bits for each factor, two factors per byte.
  private static func packed(_ factors: [Double]) -> [UInt8] {
    stride(from: 0, to: factors.count, by: 2).map { start in
      let high = start + 1 < factors.count ? rounded(15 * factors[start + 1]) : 0
      return UInt8(rounded(15 * factors[start]) | high << 4)
    }
  }
}

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
