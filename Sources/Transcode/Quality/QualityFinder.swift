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
