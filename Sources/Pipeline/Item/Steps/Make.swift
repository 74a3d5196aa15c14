internal import TesseraNet
internal import TesseraPipelineFile
internal import TesseraPlan
internal import TesseraState
internal import TesseraSystem
internal import TesseraWorkers

/// Has a worker make the missing files, all in one decode.
final class Make: Sendable {
  private let transcoder: any Transcoding
  private let rejections: RejectionPolicy
  private let clock: WallClock
  private let limits: PipelineFile.Limits
  private let failOn: FailOn
  private let placeholders: [Placeholders.Kind]
  /// When the run ends, if it has a deadline.
  private let runEnd: ContinuousClock.Instant?

  init(_ runContext: RunContext) {
    transcoder = runContext.transcoder
    rejections = runContext.rejections
    clock = runContext.clock
    limits = runContext.file.limits
    failOn = runContext.file.failOn
    placeholders = runContext.file.placeholders
    runEnd = runContext.fetcher.end
  }

  @inline(never)
  func perform(_ planned: Planned, _ context: ItemContext) async throws -> Stage {
    let source = JobSource(planned.bytes.place, host: context.item.host)
    let watch = context.watch ?? JobWatch()
    context.watch = watch
    let other: SourceFacts
    switch try await transcoder.perform(job(planned), of: source, watch: watch) {
    case .made(let files):
      if files.result.facts.plansLike(planned.filePlan.facts) { return .made(planned, files) }
      other = files.result.facts
    case .differs(let facts): other = facts
    case .failed(let failure): return try fail(planned, failure, context)
    }
    // The decoder saw something else than the header says; it may correct it once, and find later that a gain map can't be
    // used.
    let losesMap = planned.filePlan.facts.withoutGainMap.plansLike(other) && other.headroom == 0
    guard planned.received.seen == nil || losesMap && planned.filePlan.facts.hasGainMap else {
      let failure = TranscodeFailure(
        .workerProtocol, "the worker reported two different sizes of this image")
      return .done(planned.known.source, .failed(.undecodable(failure, nil)))
    }
    return .received(Received(planned.known, planned.bytes, seen: other))
  }

  private func job(_ planned: Planned) -> TranscodeJob {
    let filePlan = planned.filePlan
    return TranscodeJob(
      format: planned.bytes.content.format, expected: filePlan.facts,
      decode: filePlan.decode, failOn: failOn, maximumPixels: limits.pixels,
      maximumFrames: limits.frames, files: filePlan.missing.map { filePlan.plan.files[$0] },
      placeholders: placeholders)
  }

  private func fail(
    _ planned: Planned, _ failure: TranscodeFailure, _ context: ItemContext
  ) throws -> Stage {
    let (source, bytes) = (planned.known.source, planned.bytes)
    if failure.code == .cancelled {
      // At the deadline of the run the pool is closed, too: the item fails, and the run goes on to
      // its catalog.
      guard let runEnd, runEnd <= .now, !Task.isCancelled else { throw CancellationError() }
      return .done(source, .failed(.unreachable(.runDeadline)))
    }
    let result = ItemFailure.undecodable(
      failure, ImageFacts(format: bytes.content.format, size: planned.filePlan.facts.size))
    context.remember(
      rejections.change(
        after: result, content: bytes.digest, bytes.response, previous: source.rejection,
        now: clock.now()))
    return .done(source, .failed(result))
  }
}
