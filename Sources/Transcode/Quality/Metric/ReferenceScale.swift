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
