internal import Glibc

/// The low frequencies of a plane, by a discrete cosine transform: a constant, and the factors of
/// products of cosines.
struct CosineFactors {
  /// The average of the plane.
  private(set) var constant = 0.0
  /// From 0 to 1: 0.5 is a factor of 0, and 0 and 1 are the largest ones, `-scale` and `scale`.
  private(set) var factors: [Double] = []
  /// The largest absolute factor.
  private(set) var scale = 0.0

  /// - Parameters:
  ///   - plane: a value for each pixel of the image that the cosines are of.
  ///   - across: at most ``Cosines/most``, as `down`.
  init(_ plane: [Double], _ cosines: Cosines, _ across: Int, _ down: Int) {
    for y in 0..<down {
      let row = cosines.factors(plane, y)
      var x = 0
      // Only the triangle of low frequencies: ThumbHash leaves out the others.
      while x * down < across * (down - y) {
        let factor = row[x]
        if x > 0 || y > 0 {
          factors.append(factor)
          scale = max(scale, abs(factor))
        } else {
          constant = factor
        }
        x += 1
      }
    }
    // A plane of one colour has only factors of 0, which cannot be divided by the largest.
    if scale > 0 { factors = factors.map { 0.5 + 0.5 / scale * $0 } }
  }
}

/// The cosines of an image's places, for all frequencies at once.
struct Cosines {
  /// ThumbHash has at most seven in a direction.
  static let most = 8

  private let width: Int
  private let height: Int
  /// By column and by row.
  private let across: [SIMD8<Double>]
  private let down: [SIMD8<Double>]

  init(of image: Thumbnail) {
    (width, height) = (image.width, image.height)
    (across, down) = (Self.all(image.width), Self.all(image.height))
  }

  private static func all(_ length: Int) -> [SIMD8<Double>] {
    (0..<length).map { place in
      var values = SIMD8<Double>()
      for frequency in 0..<most {
        values[frequency] = cos(
          .pi / Double(length) * Double(frequency) * (Double(place) + 0.5))
      }
      return values
    }
  }

  /// The factors of a frequency down and all frequencies across. Each is summed in the order of the pixels, as the reference
  /// program does, so that it has the same bits.
  func factors(_ plane: [Double], _ y: Int) -> SIMD8<Double> {
    var sums = SIMD8<Double>()
    for line in 0..<height {
      let column = down[line][y]
      for place in 0..<width { sums += plane[place + line * width] * across[place] * column }
    }
    return sums / Double(width * height)
  }
}
