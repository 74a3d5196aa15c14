/// How an encoder's scores rise with its quality, for a typical image. Images differ in how far they stay from 100, and
/// less in the shape of the curve.
package struct QualityCurve: Sendable {
  /// By ascending quality, with ascending scores.
  private let points: [(quality: Double, score: Double)]

  private init(_ points: [(quality: Double, score: Double)]) { self.points = points }

  // The means of 38 photographs at 512 pixels. WebP's scores rise by four points after 75, where libwebp changes its scale;
  // JPEG's do at 90, from where on colour has the full resolution.
  package static let webp = QualityCurve([
    (20, 43.9), (30, 52.5), (40, 58.7), (50, 63.5), (60, 67.2), (70, 70.7), (75, 72.3), (80, 76.5),
    (85, 80.3), (90, 84.1), (95, 87.4),
  ])
  package static let jpeg = QualityCurve([
    (20, 36.7), (30, 52.3), (40, 60.5), (50, 66.1), (60, 69.8), (70, 74.4), (75, 76.8), (80, 79.5),
    (85, 82.2), (89, 84.5), (90, 89.1), (95, 92.8),
  ])
  package static let avif = QualityCurve([
    (20, 15.9), (30, 36), (40, 52.2), (50, 64.5), (55, 70.6), (60, 74.6), (65, 77.5), (70, 79.6),
    (75, 81.7), (80, 83.8), (90, 91.6),
  ])
  package static let jxl = QualityCurve([
    (20, 49.1), (40, 57.1), (60, 69.6), (70, 74.5), (75, 77.5), (80, 79.9), (85, 83.7), (90, 87.3),
    (95, 91.5),
  ])

  // As above, of libheif 1.15 and x265 3.5 with colour in a quarter of the samples, which ends near 92.
  static let x265 = QualityCurve([
    (20, 32.1), (30, 54.8), (40, 70.5), (44, 75.2), (45, 77.2), (50, 80.7), (55, 84.6), (60, 86.5),
    (65, 88.6),
    (70, 89.7), (80, 91.2),
  ])

  /// The quality of x265 at which a typical image has the score of WebP at a quality: that of HEIC in the pipeline file, because
  /// 80 of its own is five times the bytes of 45, which looks as WebP at 80.
  package static func x265(likeWebP quality: Int) -> Int {
    min(max(x265.quality(for: webp.score(at: quality)), 0), 100)
  }

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
