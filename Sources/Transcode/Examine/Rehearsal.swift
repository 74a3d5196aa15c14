internal import TesseraImageHeader
internal import TesseraPlan
internal import TesseraText
package import TesseraWorkers

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
