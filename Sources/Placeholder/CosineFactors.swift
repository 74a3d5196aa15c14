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

  init(_ plane: [Double], of image: Thumbnail, _ across: Int, _ down: Int) {
    for y in 0..<down {
      var x = 0
      // Only the triangle of low frequencies: ThumbHash leaves out the others.
      while x * down < across * (down - y) {
        let factor = Self.factor(plane, of: image, x, y)
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

  private static func factor(
    _ plane: [Double], of image: Thumbnail, _ x: Int, _ y: Int
  ) -> Double {
    let (width, height) = (image.width, image.height)
    let row = (0..<width).map { cos(.pi / Double(width) * Double(x) * (Double($0) + 0.5)) }
    var factor = 0.0
    for line in 0..<height {
      let column = cos(.pi / Double(height) * Double(y) * (Double(line) + 0.5))
      for place in 0..<width { factor += plane[place + line * width] * row[place] * column }
    }
    return factor / Double(width * height)
  }
}
