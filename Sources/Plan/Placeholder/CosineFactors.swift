internal import Glibc
internal import Synchronization

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
    // Only the triangle of low frequencies: ThumbHash leaves out the others.
    let counts = (0..<down).map { (across * (down - $0) + down - 1) / down }
    for y in stride(from: 0, to: down, by: 2) {
      let (first, second) = cosines.factors(plane, y, counts[y])
      add((0..<counts[y]).map { first[$0] }, isFirst: y == 0)
      if y + 1 < down { add((0..<counts[y + 1]).map { second[$0] }, isFirst: false) }
    }
    // A plane of one colour has only factors of 0, which cannot be divided by the largest.
    if scale > 0 { factors = factors.map { 0.5 + 0.5 / scale * $0 } }
  }

  /// - Parameter isFirst: whether the row begins with the constant.
  private mutating func add(_ row: [Double], isFirst: Bool) {
    if isFirst { constant = row[0] }
    for factor in row.dropFirst(isFirst ? 1 : 0) {
      factors.append(factor)
      scale = max(scale, abs(factor))
    }
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
    computed.withLock { computed in
      if let known = computed[length] { return known }
      let values = (0..<length).map { place in
        var values = SIMD8<Double>()
        for frequency in 0..<most {
          values[frequency] = cos(
            .pi / Double(length) * Double(frequency) * (Double(place) + 0.5))
        }
        return values
      }
      computed[length] = values
      return values
    }
  }

  /// By length, of which there are at most ``Thumbnail/longestSide``: the images of one site have few sizes.
  private static let computed = Mutex<[Int: [SIMD8<Double>]]>([:])

  /// The factors of a frequency down and of the next one, with the first frequencies across. Each is summed in the order of
  /// the pixels, as the reference program does, so that it has the same bits.
  ///
  /// - Parameter count: how many frequencies across; others may be 0.
  func factors(_ plane: [Double], _ y: Int, _ count: Int) -> (SIMD8<Double>, SIMD8<Double>) {
    switch count {
    case ...2:
      let (first, second) = sums(plane, y) { $0.lowHalf.lowHalf }
      let rest = SIMD2<Double>()
      return (
        widened(SIMD4(lowHalf: first, highHalf: rest)),
        widened(SIMD4(lowHalf: second, highHalf: rest))
      )
    case ...4:
      let (first, second) = sums(plane, y) { $0.lowHalf }
      return (widened(first), widened(second))
    default: return sums(plane, y) { $0 }
    }
  }

  private func widened(_ values: SIMD4<Double>) -> SIMD8<Double> {
    SIMD8(lowHalf: values, highHalf: SIMD4())
  }

  /// - Parameter part: the frequencies that are summed.
  @inline(__always)
  private func sums<Part: SIMD<Double>>(
    _ plane: [Double], _ y: Int, _ part: (SIMD8<Double>) -> Part
  ) -> (Part, Part) {
    var (first, second) = (Part(), Part())
    var pixel = 0
    let next = min(y + 1, Self.most - 1)
    for row in down {
      let (column, nextColumn) = (row[y], row[next])
      for cosines in across {
        let value = plane[pixel] * part(cosines)
        first += value * column
        second += value * nextColumn
        pixel += 1
      }
    }
    let count = Double(width * height)
    return (first / count, second / count)
  }
}

/// The nearest integer, halves up, as JavaScript's `Math.round`: ThumbHash is defined by a program
/// in JavaScript, and its hashes must match.
func rounded(_ value: Double) -> Int { Int((value + 0.5).rounded(.down)) }
