import TesseraTranscode
import Testing

@Suite struct QualityTests {
  /// Reference: the functions of PyPI's ssimulacra2 0.3.0 with the borders and scales of the
  /// reference implementation, printed by `Tests/Benchmarks/quality-check --table`.
  private static let scores: [(DrawnImage.Base, DrawnImage.Damage, Int, Int, Double)] = [
    (.gradient, .shifted, 128, 113, 81.2834),
    (.gradient, .noisy, 128, 113, 84.4840),
    (.noise, .blurred, 128, 113, -9.2833),
    (.blocks, .blurred, 128, 113, 61.3135),
    (.gradient, .blurred, 150, 226, 97.1652),
    (.noise, .noisy, 150, 226, 91.0915),
    (.blocks, .posterized, 150, 226, 81.2678),
    (.gradient, .posterized, 64, 48, 67.3457),
    (.gradient, .shifted, 64, 48, 84.9183),
    (.gradient, .blurred, 64, 48, 97.9273),
    (.gradient, .noisy, 64, 48, 88.2104),
    (.noise, .posterized, 64, 48, 83.4200),
    (.noise, .shifted, 64, 48, 91.0846),
    (.noise, .blurred, 64, 48, 17.4561),
    (.noise, .noisy, 64, 48, 94.2783),
    (.blocks, .posterized, 64, 48, 85.6322),
    (.blocks, .shifted, 64, 48, 91.0329),
    (.blocks, .blurred, 64, 48, 68.0096),
    (.blocks, .noisy, 64, 48, 91.9897),
    (.gradient, .posterized, 33, 21, 80.9790),
    (.gradient, .shifted, 33, 21, 90.3075),
    (.gradient, .blurred, 33, 21, 98.1122),
    (.gradient, .noisy, 33, 21, 91.2900),
    (.noise, .posterized, 33, 21, 88.4586),
    (.noise, .shifted, 33, 21, 93.2149),
    (.noise, .blurred, 33, 21, 46.0030),
    (.noise, .noisy, 33, 21, 94.9645),
    (.blocks, .posterized, 33, 21, 89.0105),
    (.blocks, .shifted, 33, 21, 93.2512),
    (.blocks, .blurred, 33, 21, 74.6045),
    (.blocks, .noisy, 33, 21, 92.0909),
    (.gradient, .posterized, 8, 8, 91.3825),
    (.gradient, .shifted, 8, 8, 97.8911),
    (.gradient, .blurred, 8, 8, 96.4086),
    (.gradient, .noisy, 8, 8, 95.1443),
    (.noise, .posterized, 8, 8, 93.2735),
    (.noise, .shifted, 8, 8, 97.6337),
    (.noise, .blurred, 8, 8, 74.2385),
    (.noise, .noisy, 8, 8, 97.1510),
    (.blocks, .posterized, 8, 8, 93.7478),
    (.blocks, .shifted, 8, 8, 99.1148),
    (.blocks, .blurred, 8, 8, 100.0000),
    (.blocks, .noisy, 8, 8, 95.3449),
  ]

  @Test(arguments: scores)
  func scoresMatchTheReference(
    _ base: DrawnImage.Base, _ damage: DrawnImage.Damage, _ width: Int, _ height: Int,
    _ expected: Double
  ) throws {
    var pyramid = ReferencePyramid(of: try DrawnImage.make(base, width, height))
    let score = try pyramid.score(of: DrawnImage.make(base, damage, width, height))
    #expect(abs(score - expected) < 0.01, "\(score) instead of \(expected)")
  }

  @Test(arguments: [(1, 1), (1, 40), (7, 7), (8, 8), (9, 200), (97, 31), (130, 129)])
  func identicalImagesScoreExactly100(_ width: Int, _ height: Int) throws {
    for base in [DrawnImage.Base.gradient, .noise] {
      let image = try DrawnImage.make(base, width, height)
      var pyramid = ReferencePyramid(of: image)
      let result = try pyramid.compare(with: image)
      #expect(result.score == 100)
      #expect(result.worstTile.score == 100)
    }
  }

  /// The last row and column are repeated below 8 pixels.
  @Test(arguments: [(1, 1), (1, 3), (5, 2), (7, 7), (7, 30)])
  func smallImagesScoreAsTheirEnlargements(_ width: Int, _ height: Int) throws {
    func images(_ width8: Int, _ height8: Int) throws -> (RGBImage, RGBImage) {
      func noise(_ x: Int, _ y: Int, _ channel: Int) -> Int {
        DrawnImage.noise(min(x, width - 1), min(y, height - 1), channel)
      }
      return (
        try DrawnImage.raster(width8, height8) { noise($0, $1, $2) },
        try DrawnImage.raster(width8, height8) { noise($0, $1, $2) / 2 + 40 }
      )
    }
    let (small, smallCandidate) = try images(width, height)
    let (large, largeCandidate) = try images(max(width, 8), max(height, 8))
    var pyramid = ReferencePyramid(of: small)
    var enlarged = ReferencePyramid(of: large)
    let score = try pyramid.score(of: smallCandidate)
    #expect(score < 100)
    #expect(score == (try enlarged.score(of: largeCandidate)))
  }

  /// Turning both images a quarter swaps rows and columns, so that only rounding differs.
  @Test func turnedImagesScoreTheSame() throws {
    let (first, second) = (
      try DrawnImage.make(.gradient, 120, 87), try DrawnImage.make(.gradient, .noisy, 120, 87)
    )
    func turned(_ image: RGBImage) throws -> RGBImage {
      try DrawnImage.raster(image.height, image.width) { x, y, channel in
        Int(image.samples[(x * image.width + y) * 3 + channel])
      }
    }
    var pyramid = ReferencePyramid(of: first)
    var other = ReferencePyramid(of: try turned(first))
    let difference = try pyramid.score(of: second) - other.score(of: turned(second))
    #expect(abs(difference) < 0.001)
  }

  @Test func moreDamageScoresLower() throws {
    let image = try DrawnImage.make(.blocks, 130, 120)
    var pyramid = ReferencePyramid(of: image)
    var last = 100.0
    for strength in [4, 8, 16, 32, 64] {
      let candidate = try DrawnImage.raster(130, 120) { x, y, channel in
        let sample = Int(image.samples[(x + 130 * y) * 3 + channel])
        return max(
          0, min(255, sample + (DrawnImage.noise(x, y, channel) - 128) * strength / 128))
      }
      let score = try pyramid.score(of: candidate)
      #expect(score < last)
      last = score
    }
  }

  @Test func scoresDoNotDependOnEarlierCandidates() throws {
    let reference = try DrawnImage.make(.gradient, 141, 77)
    let candidates = try [DrawnImage.Damage.blurred, .noisy, .posterized, .shifted].map {
      try DrawnImage.make(.gradient, $0, 141, 77)
    }
    func results(_ order: [Int]) throws -> [Int: Comparison] {
      var pyramid = ReferencePyramid(of: reference)
      var results: [Int: Comparison] = [:]
      for index in order { results[index] = try pyramid.compare(with: candidates[index]) }
      return results
    }
    #expect(try results([0, 1, 2, 3]) == results([3, 1, 0, 2]))
  }

  /// The exact bits, which every machine must compute. Other numbers mean that stored scores are
  /// no longer comparable.
  @Test func scoresAreTheSameToTheLastBit() throws {
    var pyramid = ReferencePyramid(of: try DrawnImage.make(.noise, 150, 113))
    let result = try pyramid.compare(with: DrawnImage.make(.noise, .noisy, 150, 113))
    #expect(result.score == 90.79653562433869)
    #expect(result.worstTile.score == 90.50264935835905)
  }

  @Test func errorsAreSentences() throws {
    var pyramid = ReferencePyramid(of: try DrawnImage.make(.blocks, 16, 9))
    let other = try DrawnImage.make(.blocks, 9, 16)
    let size = #expect(throws: QualityError.self) { try pyramid.score(of: other) }
    #expect(
      size?.description
        == """
        an image of 9 x 16 pixels cannot be compared with one of 16 x 9: resize it first
        """)
    let shape = #expect(throws: QualityError.self) {
      try RGBImage(width: 4, height: 3, channels: 3, samples: [1, 2, 3])
    }
    #expect(
      shape?.description
        == """
        3 samples are not an image of 4 x 3 pixels with 3 channels; expected both sides from 1, \
        and 3 or 4 channels
        """)
  }

  @Test(arguments: [
    (0, 5, 3, 0), (5, 0, 3, 0), (-2, -3, 3, 18), (2, 2, 1, 4), (2, 2, 2, 8), (2, 2, 5, 20),
    (2, 2, 3, 13), (2, 2, 0, 0), (.max, .max, 3, 3), (.max, 2, 4, 8),
  ])
  func rastersAreChecked(_ width: Int, _ height: Int, _ channels: Int, _ samples: Int) {
    let error = QualityError.shape(
      width: width, height: height, channels: channels, samples: samples)
    #expect(throws: error) {
      try RGBImage(
        width: width, height: height, channels: channels,
        samples: Array(repeating: 0, count: samples))
    }
  }
}
