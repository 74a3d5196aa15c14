/// An image with which candidates are compared by SSIMULACRA 2.1 (Jon Sneyers, Cloudinary; libjxl's
/// `tools/ssimulacra2.cc`).
///
/// What depends on the reference only is computed once. Memory for candidates is allocated at the
/// first one and used for all others. Results depend on nothing but the two images: not on the
/// processor, the C library or earlier candidates.
///
/// - **Alpha.** As in the reference implementation, an image with alpha is blended with a dark and with
///   a bright grey (0.1 and 0.9 in sRGB), and the lower score counts. Opaque images have one score.
/// - **Scales.** A scale exists if the one before has at least 8 pixels on both sides, so that six
///   need 113 pixels. An image without a scale lacks its terms, and so scores higher than a larger
///   image with the same damage: compare its scores with scores of the same size only.
/// - **Below 8 pixels**, which the reference implementation rejects, the last row or column is
///   repeated until there are 8.
/// - **Tiles.** A mean hides local damage. So features are also summed in tiles of 64 pixels: a tile's
///   score has means and 4-norms over its own pixels at scales 1:1 to 1:8, where it has at
///   least 8 pixels a side, and the whole image's at 1:16 and 1:32. An image under 96 pixels is one tile.
package struct ReferencePyramid: ~Copyable {
  package let width: Int
  package let height: Int
  private let isTransparent: Bool
  /// One, or for an image with alpha one on a dark and one on a bright background.
  private let references: [[ReferenceScale]]
  private var comparisons: [ScaleComparison]
  private let grid: TileGrid
  private var image = LinearImage()
  private var next = LinearImage()

  private static let dark: Float = 0.1
  private static let bright: Float = 0.9

  package init(of image: RGBImage) {
    width = image.width
    height = image.height
    isTransparent = image.hasTransparency
    let backgrounds = isTransparent ? [Self.dark, Self.bright] : [0]
    let references = backgrounds.map { Self.scales(of: image, background: $0) }
    self.references = references
    let grid = TileGrid(width: max(8, image.width), height: max(8, image.height))
    self.grid = grid
    comparisons = references[0].indices.map { scale in
      ScaleComparison(reference: references[0][scale], scale: scale, grid: grid)
    }
  }

  private static func scales(of raster: RGBImage, background: Float) -> [ReferenceScale] {
    var (image, next) = (LinearImage(), LinearImage())
    image.take(raster, background: background)
    var scales = [ReferenceScale(of: image, scale: 0)]
    while scales.count < Weights.scales, min(image.width, image.height) >= 8 {
      next.takeHalf(of: image)
      swap(&image, &next)
      scales.append(ReferenceScale(of: image, scale: scales.count))
    }
    return scales
  }

  /// The score of a candidate.
  /// - Throws: `QualityError.size` unless the candidate has the size of the reference.
  package mutating func score(of candidate: RGBImage) throws(QualityError) -> Double {
    try compare(with: candidate).score
  }

  /// The score of a candidate, and its worst tile.
  /// - Throws: `QualityError.size` unless the candidate has the size of the reference.
  package mutating func compare(with candidate: RGBImage) throws(QualityError) -> Comparison {
    guard candidate.width == width, candidate.height == height else {
      throw .size(
        reference: [width, height], candidate: [candidate.width, candidate.height])
    }
    guard isTransparent || candidate.hasTransparency else {
      return compare(candidate, background: 0, with: 0)
    }
    let dark = compare(candidate, background: Self.dark, with: 0)
    let bright = compare(candidate, background: Self.bright, with: references.count - 1)
    return Comparison(
      score: min(dark.score, bright.score),
      worstTile: bright.worstTile.score < dark.worstTile.score ? bright.worstTile : dark.worstTile)
  }

  private mutating func compare(
    _ candidate: RGBImage, background: Float, with reference: Int
  ) -> Comparison {
    image.take(candidate, background: background)
    for scale in comparisons.indices {
      if scale > 0 {
        next.takeHalf(of: image)
        swap(&image, &next)
      }
      comparisons[scale].run(image, reference: references[reference][scale])
    }
    return result()
  }

  private func result() -> Comparison {
    var (whole, shared) = (0.0, 0.0)
    for comparison in comparisons {
      let sum = comparison.weightedSum(in: grid, tile: nil)
      whole += sum
      if comparison.scale >= TileGrid.firstSharedScale { shared += sum }
    }
    let fine = comparisons.prefix(TileGrid.firstSharedScale)
    var worst = (sum: -1.0, tile: 0)
    for tile in 0..<grid.count {
      let sum = fine.reduce(shared) { $0 + $1.weightedSum(in: grid, tile: tile) }
      if sum > worst.sum { worst = (sum, tile) }
    }
    let area = grid.area(of: worst.tile)
    return Comparison(
      score: Weights.score(whole),
      worstTile: .init(
        score: Weights.score(worst.sum), x: area.x.lowerBound, y: area.y.lowerBound,
        width: min(width, area.x.upperBound) - area.x.lowerBound,
        height: min(height, area.y.upperBound) - area.y.lowerBound))
  }
}

/// Compares a candidate with the reference at one scale.
struct ScaleComparison {
  private var line: OpsinRow
  private var channels: [ChannelComparison]
  let scale: Int

  init(reference: borrowing ReferenceScale, scale: Int, grid: TileGrid) {
    self.scale = scale
    line = OpsinRow(stride: reference.stride)
    channels = []
    for channel in 0..<3 {
      channels.append(
        ChannelComparison(reference: reference, scale: scale, channel: channel, grid: grid))
    }
  }

  mutating func run(_ image: borrowing LinearImage, reference: borrowing ReferenceScale) {
    for channel in 0..<3 { channels[channel].clear() }
    for row in 0..<image.height + Blur.reach {
      line.take(row, of: image)
      for channel in 0..<3 where Weights.features[channel][scale].usesAny {
        channels[channel].take(
          line.channel(channel), row: row, reference: reference.channels[channel])
      }
    }
  }

  /// The weighted features of a tile, or of the whole image.
  func weightedSum(in grid: TileGrid, tile: Int?) -> Double {
    var sum = 0.0
    for channel in 0..<3 {
      let tiles = channels[channel].tiles
      var maps = MapSums()
      var pixels = 0
      for index in tile.map({ $0..<$0 + 1 }) ?? tiles.indices {
        let area = grid.area(of: index, at: scale)
        maps += tiles[index]
        pixels += area.x.count * area.y.count
      }
      sum += maps.weighted(Weights.features[channel][scale], pixels: pixels)
    }
    return sum
  }
}

/// What comparisons need of the reference at one scale: of each channel the values, their blurred
/// mean and their local variance.
struct ReferenceScale {
  struct Channel {
    /// Rows of `Floats`, one after the other. Empty if the score does not depend on the channel.
    var values: [Floats] = []
    var means: [Floats] = []
    /// The variance plus the constant that SSIM adds. Empty if the score does not depend on the map.
    var variances: [Floats] = []
  }

  /// C2 of SSIM, larger than in the paper (0.0003): `tools/ssimulacra2.cc`.
  static let stabilizer: Float = 0.0009

  let width: Int
  let height: Int
  let stride: Int
  let channels: [Channel]

  init(of image: borrowing LinearImage, scale: Int) {
    width = image.width
    height = image.height
    stride = image.stride
    var builders = (0..<3).map {
      Builder(Weights.features[$0][scale], stride: image.stride, height: image.height)
    }
    var line = OpsinRow(stride: stride)
    for row in 0..<height + Blur.reach {
      line.take(row, of: image)
      for channel in 0..<3 { builders[channel].take(line.channel(channel), row: row) }
    }
    channels = builders.map(\.result)
  }

  /// Makes a channel's planes, row by row.
  private struct Builder {
    private let weights: Weights.Features
    private let stride: Int
    private let height: Int
    private var mean: Blur
    private var square: Blur
    private var squares: [Floats]
    private(set) var result = Channel()

    init(_ weights: Weights.Features, stride: Int, height: Int) {
      self.weights = weights
      self.stride = stride
      self.height = height
      mean = Blur(stride: stride)
      square = mean
      squares = Array(repeating: .zero, count: stride + 2)
      guard weights.usesAny else { return }
      result.values.reserveCapacity(stride * height)
      result.means.reserveCapacity(stride * height)
      if weights.usesStructure { result.variances.reserveCapacity(stride * height) }
    }

    mutating func take(_ values: [Floats], row: Int) {
      guard weights.usesAny else { return }
      mean.take(values, row: row)
      if weights.usesStructure {
        for index in 1...stride { squares[index] = values[index] * values[index] }
        square.take(squares, row: row)
      }
      if row < height { result.values.append(contentsOf: values[1...stride]) }
      if row >= Blur.reach { finish(row - Blur.reach) }
    }

    private mutating func finish(_ row: Int) {
      let window = mean.window(around: row)
      for index in 0..<stride {
        let blurred = window.sum(mean.rows.span, index)
        result.means.append(blurred)
        guard weights.usesStructure else { continue }
        let variance = window.sum(square.rows.span, index) - blurred * blurred
        result.variances.append(variance + stabilizer)
      }
    }
  }
}

/// The tiles of an image: squares of 64 pixels, the last column and row from 32 to 95.
struct TileGrid: Sendable {
  static let side = 64
  /// At this scale and coarser ones, a tile would have too few pixels for a mean.
  static let firstSharedScale = 4

  private let columnCount: Int
  private let rowCount: Int
  private let width: Int
  private let height: Int

  init(width: Int, height: Int) {
    self.width = width
    self.height = height
    columnCount = max(1, (width + Self.side / 2) / Self.side)
    rowCount = max(1, (height + Self.side / 2) / Self.side)
  }

  var count: Int { columnCount * rowCount }

  /// Where the tiles' columns begin at a scale, and where the last one ends. A coarse scale has one.
  func columns(at scale: Int) -> [Int] { bounds(columnCount, length: width, scale: scale) }
  func rows(at scale: Int) -> [Int] { bounds(rowCount, length: height, scale: scale) }

  private func bounds(_ count: Int, length: Int, scale: Int) -> [Int] {
    let unit = 1 << scale
    let tiles = scale < Self.firstSharedScale ? count : 1
    return (0..<tiles).map { $0 * (Self.side / unit) } + [(length + unit - 1) / unit]
  }

  /// The pixels of a tile at a scale.
  func area(of tile: Int, at scale: Int = 0) -> (x: Range<Int>, y: Range<Int>) {
    let (columns, rows) = (columns(at: scale), rows(at: scale))
    let (column, row) = (tile % (columns.count - 1), tile / (columns.count - 1))
    return (columns[column]..<columns[column + 1], rows[row]..<rows[row + 1])
  }
}
