/// How an encoder's scores rise with its quality, for a typical image. Images differ in how far they stay from 100, and
/// less in the shape of the curve.
package struct QualityCurve: Sendable {
  /// By ascending quality, with ascending scores.
  private let points: [(quality: Double, score: Double)]

  private init(_ points: [(quality: Double, score: Double)]) { self.points = points }

  // At 256 pixels. The shapes are those of drawn landscapes; WebP's passes through the mean of photographs at quality 80.
  package static let webp = QualityCurve([
    (20, 33), (40, 48), (55, 57.5), (70, 65), (76, 68.5), (84, 77), (92, 84.5), (100, 90),
  ])
  package static let jpeg = QualityCurve([
    (20, 36), (40, 52), (55, 60), (70, 67), (76, 70.5), (84, 76), (92, 88), (100, 97),
  ])
  package static let avif = QualityCurve([
    (20, 5), (30, 22), (40, 44), (50, 60), (65, 76), (80, 83), (90, 89), (100, 96),
  ])
  package static let jxl = QualityCurve([
    (20, 25), (40, 42), (60, 60), (75, 70), (90, 83), (100, 96),
  ])

  func score(at quality: Int) -> Double {
    Self.at(Double(quality), points.map { ($0.quality, $0.score) })
  }

  /// The quality at which a typical image reaches a score.
  func quality(for score: Double) -> Int {
    Int(Self.at(score, points.map { ($0.score, $0.quality) }).rounded())
  }

  /// By linear interpolation, and beyond the ends with the slope there.
  private static func at(_ key: Double, _ table: [(key: Double, value: Double)]) -> Double {
    var index = 1
    while index < table.count - 1, table[index].key < key { index += 1 }
    let (low, high) = (table[index - 1], table[index])
    return low.value + (high.value - low.value) * (key - low.key) / (high.key - low.key)
  }
}
