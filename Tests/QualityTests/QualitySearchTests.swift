import TesseraQuality
import Testing

/// The search for a quality, with encoders that are functions.
@Suite struct QualitySearchTests {
  private typealias Sample = QualitySearch.Sample

  /// The answer, and the qualities that were tried, in their order.
  private func find(
    aim: Double, range: ClosedRange<Int> = 40...92, keepsTile: Bool = false,
    curve: QualityCurve = .webp, tile: (Int) -> Double = { _ in 100 }, _ score: (Int) -> Double
  ) -> (answer: Sample?, tried: [Int]) {
    var search = QualitySearch(aim: aim, range: range, curve: curve, keepsTile: keepsTile)
    while let quality = search.next {
      search.add(Sample(quality: quality, score: score(quality), worstTile: tile(quality)))
    }
    return (search.best, search.samples.map(\.quality))
  }

  /// Images that stay farther from 100 than the typical one, or less far, by a factor.
  private func image(_ factor: Double) -> (Int) -> Double {
    let points: [(Double, Double)] = [
      (20, 33), (40, 48), (55, 57.5), (70, 65), (84, 77), (100, 92),
    ]
    return { quality in
      var index = 1
      while index < points.count - 1, points[index].0 < Double(quality) { index += 1 }
      let (low, high) = (points[index - 1], points[index])
      let score = low.1 + (high.1 - low.1) * (Double(quality) - low.0) / (high.0 - low.0)
      return 100 - (100 - score) * factor
    }
  }

  @Test func findsTheAimInAboutTwoEncodes() {
    var (encodes, count) = (0, 0)
    for factor in stride(from: 0.7, through: 1.3, by: 0.02) {
      for aim in [62.0, 67.5, 72] {
        let found = find(aim: aim, image(factor))
        let score = found.answer?.score ?? 0
        let isAtBound = found.answer?.quality == 40 || found.answer?.quality == 92
        #expect(isAtBound || (aim - 0.25...aim + 1.5).contains(score), "\(factor) \(aim): \(found)")
        #expect(found.tried.count <= 4)
        encodes += found.tried.count
        count += 1
      }
    }
    #expect(Double(encodes) / Double(count) <= 2.35)
  }

  @Test func staysWithinTheRange() {
    #expect(find(aim: 67.5) { _ in 20 }.answer?.quality == 92)
    #expect(find(aim: 67.5) { _ in 99 }.answer?.quality == 40)
    let narrow = find(aim: 67.5, range: 80...85, image(1))
    #expect(narrow.answer?.quality == 80 && narrow.tried == [80])
    #expect(find(aim: 67.5, range: 50...50, image(1)).tried == [50])
    #expect(find(aim: 99, range: 50...50, image(1)).tried == [50])
  }

  /// The answer is a quality that was tried: the lowest that reached the aim, or the one that came closest.
  @Test func scoresMayFallWhileTheQualityRises() {
    let wavy = find(aim: 67.5) { self.image(1.2)($0) + ($0 % 2 == 0 ? 1.5 : -1.5) }
    #expect(wavy.tried.contains(wavy.answer?.quality ?? 0) && wavy.answer?.score ?? 0 >= 67.25)
    let step = find(aim: 67.5) { $0 < 60 ? 50 : 90 }
    #expect(step.tried.count <= 4 && step.answer?.score == 90)
    let flat = find(aim: 67.5) { _ in 67 }
    #expect(flat.tried.count <= 4 && flat.answer?.score == 67)
    for value in [-Double.infinity, -1e5, 100] {
      #expect(find(aim: 67.5) { _ in value }.tried.count <= 4)
    }
  }

  /// A score of 70 with a ruined tile is not a score of 70.
  @Test func aWorstTileFarBelowTheScoreCounts() {
    let whole = find(aim: 67.5, image(1))
    let local = find(aim: 67.5, tile: { self.image(1)($0) - 20 }, image(1))
    let quality = (whole.answer?.quality ?? 0, local.answer?.quality ?? 0)
    #expect(quality.1 >= quality.0 + 5)
    let near = find(aim: 67.5, tile: { self.image(1)($0) - 14 }, image(1))
    #expect(near.answer?.quality == quality.0)
  }

  /// Of a graphic no answer has a worse tile than the lowest quality of its range has.
  @Test func graphicsKeepTheirWorstTile() {
    let found = find(
      aim: 77, range: 80...92, keepsTile: true, tile: { $0 == 80 ? 50 : 49.9 }, image(1.2))
    #expect(found.tried.first == 80 && found.tried.count <= 4)
    #expect(found.answer?.quality == 80)
    let better = find(
      aim: 77, range: 80...92, keepsTile: true, tile: { Double($0) }, image(1.1))
    #expect(better.answer?.quality ?? 0 > 80 && better.answer?.score ?? 0 >= 76.75)
  }

  enum Drawing: CaseIterable {
    case plain, gradient, noise

    func pixel(_ x: Int, _ y: Int) -> [UInt8] {
      switch self {
      case .plain: [7, 8, 9]
      case .gradient: [UInt8(x), UInt8(x), 0]
      case .noise: [UInt8((x * 31 + y * 17) % 251), UInt8(x), UInt8(y)]
      }
    }

    /// The last pixel, and the last row, have no neighbour there.
    var flatShare: Double {
      switch self {
      case .plain: 4095.0 / 4096
      case .gradient: 63.0 / 64
      case .noise: 0
      }
    }
  }

  @Test(arguments: Drawing.allCases)
  func flatPixelsAreThoseThatEqualANeighbour(_ drawing: Drawing) throws {
    var samples: [UInt8] = []
    for y in 0..<64 {
      for x in 0..<64 { samples += drawing.pixel(x, y) }
    }
    let features = ImageFeatures(of: try Raster(width: 64, height: 64, samples: samples))
    #expect(features.flatShare == drawing.flatShare)
    #expect(features.isGraphic == (drawing != .noise))
  }
}
