internal import TesseraFetch
internal import TesseraPipelineFile
internal import TesseraPlaceholder
internal import TesseraPlan
internal import TesseraState
internal import TesseraSystem
internal import TesseraWire
internal import TesseraWorkers

/// Has a worker make the missing files, all in one decode.
struct Make: Step {
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

  func perform(_ work: Work) async throws -> StepDecision {
    guard let bytes = work.bytes, let filePlan = work.filePlan else {
      throw PipelineError.local("the item \"\(work.item.id)\" has no plan to make files of")
    }
    let source = JobSource(bytes.place, host: work.item.host)
    let watch = work.watch ?? JobWatch()
    work.watch = watch
    switch try await answer(to: job(work, bytes, filePlan), of: source, watch) {
    case .made(let files):
      guard files.result.facts.plansLike(filePlan.facts) else {
        return planAgain(work, files.result.facts)
      }
      work.made = files
      return .next
    case .differs(let facts): return planAgain(work, facts)
    case .failed(let failure): return try fail(work, failure, filePlan.facts)
    }
  }

  private func job(_ work: Work, _ bytes: SourceBytes, _ filePlan: FilePlan) -> TranscodeJob {
    TranscodeJob(
      identifier: work.item.position, format: bytes.header.format, expected: filePlan.facts,
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

  /// The decoder saw something else than the header says; it may correct it once.
  private func planAgain(_ work: Work, _ facts: SourceFacts) -> StepDecision {
    guard work.seen == nil else {
      let failure = TranscodeFailure(
        .workerProtocol, "the worker reported two different sizes of this image")
      return .done(.failed(.undecodable(failure, nil)))
    }
    work.seen = facts
    return .goTo(.plan)
  }

  private func fail(
    _ work: Work, _ failure: TranscodeFailure, _ facts: SourceFacts
  ) throws -> StepDecision {
    if failure.code == .cancelled {
      // At the deadline of the run the pool is closed, too: the item fails, and the run goes on to
      // its catalog.
      guard let runEnd, runEnd <= .now, !Task.isCancelled else { throw CancellationError() }
      return .done(.failed(.unreachable(.runDeadline)))
    }
    let image = work.bytes.map { ImageFacts(format: $0.header.format, size: facts.size) }
    let result = ItemFailure.undecodable(failure, image)
    if let bytes = work.bytes {
      // A copy says nothing about what the server has now.
      work.remember(
        rejections.change(
          after: result, content: bytes.digest, bytes.isCopy ? nil : work.response,
          previous: work.source.rejection, now: clock.now()))
    }
    return .done(.failed(result))
  }
}
