internal import TesseraImageHeader
internal import TesseraPlan
internal import TesseraText
package import TesseraWorkers

/// Tests what this machine's image libraries can do, with images of 16 x 16 pixels in memory. For
/// `tessera doctor`.
package struct Examiner {
  /// Decodes and encodes every format, and checks orientations and colours.
  package static func perform() -> [ExaminationCheck] {
    let examiner = Examiner()
    return ImageFormat.allCases.filter(\.isDecoded).map { examiner.read($0) }
      + OutputFormat.allCases.map { examiner.write($0) }
      + (1...8).map { examiner.turn($0) }
      + [examiner.convertProfile(), examiner.convertCMYK()]
  }

  /// The largest difference per sample that a lossy format of high quality may cause.
  private static let tolerance = 12

  private func check(
    _ kind: ExaminationCheck.Kind, _ subject: String, _ body: () throws -> Void
  ) -> ExaminationCheck {
    do {
      try body()
      return ExaminationCheck(kind, subject, problem: nil)
    } catch {
      let problem =
        switch error {
        case let error as VipsError: error.message
        case let error as Failure: error.message
        case let error as TranscodeFailure: error.message
        default: "\(error)"
        }
      return ExaminationCheck(kind, subject, problem: problem)
    }
  }

  private struct Failure: Error {
    /// A sentence without its full stop.
    var message: String
  }

  // MARK: Checks

  private func read(_ format: ImageFormat) -> ExaminationCheck {
    check(.read, format.rawValue) { try expectCorners(try sample(format)) }
  }

  private func write(_ format: OutputFormat) -> ExaminationCheck {
    check(.write, format.rawValue) {
      if Vips.lacks.contains(format), let missing = format.missingEncoder {
        throw Failure(message: missing)
      }
      let image = try sample(.png)
      let file = PlannedFile(
        crop: nil, size: Size(image.width, image.height),
        encoding: Encoding(
          format: format, quality: format.hasQuality ? 95 : nil,
          effort: EncoderSetting.effort[format], background: nil, isAnimated: false),
        fallback: nil)
      let bytes = try Encoder.encode([image], as: file)
      guard let format = ImageFormat(rawValue: format.rawValue) else { return }
      try expectCorners(try load(bytes, format))
    }
  }

  private func turn(_ orientation: Int) -> ExaminationCheck {
    check(.turn, "\(orientation)") {
      let turned = try sample(.png).marked(orientation: orientation).turnedUpright()
      // The stored corners that appear at top left, top right and bottom left (Exif 2.32, 4.6.4).
      let corners = [
        [0, 1, 2], [1, 0, 3], [3, 2, 1], [2, 3, 0], [0, 2, 1], [2, 0, 3], [3, 1, 2], [1, 3, 0],
      ][orientation - 1]
      for (place, corner) in zip([(4, 4), (12, 4), (4, 12)], corners) {
        try expect(SampleImages.corners[corner], try turned.colour(x: place.0, y: place.1))
      }
    }
  }

  private func convertProfile() -> ExaminationCheck {
    check(.colour, "profiles") {
      let image = try load(try decoded(SampleImages.displayP3), .png)
      guard image.hasUsableProfile else {
        throw Failure(message: "the embedded profile is not recognized")
      }
      try expectCorners(try image.transformedToSRGB(from: .embedded))
    }
  }

  private func convertCMYK() -> ExaminationCheck {
    check(.colour, "CMYK") {
      let screen = try sample(.png).convertedToCMYK().transformedToSRGB(from: .cmyk)
      // The sample's red and blue are outside the gamut of CMYK; its yellow is inside.
      try expect(SampleImages.corners[3], try screen.colour(x: 12, y: 12), within: 25)
    }
  }

  // MARK: Images

  private func sample(_ format: ImageFormat) throws -> Raster {
    guard let text = SampleImages.base64[format] else {
      throw Failure(message: "no sample image in this format")
    }
    return try load(try decoded(text), format)
  }

  private func decoded(_ base64: String) throws -> [UInt8] {
    guard let bytes = Base64.decode(base64) else {
      throw Failure(message: "the sample image is not valid Base64")
    }
    return bytes
  }

  private func load(_ bytes: [UInt8], _ format: ImageFormat) throws -> Raster {
    try bytes.withUnsafeBytes { try Raster.load(SourceData($0), format: format).inMemory() }
  }

  private func expectCorners(_ image: Raster) throws {
    guard image.width == 16, image.height == 16 else {
      throw Failure(
        message: "the result has \(image.width) x \(image.height) pixels instead of 16 x 16")
    }
    for (place, corner) in zip([(4, 4), (12, 4), (4, 12), (12, 12)], SampleImages.corners) {
      try expect(corner, try image.colour(x: place.0, y: place.1))
    }
  }

  private func expect(_ expected: [Int], _ seen: [Int], within limit: Int = tolerance) throws {
    guard zip(expected, seen).allSatisfy({ abs($0 - $1) <= limit }) else {
      throw Failure(message: "expected the colour \(expected), found \(seen)")
    }
  }
}

extension Raster {
  /// Red, green and blue of a pixel.
  fileprivate func colour(x: Int, y: Int) throws(VipsError) -> [Int] {
    let samples = try samples()
    let start = (y * width + x) * 4
    return samples[start..<start + 3].map(Int.init)
  }
}

/// A job of each lane that a fork server does before it forks. What the first job of a process looks up is then there in
/// every worker: addresses of functions in libraries, tables of codecs, types.
package enum Rehearsal {
  /// - Returns: the replies, for tests.
  @discardableResult
  package static func perform() -> [WorkerReply] {
    [ImageFormat.jpeg, .png].compactMap { format in
      let request = WorkerRequest.transcode(job(format))
      // As the coordinator sends it, and a worker reads and answers it.
      guard let sample = SampleImages.base64[format], let source = Base64.decode(sample),
        let frame = try? WireFrame(WireLine.line(request).dropLast()),
        case .transcode(let job) = try? frame.message(WorkerRequest.self)
      else { return nil }
      return source.withUnsafeBytes { source in
        let source = SourceData(source)
        guard needsNoThread(job, source) else { return nil }
        let reply = Transcoder.perform(job, of: source) { _ in }
        _ = reply.line(for: frame.job)
        return reply
      }
    }
  }

  /// Whether lane and encoder do it alone: where they can't, libvips does, and starts threads, with which nothing can be
  /// forked.
  private static func needsNoThread(_ job: TranscodeJob, _ source: SourceData) -> Bool {
    guard let lane = Decoder.lane(for: source, job, job.format == "png" ? .png : .jpeg),
      let described = try? lane.described()
    else { return false }
    guard let raster = try? lane.decode(like: described, shrink: 1, to: job.decode.base) else {
      return false
    }
    return (try? WebPStill.encode(raster, quality: 80, effort: 4)) != nil
  }

  private static func job(_ format: ImageFormat) -> TranscodeJob {
    let size = Size(16, 16)
    let encoding = Encoding(
      format: .webp, quality: 80, effort: 4, background: nil, isAnimated: false)
    return TranscodeJob(
      format: format.rawValue, expected: SourceFacts(size: size, hasAlpha: false, frames: 1),
      decode: DecodePlan(base: size, isAnimated: false, keepsProfile: false), failOn: .error,
      maximumPixels: 1_000, maximumFrames: 1,
      files: [size, Size(8, 8)].map {
        PlannedFile(crop: nil, size: $0, encoding: encoding, fallback: nil)
      }, placeholders: [.thumbhash])
  }
}
