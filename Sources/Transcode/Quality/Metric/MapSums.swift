/// The three error maps of a part of an image, summed: the values and their fourth powers, apart for
/// each of eight columns.
struct MapSums {
  var structure = SIMD8<Double>.zero
  var structure4 = SIMD8<Double>.zero
  var ringing = SIMD8<Double>.zero
  var ringing4 = SIMD8<Double>.zero
  var blurring = SIMD8<Double>.zero
  var blurring4 = SIMD8<Double>.zero

  static func += (sums: inout Self, other: Self) {
    sums.structure += other.structure
    sums.structure4 += other.structure4
    sums.ringing += other.ringing
    sums.ringing4 += other.ringing4
    sums.blurring += other.blurring
    sums.blurring4 += other.blurring4
  }

  /// The weighted means and 4-norms over this number of pixels.
  func weighted(_ weights: Weights.Features, pixels: Int) -> Double {
    func term(_ weights: [Double], _ sum: SIMD8<Double>, _ sum4: SIMD8<Double>) -> Double {
      let mean = Self.total(sum) / Double(pixels)
      let mean4 = Self.total(sum4) / Double(pixels)
      return weights[0] * mean + weights[1] * mean4.squareRoot().squareRoot()
    }
    return term(weights.structure, structure, structure4)
      + term(weights.ringing, ringing, ringing4)
      + term(weights.blurring, blurring, blurring4)
  }

  /// From the first lane to the last: the order of additions is part of the result.
  private static func total(_ lanes: SIMD8<Double>) -> Double {
    var total = 0.0
    for lane in 0..<laneCount { total += lanes[lane] }
    return total
  }
}

/// The same sums over one row of a tile, in single precision.
struct RowSums {
  var structure = Floats.zero
  var structure4 = Floats.zero
  var ringing = Floats.zero
  var ringing4 = Floats.zero
  var blurring = Floats.zero
  var blurring4 = Floats.zero

  @inline(__always)
  mutating func addStructure(_ error: Floats) {
    structure += error
    let square = error * error
    structure4 += square * square
  }

  /// Positive where the candidate has an edge that the reference lacks, negative the other way round.
  @inline(__always)
  mutating func addEdge(_ difference: Floats) {
    let positive = difference.atLeast(.zero)
    ringing += positive
    let square = positive * positive
    ringing4 += square * square
    let negative = positive - difference
    blurring += negative
    let square2 = negative * negative
    blurring4 += square2 * square2
  }

  var sums: MapSums {
    MapSums(
      structure: SIMD8(structure), structure4: SIMD8(structure4), ringing: SIMD8(ringing),
      ringing4: SIMD8(ringing4), blurring: SIMD8(blurring), blurring4: SIMD8(blurring4))
  }
}
