internal import TesseraJSON

/// What samples of one kind of work have cost, from which the cost of others of this kind is estimated.
///
/// The time of a sample is taken as a sum of two parts, each in proportion to a quantity of it: `x` and `y`. The sums are
/// those of a fit by least squares.
package struct CostSums: Sendable, Equatable {
  package var count = 0.0
  package var seconds = 0.0
  /// Bytes that were read.
  package var bytes = 0.0
  package var files = 0.0
  /// Bytes that were written, and what they were estimated to be.
  package var written = 0.0
  package var estimated = 0.0
  package var x = 0.0
  package var y = 0.0
  private var (xx, xy, yy, xt, yt) = (0.0, 0.0, 0.0, 0.0, 0.0)

  /// Older samples count as at most this number, so that new ones show soon.
  private static let most = 500.0
  /// Below this share of the largest possible determinant, `x` and `y` of the samples say nothing apart from each other.
  private static let leastDeterminant = 0.02

  package init() {}

  /// Adds a sample's time and quantities.
  package mutating func add(_ seconds: Double, x: Double = 0, y: Double = 0) {
    count += 1
    self.seconds += seconds
    self.x += x
    self.y += y
    (xx, xy, yy) = (xx + x * x, xy + x * y, yy + y * y)
    (xt, yt) = (xt + x * seconds, yt + y * seconds)
  }

  package static func += (sums: inout CostSums, other: CostSums) {
    sums.values = zip(sums.values, other.values).map(+)
  }

  /// Adds those of a later run.
  package mutating func add(later other: CostSums) {
    let weight = min(1, Self.most / max(1, count))
    values = values.map { $0 * weight }
    self += other
  }

  /// A mean of all samples; nil without any.
  package func mean(_ sum: KeyPath<CostSums, Double>) -> Double? {
    count > 0 ? self[keyPath: sum] / count : nil
  }

  /// Seconds for each of `x` and of `y`.
  ///
  /// - Parameter usual: what they are in proportion to each other, if the samples do not say it, and without samples.
  package func rates(usual: (x: Double, y: Double)) -> (x: Double, y: Double) {
    let determinant = xx * yy - xy * xy
    if determinant > Self.leastDeterminant * xx * yy {
      let rates = (x: (xt * yy - yt * xy) / determinant, y: (yt * xx - xt * xy) / determinant)
      if rates.x >= 0, rates.y >= 0 { return rates }
    }
    return scaled(usual)
  }

  /// Rates in this proportion to each other, by which the samples take their time.
  package func scaled(_ usual: (x: Double, y: Double)) -> (x: Double, y: Double) {
    let expected = usual.x * x + usual.y * y
    let factor = expected > 0 ? seconds / expected : 1
    return (usual.x * factor, usual.y * factor)
  }

  // MARK: In the state

  private var values: [Double] {
    get { [count, seconds, bytes, files, written, estimated, x, y, xx, xy, yy, xt, yt] }
    set {
      (count, seconds, bytes, files) = (newValue[0], newValue[1], newValue[2], newValue[3])
      (written, estimated, x, y) = (newValue[4], newValue[5], newValue[6], newValue[7])
      (xx, xy, yy) = (newValue[8], newValue[9], newValue[10])
      (xt, yt) = (newValue[11], newValue[12])
    }
  }

  var stored: String {
    var writer = JSONWriter()
    writer.array { list in for value in values { list.value(value) } }
    return writer.text
  }

  /// Nil unless ``stored`` made the text.
  init?(stored text: String) {
    let list = (try? JSONParser.parse(Array(text.utf8)))?.arrayValue?.compactMap(\.doubleValue)
    guard let list, list.count == values.count, list.allSatisfy(\.isFinite) else { return nil }
    values = list
  }
}

/// Kinds of work whose cost is recorded.
package enum CostKind: Sendable, Hashable {
  /// The work of a worker on a source of this format, for files of these encoders: `x` are the megapixels of the source, `y`
  /// the work for the files.
  case job(String, encoders: Set<String>)
  /// The transfer of a source, and an answer that it has not changed.
  case transfer
  case confirmation

  /// What the names of such costs begin with.
  private static let job = "job "

  var name: String {
    switch self {
    case .job(let format, let encoders):
      Self.job + ([format] + encoders.sorted()).joined(separator: "+")
    case .transfer: "transfer"
    case .confirmation: "confirmation"
    }
  }

  init?(name: String) {
    switch name {
    case "transfer": self = .transfer
    case "confirmation": self = .confirmation
    default:
      let parts = name.dropFirst(Self.job.count).split(separator: "+").map(String.init)
      guard name.hasPrefix(Self.job), let format = parts.first else { return nil }
      self = .job(format, encoders: Set(parts.dropFirst()))
    }
  }
}
