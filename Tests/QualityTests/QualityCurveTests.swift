import TesseraTestSupport
import Testing

@testable import TesseraTranscode

/// The curves of encoders, and each step of the search that follows them.
@Suite struct QualityCurveTests {
  /// Measured points: quality and mean score of 38 photographs.
  private static let points: [String: [(Int, Double)]] = [
    "webp": [
      (20, 43.9), (30, 52.5), (40, 58.7), (50, 63.5), (60, 67.2), (70, 70.7), (75, 72.3),
      (80, 76.5),
      (85, 80.3), (90, 84.1), (95, 87.4),
    ],
    "jpeg": [
      (20, 36.7), (30, 52.3), (40, 60.5), (50, 66.1), (60, 69.8), (70, 74.4), (75, 76.8),
      (80, 79.5),
      (85, 82.2), (89, 84.5), (90, 89.1), (95, 92.8),
    ],
    "avif": [
      (20, 15.9), (30, 36), (40, 52.2), (50, 64.5), (55, 70.6), (60, 74.6), (65, 77.5), (70, 79.6),
      (75, 81.7), (80, 83.8), (90, 91.6),
    ],
    "jxl": [
      (20, 49.1), (40, 57.1), (60, 69.6), (70, 74.5), (75, 77.5), (80, 79.9), (85, 83.7),
      (90, 87.3),
      (95, 91.5),
    ],
    "x265": [
      (20, 32.1), (30, 54.8), (40, 70.5), (44, 75.2), (45, 77.2), (50, 80.7), (55, 84.6),
      (60, 86.5), (65, 88.6), (70, 89.7), (80, 91.2),
    ],
  ]
  private static let curves: [String: QualityCurve] = [
    "webp": .webp, "jpeg": .jpeg, "avif": .avif, "jxl": .jxl, "x265": .x265,
  ]

  @Test(arguments: ["webp", "jpeg", "avif", "jxl", "x265"]) func curvesLeadThroughTheirPoints(
    _ name: String
  ) throws {
    let (curve, points) = (try #require(Self.curves[name]), try #require(Self.points[name]))
    for (quality, score) in points {
      #expect(abs(curve.score(at: quality) - score) < 1e-9, "\(quality)")
      #expect(curve.quality(for: score) == quality)
    }
    // Straight lines between them, and on beyond the ends.
    for (low, high) in zip(points, points.dropFirst()) {
      let slope = (high.1 - low.1) / Double(high.0 - low.0)
      let isFirst = low.0 == points[0].0
      let isLast = high.0 == points[points.count - 1].0
      for quality in (isFirst ? 1 : low.0)...(isLast ? 120 : high.0) {
        let score = low.1 + slope * Double(quality - low.0)
        #expect(abs(curve.score(at: quality) - score) < 1e-9, "\(quality)")
        #expect(curve.quality(for: score) == quality)
        if quality < high.0 || isLast {
          #expect(curve.quality(for: score + slope * 0.4) == quality)
        }
        if quality > low.0 || isFirst {
          #expect(curve.quality(for: score - slope * 0.4) == quality)
        }
      }
    }
  }

  /// HEIC has the scale of WebP: what looks as WebP at a quality has the same one.
  @Test func heicHasTheScaleOfWebP() {
    let qualities = (0...100).map { QualityCurve.x265(likeWebP: $0) }
    #expect([1, 20, 50, 65, 80, 90, 100].map { qualities[$0] } == [18, 25, 36, 39, 45, 54, 77])
    #expect(qualities == qualities.sorted() && qualities.allSatisfy { (0...100).contains($0) })
    for quality in 20...95 {
      let like = QualityCurve.x265.score(at: qualities[quality])
      #expect(abs(like - QualityCurve.webp.score(at: quality)) < 1.2, "\(quality)")
    }
  }

  // MARK: The search

  private static func start(
    aim: Double = 70, _ range: ClosedRange<Int> = 40...92, keepsTile: Bool = false
  ) -> QualitySearch {
    QualitySearch(aim: aim, range: range, curve: .webp, keepsTile: keepsTile)
  }

  /// After samples: their qualities, scores and worst tiles.
  private static func search(
    _ samples: [(Int, Double, Double)], keepsTile: Bool = false
  ) -> QualitySearch {
    var search = start(keepsTile: keepsTile)
    for (quality, score, tile) in samples {
      search.add(.init(quality: quality, score: score, worstTile: tile))
    }
    return search
  }

  @Test func theFirstQualityIsThatOfATypicalImage() {
    // 70.7 is reached at 70, and 70 two points before it.
    #expect(Self.start().next == 68 && Self.start(aim: 84.1).next == 90)
    #expect(Self.start(aim: 99).next == 92 && Self.start(aim: 10).next == 40)
    #expect(Self.start(75...80).next == 75 && Self.start(20...50).next == 50)
    #expect(Self.start(keepsTile: true).next == 40)
    #expect(Self.start().best == nil)
  }

  /// From three quarters of a point below the aim to five quarters above it.
  @Test func aScoreNearTheAimIsTheAnswer() {
    func next(_ score: Double) -> Int? { Self.search([(68, score, 100)]).next }
    #expect(next(69.25) == nil && next(71.25) == nil && next(70) == nil)
    #expect(next(69.24) ?? 0 > 68 && next(71.26) ?? 99 < 68)
    #expect(Self.search([(68, 69.24, 100)]).best?.quality == 68)
    // At the lower end of the range any score above it is.
    #expect(Self.search([(40, 95, 100)]).next == nil && Self.search([(41, 95, 100)]).next == 40)
    // At the upper end any below it.
    #expect(Self.search([(92, 20, 100)]).next == nil && Self.search([(91, 20, 100)]).next == 92)
  }

  /// The curve is scaled so that it passes through the sample.
  @Test(arguments: [
    (68, 60.0), (68, 69.2), (68, 75.0), (68, 90.0), (50, 63.5), (80, 50.0), (60, 99.9),
  ])
  func aSampleBeyondTheAimLeadsOn(_ quality: Int, _ score: Double) {
    let next = Self.search([(quality, score, 100)]).next ?? 0
    // What an image with this sample would have, by the distance from 100.
    let factor = max(1, 100 - score) / (100 - QualityCurve.webp.score(at: quality))
    func predicted(_ quality: Int) -> Double {
      100 - (100 - QualityCurve.webp.score(at: quality)) * factor
    }
    // A quarter of a point above the aim.
    let best = (40...92).min { abs(predicted($0) - 70.25) < abs(predicted($1) - 70.25) } ?? 0
    #expect(next == best)
  }

  @Test func betweenTwoSamplesTheCurveDecides() {
    func next(_ low: (Int, Double), _ high: (Int, Double)) -> Int? {
      let search = Self.search([(low.0, low.1, 100), (high.0, high.1, 100)])
      #expect(search.next == Self.search([(high.0, high.1, 100), (low.0, low.1, 100)]).next)
      return search.next
    }
    // The curve itself: 70.25 is reached at 68.7.
    #expect(next((50, 63.5), (80, 76.5)) == 69)
    // An image whose scores lie 10 points lower at both: 80.25 of the curve, at 84.9.
    #expect(next((70, 60.7), (90, 74.1)) == 85)
    // At least a step from each.
    #expect(next((60, 69.24), (70, 90)) == 61 && next((60, 10), (70, 71.3)) == 69)
    #expect(next((60, 60), (62, 80)) == 61 && next((60, 60), (61, 80)) == nil)
    // Two samples of which the better one has the lower quality: not between them.
    let falling = Self.search([(70, 60, 100), (60, 80, 100)])
    #expect(falling.next ?? 99 < 60)
  }

  @Test func theSearchEndsAfterFourSamples() {
    let samples = [(40, 50.0, 100.0), (92, 95, 100), (60, 60, 100), (80, 90, 100)]
    #expect(Self.search(Array(samples.prefix(3))).next != nil && Self.search(samples).next == nil)
    #expect(QualitySearch.mostSamples == 4)
    // A quality is tried once.
    #expect(Self.search([(40, 50, 100), (92, 60, 100)]).next == nil)
  }

  /// The lowest quality that reached the aim, or else the closest; of equals the higher quality.
  @Test func theBestSample() {
    func best(_ samples: (Int, Double, Double)...) -> Int? { Self.search(samples).best?.quality }
    #expect(best((80, 71, 100), (70, 69.25, 100), (60, 69.24, 100)) == 70)
    #expect(best((50, 30, 100), (60, 60, 100), (70, 55, 100)) == 60)
    #expect(best((50, 60, 100), (60, 60, 100), (40, 60, 100)) == 60)
    // A tile that is 18 points worse counts itself.
    #expect(best((60, 90, 51.25), (70, 90, 90)) == 60 && best((60, 90, 51.24), (70, 90, 90)) == 70)
    #expect(QualitySearch.tileMargin == 18)
  }

  /// Of a graphic no answer has a worse tile than the first sample.
  @Test func aGraphicKeepsItsTile() {
    func search(_ samples: (Int, Double, Double)...) -> QualitySearch {
      Self.search(samples, keepsTile: true)
    }
    // A worse tile does not reach any aim, so that the search goes on from there in steps of four.
    #expect(search((40, 60, 80), (60, 90, 79.9)).next == 64)
    #expect(search((40, 60, 80), (60, 90, 80)).next ?? 99 < 60)
    #expect(search((40, 60, 80), (60, 90, 79.9)).best?.quality == 40)
    #expect(search((40, 60, 80), (60, 90, 79.9), (70, 90, 80)).best?.quality == 70)
    // Between a sample that cannot be and one that is too good: the middle.
    #expect(search((40, 60, 80), (50, 90, 79), (70, 95, 85)).next == 60)
    #expect(Self.search([(40, 60, 80), (60, 71, 79.9)]).best?.quality == 60)
  }
}
