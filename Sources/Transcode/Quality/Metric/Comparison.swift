/// How close a candidate is to the reference.
package struct Comparison: Equatable, Sendable {
  /// The SSIMULACRA 2.1 score of the whole image: 100 means identical, 90 visually lossless, 80 very
  /// high quality, 70 high, 50 medium, 30 low. It has no lower bound.
  package let score: Double
  /// The tile with the lowest score.
  package let worstTile: Tile

  /// A part of an image. Its score is the same formula with means and 4-norms over the tile's
  /// pixels at the four finest scales, and over the whole image's at the others.
  package struct Tile: Equatable, Sendable {
    package let score: Double
    package let x: Int
    package let y: Int
    package let width: Int
    package let height: Int
  }
}

/// Compares one channel of a candidate with the reference at one scale, row by row.
///
/// With e for the difference of both images and m, v for blurred means and variances, SSIM's map is
/// 1 - (1 - m(e)²) (1 - v(e) / (v1 + v2 + C)): the same as its usual form, whose covariance would be
/// a small difference of large numbers, and exactly 0 for identical images.
struct ChannelComparison {
  let usesStructure: Bool
  private let stride: Int
  /// Ones for the pixels of a row's last `Floats`, zeros behind its end.
  private let ones: Floats
  /// The last rows of the candidate.
  private var kept: [Floats]
  private var squares: [Floats]
  private var errors: [Floats]
  private var mean: Blur
  private var square: Blur
  private var error: Blur
  /// Of each tile, row by row.
  private(set) var tiles: [MapSums]
  /// Where the tiles' columns begin, in `Floats`, and where the last one ends.
  private let columns: [Int]
  private let rows: [Int]

  init(reference: borrowing ReferenceScale, scale: Int, channel: Int, grid: TileGrid) {
    usesStructure = Weights.features[channel][scale].usesStructure
    stride = reference.stride
    ones = .ones(reference.width - (stride - 1) * laneCount)
    kept = Array(repeating: .zero, count: (Blur.reach + 1) * stride)
    squares = Array(repeating: .zero, count: stride + 2)
    errors = squares
    mean = Blur(stride: stride)
    square = mean
    error = mean
    columns = grid.columns(at: scale).map { ($0 + laneCount - 1) / laneCount }
    rows = grid.rows(at: scale)
    tiles = Array(repeating: MapSums(), count: (columns.count - 1) * (rows.count - 1))
  }

  /// Prepares for another candidate.
  mutating func clear() {
    for index in tiles.indices { tiles[index] = MapSums() }
    mean.clear()
    square.clear()
    error.clear()
  }

  /// Takes the next row of the candidate, with zeros on either side; after the last one, rows of
  /// zeros. Sums up the maps of the row `Blur.reach` above.
  mutating func take(
    _ values: [Floats], row: Int, reference: borrowing ReferenceScale.Channel
  ) {
    mean.take(values, row: row)
    if usesStructure { takeProducts(values, row: row, reference: reference) }
    let start = row % (Blur.reach + 1) * stride
    let finished = row - Blur.reach
    if finished >= 0 {
      let tileRow = rows.dropLast().lastIndex { $0 <= finished } ?? 0
      for column in 0..<columns.count - 1 {
        let part = columns[column]..<columns[column + 1]
        let sums =
          usesStructure
          ? structureSums(part, row: finished, reference: reference)
          : edgeSums(part, row: finished, reference: reference)
        tiles[tileRow * (columns.count - 1) + column] += sums.sums
      }
    }
    for index in 0..<stride { kept[start + index] = values[index + 1] }
  }

  private mutating func takeProducts(
    _ values: [Floats], row: Int, reference: borrowing ReferenceScale.Channel
  ) {
    for index in 1...stride { squares[index] = values[index] * values[index] }
    let start = row * stride - 1
    // Behind the last row, both images are zero.
    if start + stride < reference.values.count {
      for index in 1...stride {
        let difference = reference.values[start + index] - values[index]
        errors[index] = difference * difference
      }
    } else {
      for index in 1...stride { errors[index] = .zero }
    }
    square.take(squares, row: row)
    error.take(errors, row: row)
  }

  private func structureSums(
    _ part: Range<Int>, row: Int, reference: borrowing ReferenceScale.Channel
  ) -> RowSums {
    let window = mean.window(around: row)
    let (means, squares, errors) = (mean.rows.span, square.rows.span, error.rows.span)
    let (values1, means1) = (reference.values.span, reference.means.span)
    let variances1 = reference.variances.span
    let old = kept.span
    let keptStart = row % (Blur.reach + 1) * stride
    var sums = RowSums()
    for index in part {
      let place = row * stride + index
      let mean2 = window.sum(means, index)
      let mean1 = means1[place]
      let shift = (mean1 - mean2) * (mean1 - mean2)
      let variances = variances1[place] + (window.sum(squares, index) - mean2 * mean2)
      let loss = (window.sum(errors, index) - shift) / variances
      let structure = (shift + loss - shift * loss).atLeast(.zero)
      let edge1 = (values1[place] - mean1).absolute
      let edge2 = (old[keptStart + index] - mean2).absolute
      let edge = (edge2 - edge1) / (edge1 + 1)
      let isLast = index == stride - 1
      sums.addStructure(isLast ? structure * ones : structure)
      sums.addEdge(isLast ? edge * ones : edge)
    }
    return sums
  }

  private func edgeSums(
    _ part: Range<Int>, row: Int, reference: borrowing ReferenceScale.Channel
  ) -> RowSums {
    let window = mean.window(around: row)
    let means = mean.rows.span
    let (values1, means1) = (reference.values.span, reference.means.span)
    let old = kept.span
    let keptStart = row % (Blur.reach + 1) * stride
    var sums = RowSums()
    for index in part {
      let place = row * stride + index
      let mean1 = means1[place]
      let edge1 = (values1[place] - mean1).absolute
      let edge2 = (old[keptStart + index] - window.sum(means, index)).absolute
      let edge = (edge2 - edge1) / (edge1 + 1)
      sums.addEdge(index == stride - 1 ? edge * ones : edge)
    }
    return sums
  }
}

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
