import TesseraTranscode
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

  private static let qualities = [30.0, 40, 50, 60, 70, 75, 80, 85, 90, 95]
  /// Scores of seven photographs at 512 pixels in WebP, at these qualities.
  private static let photographs = [
    [62.3, 66.7, 70.6, 73.4, 75.6, 77.0, 80.2, 83.1, 85.6, 88.3],
    [30.1, 39.0, 43.8, 52.5, 56.6, 59.7, 65.5, 73.3, 78.4, 82.2],
    [30.1, 37.3, 45.3, 51.1, 60.5, 63.2, 70.7, 76.6, 83.1, 88.3],
    [55.5, 62.0, 66.0, 67.2, 70.8, 71.7, 75.0, 78.3, 81.8, 84.4],
    [43.9, 54.0, 60.8, 65.3, 69.4, 71.3, 76.4, 80.3, 84.8, 88.3],
    [27.7, 39.4, 46.9, 53.4, 58.0, 60.9, 68.1, 74.9, 81.3, 86.2],
    [64.1, 69.5, 73.1, 74.8, 77.4, 78.1, 80.5, 82.9, 85.4, 87.8],
  ]

  /// One of the photographs, farther from 100 than it is, or less far, by a factor.
  private func image(_ factor: Double, _ number: Int = 4) -> (Int) -> Double {
    let points = Array(zip(Self.qualities, Self.photographs[number]))
    return { quality in
      var index = 1
      while index < points.count - 1, points[index].0 < Double(quality) { index += 1 }
      let (low, high) = (points[index - 1], points[index])
      let score = low.1 + (high.1 - low.1) * (Double(quality) - low.0) / (high.0 - low.0)
      return 100 - (100 - score) * factor
    }
  }

  @Test func findsTheAimInTwoOrThreeEncodes() {
    var (encodes, count) = (0, 0)
    for number in Self.photographs.indices {
      for aim in stride(from: 60.0, through: 80, by: 1) {
        let found = find(aim: aim, image(1, number))
        let score = found.answer?.score ?? 0
        let isAtBound = found.answer?.quality == 40 || found.answer?.quality == 92
        #expect(
          isAtBound || (aim - 0.75...aim + 1.25).contains(score), "\(number) \(aim): \(found)")
        #expect(found.tried.count <= 4)
        encodes += found.tried.count
        count += 1
      }
    }
    // All 38 photographs take 2.0 at their default target; these are unlike each other.
    #expect(Double(encodes) / Double(count) <= 2.4)
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
    #expect(wavy.tried.contains(wavy.answer?.quality ?? 0) && wavy.answer?.score ?? 0 >= 66.75)
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
    let local = find(aim: 67.5, tile: { self.image(1)($0) - 24 }, image(1))
    let quality = (whole.answer?.quality ?? 0, local.answer?.quality ?? 0)
    #expect(quality.1 >= quality.0 + 5)
    let near = find(aim: 67.5, tile: { self.image(1)($0) - 14 }, image(1))
    #expect(near.answer?.quality == quality.0)
  }

  /// Of a graphic no answer has a worse tile than the lowest quality of its range has.
  @Test func graphicsKeepTheirWorstTile() {
    let found = find(
      aim: 77, range: 80...92, keepsTile: true, tile: { $0 == 80 ? 90 : 89.9 }, image(1.2))
    #expect(found.tried.first == 80 && found.tried.count <= 4)
    #expect(found.answer?.quality == 80)
    let better = find(
      aim: 77, range: 80...92, keepsTile: true, tile: { Double($0) }, image(1.1))
    #expect(better.answer?.quality ?? 0 > 80 && better.answer?.score ?? 0 >= 76.75)
  }

  enum Drawing: CaseIterable {
    case plain, gradient, noise, cells, horizon

    func pixel(_ x: Int, _ y: Int) -> [UInt8] {
      switch self {
      case .plain: [7, 8, 9]
      case .gradient: [UInt8(x), UInt8(x), 0]
      case .noise: [UInt8((x * 31 + y * 17) % 251), UInt8(x), UInt8(y)]
      // In one channel only.
      case .cells: [(x / 8 + y / 8).isMultiple(of: 2) ? 200 : 168, 90, 90]
      // An even sky above noise.
      case .horizon: y < 48 ? [90, 120, 200] : Self.noise.pixel(x, y)
      }
    }

    /// The last column, and the last row, have no neighbour there.
    var flatShare: Double {
      switch self {
      case .plain: 63.0 * 63 / 4096
      case .gradient, .noise: 0
      // The last column and row of each cell have other neighbours.
      case .cells: 64.0 * 49 / 4096
      case .horizon: 63.0 * 47 / 4096
      }
    }
  }

  @Test(arguments: Drawing.allCases)
  func graphicsHaveFlatPixelsBesideEdges(_ drawing: Drawing) throws {
    var samples: [UInt8] = []
    for y in 0..<64 {
      for x in 0..<64 { samples += drawing.pixel(x, y) }
    }
    let features = ImageFeatures(of: try RGBImage(width: 64, height: 64, samples: samples))
    #expect(features.flatShare == drawing.flatShare)
    #expect(features.flatShareAtEdges == (drawing == .cells ? drawing.flatShare : 0))
    #expect(features.isGraphic == (drawing == .cells))
  }

  /// What is beside edges takes a smaller part of a larger image.
  @Test(arguments: [
    (256, 24, 0.14, true), (512, 40, 0.24, false), (512, 64, 0.38, true), (1024, 24, 0.14, false),
  ])
  func theShareOfAGraphicGrowsWithItsSize(
    _ width: Int, _ cells: Int, _ share: Double, _ isGraphic: Bool
  ) throws {
    // This many of 128 columns are cells, the others noise.
    let samples = (0..<32).flatMap { y in
      (0..<width).flatMap { x in
        (x % 128 < cells ? Drawing.cells : .noise).pixel(x % 128, y)
      }
    }
    let features = ImageFeatures(of: try RGBImage(width: width, height: 32, samples: samples))
    #expect(abs(features.flatShare - share) < 0.01, "\(features)")
    #expect(features.isGraphic == isGraphic)
  }
}
