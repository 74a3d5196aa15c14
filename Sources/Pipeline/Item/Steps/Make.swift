internal import TesseraFetch
internal import TesseraPipelineFile
internal import TesseraPlaceholder
internal import TesseraPlan
internal import TesseraState
internal import TesseraSystem
internal import TesseraWire
internal import TesseraWorkers

/// Has a worker make the missing files, all in one decode.
struct Make: Sendable {
  private let transcoder: any Transcoding
  private let rejections: RejectionPolicy
  private let clock: WallClock
  private let limits: PipelineFile.Limits
  private let failOn: FailOn
  private let placeholders: [Placeholders.Kind]
  /// When the run ends, if it has a deadline.
  private let runEnd: ContinuousClock.Instant?

  init(_ parts: RunParts) {
    transcoder = parts.transcoder
    rejections = parts.rejections
    clock = parts.clock
    limits = parts.file.limits
    failOn = parts.file.failOn
    placeholders = parts.file.placeholders
    runEnd = parts.fetcher.end
  }

  /// - Parameter seen: what the decoder saw before, if that differs from the header.
  func perform(
    _ known: Known, _ bytes: SourceBytes, _ seen: SourceFacts?, _ filePlan: FilePlan,
    _ context: ItemContext
  ) async throws -> Stage {
    let source = JobSource(bytes.place, host: context.item.host)
    let watch = context.watch ?? JobWatch()
    context.watch = watch
    let other: SourceFacts
    switch try await answer(to: job(context.item, bytes, filePlan), of: source, watch) {
    case .made(let files):
      if files.result.facts.plansLike(filePlan.facts) {
        return .made(known, bytes, filePlan, files)
      }
      other = files.result.facts
    case .differs(let facts): other = facts
    case .failed(let failure):
      return try fail(known.source, bytes, failure, filePlan.facts, context)
    }
    // The decoder saw something else than the header says; it may correct it once.
    guard seen == nil else {
      let failure = TranscodeFailure(
        .workerProtocol, "the worker reported two different sizes of this image")
      return .done(known.source, .failed(.undecodable(failure, nil)))
    }
    return .received(known, bytes, seen: other)
  }

  private func job(_ item: Item, _ bytes: SourceBytes, _ filePlan: FilePlan) -> TranscodeJob {
    TranscodeJob(
      identifier: item.position, format: bytes.content.format, expected: filePlan.facts,
      decode: filePlan.decode, failOn: failOn, maximumPixels: limits.pixels,
      maximumFrames: limits.frames, files: filePlan.missing.map { filePlan.plan.files[$0] },
      placeholders: placeholders)
  }

  private func answer(
    to job: TranscodeJob, of source: JobSource, _ watch: JobWatch
  ) async throws(PipelineError) -> TranscodeAnswer {
    do throws(WorkerStartError) {
      return try await transcoder.perform(job, of: source, watch: watch)
    } catch {
      throw .workers(error.description)
    }
  }

  private func fail(
    _ source: KnownSource, _ bytes: SourceBytes, _ failure: TranscodeFailure, _ facts: SourceFacts,
    _ context: ItemContext
  ) throws -> Stage {
    if failure.code == .cancelled {
      // At the deadline of the run the pool is closed, too: the item fails, and the run goes on to
      // its catalog.
      guard let runEnd, runEnd <= .now, !Task.isCancelled else { throw CancellationError() }
      return .done(source, .failed(.unreachable(.runDeadline)))
    }
    let result = ItemFailure.undecodable(
      failure, ImageFacts(format: bytes.content.format, size: facts.size))
    context.remember(
      rejections.change(
        after: result, content: bytes.digest, bytes.response, previous: source.rejection,
        now: clock.now()))
    return .done(source, .failed(result))
  }
}
