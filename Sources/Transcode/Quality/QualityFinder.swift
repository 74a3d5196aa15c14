internal import TesseraImageHeader
internal import TesseraPlan
internal import TesseraWorkers

/// Finds the qualities of encodings for one image: encodes it at up to four qualities, decodes each result, and compares it
/// with the image. What comparisons need of the image is computed once, for all encodings.
struct QualityFinder: ~Copyable {
  /// What was found, and the file at this quality.
  struct Result {
    let found: FoundQuality
    let file: PlannedFile
    let bytes: [UInt8]
  }

  private let frame: Raster
  private let size: Size
  private let background: Colour?
  private let isGraphic: Bool
  private var reference: ReferencePyramid

  /// - Parameters:
  ///   - frame: the whole image at the size of the search.
  ///   - background: what the files show behind translucent pixels.
  init(_ frame: Raster, background: Colour?) throws(TranscodeFailure) {
    self.frame = frame
    self.background = background
    size = Size(frame.width, frame.height)
    do throws(VipsError) {
      let shown = try frame.shown(on: background)
      isGraphic = ImageFeatures(of: shown).isGraphic
      reference = ReferencePyramid(of: shown)
    } catch {
      throw TranscodeFailure(decoding: error)
    }
  }

  /// Whether the files of an encoding show the image as this finder compares it.
  func compares(_ encoding: Encoding) -> Bool {
    !frame.hasAlpha || encoding.background == background
  }

  /// - Parameter encoding: without a quality.
  mutating func find(
    _ encoding: Encoding, _ automatic: AutomaticQuality
  ) throws(TranscodeFailure) -> Result {
    var search = QualitySearch(
      aim: automatic.aim(at: size, encoding.format),
      range: automatic.range(encoding.format, isGraphic: isGraphic), curve: encoding.format.curve,
      keepsTile: isGraphic)
    var files: [Int: [UInt8]] = [:]
    while let quality = search.next {
      let bytes = try Encoder.encode([frame], as: file(encoding, quality))
      let likeness = try compare(bytes, encoding.format)
      search.add(
        QualitySearch.Sample(
          quality: quality, score: likeness.score, worstTile: likeness.worstTile.score))
      files[quality] = bytes
    }
    guard let best = search.best, let bytes = files[best.quality] else {
      throw TranscodeFailure(.encode, "no quality was tried")
    }
    return Result(
      found: FoundQuality(
        quality: best.quality, score: best.score, worstTile: best.worstTile, size: size,
        encodes: search.samples.count, isGraphic: isGraphic),
      file: file(encoding, best.quality), bytes: bytes)
  }

  private func file(_ encoding: Encoding, _ quality: Int) -> PlannedFile {
    var encoding = encoding
    encoding.quality = quality
    return PlannedFile(crop: nil, size: size, encoding: encoding, fallback: nil)
  }

  private mutating func compare(
    _ bytes: [UInt8], _ format: OutputFormat
  ) throws(TranscodeFailure) -> Comparison {
    let candidate: RGBImage
    do throws(VipsError) {
      candidate = try decoded(bytes, format)
    } catch {
      throw TranscodeFailure(encoding: error, format: format.rawValue)
    }
    do throws(QualityError) {
      return try reference.compare(with: candidate)
    } catch {
      throw TranscodeFailure(.encode, "the encoded file could not be compared: \(error)")
    }
  }

  private func decoded(
    _ bytes: [UInt8], _ format: OutputFormat
  ) throws(VipsError) -> RGBImage {
    // With a profile, what is shown are other samples.
    if format == .webp, frame.profileLength == 0, let raster = WebPStill.decode(bytes) {
      return raster
    }
    guard let format = ImageFormat(rawValue: format.rawValue) else {
      throw VipsError(message: "no decoder for \(format.rawValue)")
    }
    return try bytes.withUnsafeBufferPointer { bytes throws(VipsError) in
      try Raster.load(SourceData(UnsafeRawBufferPointer(bytes)), format: format).qualityRaster()
    }
  }
}

extension Raster {
  /// The image as files with this background show it.
  fileprivate func shown(on background: Colour?) throws(VipsError) -> RGBImage {
    guard let background, hasAlpha else { return try qualityRaster() }
    return try onScreen().flattened(
      red: background.red, green: background.green, blue: background.blue
    ).qualityRaster()
  }
}

extension OutputFormat {
  /// How the scores of its encoder rise with the quality. PNG has none, and is never searched.
  fileprivate var curve: QualityCurve {
    switch self {
    case .webp, .png, .heic: .webp
    case .jpeg: .jpeg
    case .avif: .avif
    case .jxl: .jxl
    }
  }
}

/// Looks for the lowest quality of an encoder at which an image reaches an aim. A pure value: it names the next quality to
/// try, takes what came of it, and ends after at most four.
///
/// The score counts, unless the worst tile is much worse: then the tile counts, because a mean hides local damage. Scores
/// rise nearly, but not strictly, with the quality, so the answer is always a quality that was tried.
package struct QualitySearch: Sendable {
  /// What an encoder reached at one quality.
  package struct Sample: Sendable, Equatable {
    package var quality: Int
    /// Of the whole image.
    package var score: Double
    /// Of its worst tile.
    package var worstTile: Double

    package init(quality: Int, score: Double, worstTile: Double) {
      (self.quality, self.score, self.worstTile) = (quality, score, worstTile)
    }
  }

  /// The score to reach.
  private let aim: Double
  private let range: ClosedRange<Int>
  private let curve: QualityCurve
  /// Whether no later sample may have a worse tile than the first.
  private let keepsTile: Bool
  /// The quality to begin with.
  private let first: Int
  package private(set) var samples: [Sample] = []

  package static let mostSamples = 4
  /// How far a score may be below and above the aim. A step of one of the quality moves the score by about half a point, and
  /// in AVIF by up to one and a half. A point is not visible; a window of half the width takes a tenth more encodes.
  private static let (slack, tolerance) = (0.75, 1.25)
  /// How far below the score the worst tile may be before it counts itself. At WebP's default quality it is up to 17.6 below
  /// in 38 photographs, and by 6 on average.
  static let tileMargin = 18.0

  /// - Parameters:
  ///   - curve: of the encoder; the search begins where a typical image reaches the aim.
  ///   - keepsTile: for graphics and text: the search begins at the lowest quality, and the answer has no worse tile than
  ///     it has there.
  package init(
    aim: Double, range: ClosedRange<Int>, curve: QualityCurve, keepsTile: Bool
  ) {
    self.aim = aim - Self.slack
    self.curve = curve
    self.keepsTile = keepsTile
    let prediction = min(max(curve.quality(for: aim), range.lowerBound), range.upperBound)
    first = keepsTile ? range.lowerBound : prediction
    self.range = range
  }

  package mutating func add(_ sample: Sample) { samples.append(sample) }

  /// The best quality that was tried; nil before the first.
  package var best: Sample? {
    let enough = samples.filter { reached($0) >= aim }
    return enough.min { $0.quality < $1.quality }
      ?? samples.max { (reached($0), $0.quality) < (reached($1), $1.quality) }
  }

  /// The quality to try next; nil if ``best`` is the answer.
  package var next: Int? {
    guard let last = samples.last else { return first }
    guard samples.count < Self.mostSamples else { return nil }
    let below = samples.filter { reached($0) < aim }.max { $0.quality < $1.quality }
    let above = samples.filter { reached($0) >= aim }.min { $0.quality < $1.quality }
    if let above,
      reached(above) <= aim + Self.slack + Self.tolerance || above.quality == range.lowerBound
    {
      return nil
    }
    let guess: Int
    if let below, let above, below.quality < above.quality {
      guard above.quality - below.quality > 1 else { return nil }
      guess = min(max(between(below, above), below.quality + 1), above.quality - 1)
    } else {
      guess = min(max(beyond(last), range.lowerBound), range.upperBound)
    }
    return samples.contains { $0.quality == guess } ? nil : guess
  }

  /// What counts of a sample.
  private func reached(_ sample: Sample) -> Double {
    if keepsTile, let first = samples.first, sample.worstTile < first.worstTile {
      return -.infinity
    }
    return min(sample.score, sample.worstTile + Self.tileMargin)
  }

  /// A little above the aim, so that most answers reach it.
  private var goal: Double { aim + (Self.slack + Self.tolerance) / 2 }

  /// By the curve of the encoder, turned so that it passes through both samples.
  private func between(_ below: Sample, _ above: Sample) -> Int {
    let (low, high) = (reached(below), reached(above))
    guard low.isFinite, high > low else { return (below.quality + above.quality) / 2 }
    let (first, last) = (curve.score(at: below.quality), curve.score(at: above.quality))
    return curve.quality(for: first + (goal - low) / (high - low) * (last - first))
  }

  /// By the curve of the encoder, scaled so that it passes through the sample.
  private func beyond(_ sample: Sample) -> Int {
    let reached = reached(sample)
    guard reached.isFinite else { return sample.quality + 4 }
    let scale = max(1, 100 - reached) / (100 - curve.score(at: sample.quality))
    let guess = curve.quality(for: 100 - (100 - goal) / scale)
    // At least a step in the right direction.
    return reached < aim ? max(guess, sample.quality + 1) : min(guess, sample.quality - 1)
  }
}

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
