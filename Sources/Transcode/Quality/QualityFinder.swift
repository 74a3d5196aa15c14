internal import TesseraImageHeader
internal import TesseraPlan
internal import TesseraQuality
internal import TesseraWire

/// Finds the quality of an encoding for one image: encodes it at up to four qualities, decodes each result, and compares
/// it with the image.
struct QualityFinder {
  /// What was found, and the file at this quality.
  struct Result {
    let found: FoundQuality
    let file: PlannedFile
    let bytes: [UInt8]
  }

  private let encoding: Encoding
  private let automatic: AutomaticQuality
  private let size: Size
  private let frames: [Raster]

  /// - Parameters:
  ///   - encoding: without a quality.
  ///   - frames: the whole image at the size of the search; the first one is encoded.
  init?(_ encoding: Encoding, _ frames: [Raster]) {
    guard let automatic = encoding.automatic, let first = frames.first else { return nil }
    self.encoding = encoding
    self.automatic = automatic
    self.frames = [first]
    size = Size(first.width, first.height)
  }

  func find() throws(TranscodeFailure) -> Result {
    let reference = try wrap { () throws(VipsError) in try shown() }
    let isGraphic = ImageFeatures(of: reference).isGraphic
    let aim = automatic.aim(at: size, encoding.format)
    let curve = encoding.format.curve
    var search = QualitySearch(
      aim: aim, range: automatic.range(encoding.format, isGraphic: isGraphic), curve: curve,
      keepsTile: isGraphic)
    var pyramid = ReferencePyramid(of: reference)
    var files: [Int: [UInt8]] = [:]
    while let quality = search.next {
      let bytes = try Encoder.encode(frames, as: file(quality))
      let candidate = try wrap { () throws(VipsError) in try decoded(bytes) }
      do throws(QualityError) {
        let likeness = try pyramid.compare(with: candidate)
        search.add(
          QualitySearch.Sample(
            quality: quality, score: likeness.score, worstTile: likeness.worstTile.score))
      } catch {
        throw TranscodeFailure(.encode, "the encoded file could not be compared: \(error)")
      }
      files[quality] = bytes
    }
    guard let best = search.best, let bytes = files[best.quality] else {
      throw TranscodeFailure(.encode, "no quality was tried")
    }
    return Result(
      found: FoundQuality(
        quality: best.quality, score: best.score, worstTile: best.worstTile, size: size,
        encodes: search.samples.count, isGraphic: isGraphic),
      file: file(best.quality), bytes: bytes)
  }

  private func file(_ quality: Int) -> PlannedFile {
    var encoding = encoding
    encoding.quality = quality
    return PlannedFile(crop: nil, size: size, encoding: encoding, fallback: nil)
  }

  /// The image as its files show it.
  private func shown() throws(VipsError) -> TesseraQuality.Raster {
    guard let colour = encoding.background, frames[0].hasAlpha else {
      return try frames[0].qualityRaster()
    }
    return try frames[0].onScreen().flattened(
      red: colour.red, green: colour.green, blue: colour.blue
    ).qualityRaster()
  }

  private func decoded(_ bytes: [UInt8]) throws(VipsError) -> TesseraQuality.Raster {
    guard let format = ImageFormat(rawValue: encoding.format.rawValue) else {
      throw VipsError(message: "no decoder for \(encoding.format.rawValue)")
    }
    return try bytes.withUnsafeBufferPointer { bytes throws(VipsError) in
      try Raster.load(SourceData(UnsafeRawBufferPointer(bytes)), format: format).qualityRaster()
    }
  }

  private func wrap<Value>(
    _ body: () throws(VipsError) -> Value
  ) throws(TranscodeFailure) -> Value {
    do throws(VipsError) {
      return try body()
    } catch {
      throw TranscodeFailure(encoding: error, format: encoding.format.rawValue)
    }
  }
}

extension OutputFormat {
  /// How the scores of its encoder rise with the quality. PNG has none, and is never searched.
  fileprivate var curve: QualityCurve {
    switch self {
    case .webp, .png: .webp
    case .jpeg: .jpeg
    case .avif: .avif
    case .jxl: .jxl
    }
  }
}
