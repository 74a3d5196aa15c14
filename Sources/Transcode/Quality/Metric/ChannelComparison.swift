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
