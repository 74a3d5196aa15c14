internal import TesseraFetch
internal import TesseraOutput
internal import TesseraPipelineFile
internal import TesseraPlan
internal import TesseraState
internal import TesseraSystem
internal import TesseraWire
internal import TesseraWorkers

/// Has a worker make the missing files, all in one decode. They are staged, not published.
struct Make: Step {
  private let transcoder: any Transcoding
  private let workspace: Workspace
  private let rejections: RejectionPolicy
  private let clock: WallClock
  private let limits: PipelineFile.Limits
  private let failOn: FailOn
  /// When the run ends, if it has a deadline.
  private let runEnd: ContinuousClock.Instant?

  init(_ parts: RunParts) {
    transcoder = parts.transcoder
    workspace = parts.workspace
    rejections = parts.rejections
    clock = parts.clock
    limits = parts.file.limits
    failOn = parts.file.failOn
    runEnd = parts.fetcher.end
  }

  func perform(_ work: Work) async throws -> StepDecision {
    guard let bytes = work.bytes, let blueprint = work.blueprint else {
      throw PipelineError.local("the item \"\(work.item.id)\" has no plan to make files of")
    }
    let job = job(work, bytes, blueprint)
    switch try await reply(to: job) {
    case .done(let facts, let placeholders, let warnings):
      guard facts.plansLike(blueprint.facts) else {
        discard(job.outputs)
        return planAgain(work, facts)
      }
      work.staged = Staged(
        files: job.outputs, facts: facts, placeholders: placeholders,
        warnings: warnings)
      return .next
    case .differs(let facts): return planAgain(work, facts)
    case .failed(let failure):
      discard(job.outputs)
      return try fail(work, failure, blueprint.facts)
    }
  }

  private func job(_ work: Work, _ bytes: SourceBytes, _ blueprint: Blueprint) -> TranscodeJob {
    let attempt = work.seen == nil ? 0 : 1
    let outputs = blueprint.missing.enumerated().map { order, index in
      let file = blueprint.plan.files[index]
      let name =
        "\(work.item.position)-\(attempt)-\(order).\(file.encoding.format.fileExtension)"
      return TranscodeJob.Output(path: workspace.stagingPath(name), file: file)
    }
    return TranscodeJob(
      identifier: work.item.position, source: bytes.path, format: bytes.header.format,
      expected: blueprint.facts, decode: blueprint.decode, failOn: failOn,
      maximumPixels: limits.pixels, maximumFrames: limits.frames, outputs: outputs)
  }

  private func reply(to job: TranscodeJob) async throws(PipelineError) -> TranscodeReply {
    do throws(WorkerStartError) {
      return try await transcoder.perform(job)
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
    if failure.code == .local { try checkStaging(failure, position: work.item.position) }
    let image = work.bytes.map { ImageFacts(format: $0.header.format, size: facts.size) }
    let result = ItemFailure.undecodable(failure, image)
    // A copy says nothing about what the server has now.
    if let bytes = work.bytes, !bytes.isCopy, let response = work.response {
      work.remember(
        rejections.change(
          after: result, content: bytes.digest, response, previous: work.source.rejection,
          now: clock.now()))
    }
    return .done(.failed(result))
  }

  /// A worker that died may have left half a file. What can't be removed now is removed when the next
  /// run starts.
  private func discard(_ outputs: [TranscodeJob.Output]) {
    for output in outputs { try? FileSystem.remove(output.path) }
  }

  /// A worker reports that it could not write a file. If this process cannot write either, the disk is
  /// at fault and the run ends; otherwise it is one item.
  private func checkStaging(
    _ failure: TranscodeFailure, position: Int
  ) throws(PipelineError) {
    let path = workspace.stagingPath("\(position)-test")
    // A mebibyte: a full disk may still take a few bytes.
    do throws(SystemError) {
      let file = try File(path, .write)
      try file.write([UInt8](repeating: 0, count: 1 << 20))
      try FileSystem.remove(path)
    } catch {
      try? FileSystem.remove(path)
      throw .local(failure.message)
    }
  }
}
