internal import TesseraBytes
internal import TesseraImageHeader
internal import TesseraNet
internal import TesseraOutput
internal import TesseraPipelineFile
internal import TesseraPlan
internal import TesseraState
internal import TesseraSystem
internal import TesseraText
internal import TesseraWorkers

/// Plans the files of received bytes. Bytes that are known need no decode.
final class PlanFiles: Sendable {
  private let state: StateStore
  private let planner: FilePlanner
  private let acceptance: Acceptance
  private let rejections: RejectionPolicy
  /// One item at a time works on a content.
  private let contents: KeyedQueue
  private let clock: WallClock
  /// Whether all files are made again.
  private let refreshes: Bool

  init(_ runContext: RunContext) {
    state = runContext.state
    planner = runContext.planner
    acceptance = runContext.acceptance
    rejections = runContext.rejections
    contents = runContext.contents
    clock = runContext.clock
    refreshes = runContext.freshness.refreshes
  }

  @inline(never)
  func perform(_ received: Received, _ context: ItemContext) async throws -> Stage {
    let (digest, format) = (received.bytes.digest, received.bytes.content.format)
    if let seen = received.seen {
      return .planned(
        Planned(
          received,
          try await planner.filePlan(
            digest, format, seen, for: context.item, makesAll: refreshes)))
    }
    // Before the look-up: of two items with the same bytes, the second one then finds the files of
    // the first. When the decoder has corrected the size, the turn is taken already.
    await takeTurn(context, digest)
    let content = try await state.contentRecord(digest)
    if let content, !refreshes {
      let filePlan = try await planner.filePlan(
        digest, content.format, content.facts, for: context.item)
      if filePlan.isComplete, acceptance.accepts(content), acceptance.isExamined(content) {
        context.reasons.append(.knownBytes)
        return .complete(Complete(received, content, filePlan))
      }
    }
    if let failure = believedFailure(received, context) {
      return .done(received.known.source, .failed(failure, isRemembered: true))
    }
    let filePlan = try await planner.filePlan(
      digest, format, content?.facts ?? received.bytes.content.facts, for: context.item,
      isNew: content == nil, makesAll: refreshes)
    return .planned(Planned(received, filePlan))
  }

  private func takeTurn(_ context: ItemContext, _ digest: String) async {
    let contents = contents
    let place = contents.place(digest)
    await contents.turn(place)
    context.atEnd { contents.leave(place) }
  }

  /// Why these bytes could not be decoded, if that is remembered and believed.
  private func believedFailure(_ received: Received, _ context: ItemContext) -> ItemFailure? {
    let (source, bytes) = (received.known.source, received.bytes)
    let now = clock.now()
    guard let rejection = rejections.believed(source.rejection, now: now),
      rejection.content == bytes.digest, rejection.kind == .undecodable
    else { return nil }
    context.reasons.append(RejectionPolicy.backOff(rejection) ?? .rejectedBefore)
    let failure = ItemFailure(rejection)
    if let response = bytes.response {
      context.remember(
        rejections.change(
          after: failure, content: bytes.digest, response, previous: source.rejection,
          now: now))
    }
    return failure
  }
}

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

/// Publishes the files that a worker made, under the names that they were planned with.
///
/// Files are published before a record names them: a kill in between leaves files that nothing names,
/// and never a name without a file.
final class Publish: Sendable {
  private let output: any Output
  private let workspace: Workspace
  private let run: Int
  private let recorder: RunRecorder
  private let planner: FilePlanner
  private let state: StateStore

  init(_ runContext: RunContext) {
    output = runContext.output
    workspace = runContext.workspace
    run = runContext.run
    recorder = runContext.recorder
    planner = runContext.planner
    state = runContext.state
  }

  @inline(never)
  func perform(
    _ planned: Planned, _ made: MadeFiles, _ context: ItemContext
  ) async throws -> Stage {
    let bytes = planned.bytes
    guard var filePlan = planner.resolved(planned.filePlan, made.result.qualities) else {
      return Self.distrust("the worker did not report the qualities that it was to find", planned)
    }
    var records: [VariantRecord] = []
    for (order, index) in filePlan.missing.enumerated() {
      let file = filePlan.plan.files[index]
      let name = "\(context.item.position)-\(order)"
      let path = filePlan.source.path(of: file)
      guard let record = try await publish(file, as: path, made, order, name) else {
        return Self.distrust("the worker did not make the file that it reported", planned)
      }
      records.append(record)
    }
    let missing = filePlan.missing
    let content = bytes.content.decoded(
      made.result.facts, made.result.warnings, bytes: bytes.count)
    context.change.made = StateStore.Made(
      digest: bytes.digest, content: content,
      variants: zip(missing, records).map { (key: filePlan.keys[$0], record: $1) },
      placeholder: (key: filePlan.placeholderKey, record: made.result.placeholders), run: run)
    let searched = Set(planned.filePlan.searches.filter { $0.found == nil }.map(\.key))
    context.change.made?.qualities = filePlan.searches.compactMap { known in
      guard let found = known.found, searched.contains(known.key) else { return nil }
      return (
        known.key, QualityRecord(recipe: known.search.recipe, found: found, run: run)
      )
    }
    for (index, record) in zip(missing, records) { filePlan.records[index] = record }
    filePlan.placeholder = made.result.placeholders
    context.made = (records.count, records.reduce(0) { $0 + $1.bytes })
    context.reasons.append(
      .decoded(made: records.count, reused: filePlan.keys.count - records.count))
    recorder.addDecode(
      records, of: bytes.count, made.result.warnings,
      context.item.wantsUpgrade
        ? ViewCost() : planner.viewCost(filePlan, bytes.content.format, for: context.item))
    return .complete(Complete(planned.received, content, filePlan))
  }

  private static func distrust(_ sentence: String, _ planned: Planned) -> Stage {
    let image = ImageFacts(
      format: planned.bytes.content.format, size: planned.filePlan.facts.size)
    return .done(
      planned.known.source,
      .failed(.undecodable(TranscodeFailure(.workerProtocol, sentence), image)))
  }

  /// Reads a file's size from its own header and publishes it. Nil if it is not what it should be.
  private func publish(
    _ file: PlannedFile, as path: String, _ made: MadeFiles, _ order: Int, _ name: String
  ) async throws -> VariantRecord? {
    let bytes = try made.bytes(of: order)
    // The file itself is measured: a worker has decoded hostile bytes, so its report is not
    // trusted.
    guard Self.isOne(file, bytes) else { return nil }
    let digest = SHA256.of(bytes)
    let staged = workspace.staging(name)
    try staged.open(.create).write(bytes)
    let record = VariantRecord(
      path: path, width: file.size.width, height: file.size.height, bytes: bytes.count,
      sha256: digest)
    if try await output.publish(staged: staged.path, as: path) { return record }
    if let standing = try await standing(record, file) {
      try staged.remove()
      if standing != record { recorder.update { $0.variantsStanding += 1 } }
      return standing
    }
    try await output.write(path, staged: staged)
    return record
  }

  /// The record of the file that has a name already; nil if it is to be replaced.
  private func standing(
    _ new: VariantRecord, _ file: PlannedFile
  ) async throws(SystemError) -> VariantRecord? {
    let known = try? await state.file(at: new.path)
    let found = try await output.standing(
      new.path, sha256: new.sha256, recorded: known?.sha256
    ) { bytes in
      guard let format = ImageFormat(rawValue: file.encoding.format.rawValue) else { return false }
      return Self.isOne(file, bytes) && FileEnd.isThere(bytes.span, format)
    }
    guard let found else { return nil }
    var standing = new
    (standing.bytes, standing.sha256) = found
    return standing
  }

  private static func isOne(_ file: PlannedFile, _ bytes: [UInt8]) -> Bool {
    guard case .header(let header) = ImageHeader.read(bytes.span, isWhole: true) else {
      return false
    }
    return header.format.rawValue == file.encoding.format.rawValue
      && header.width == file.size.width && header.height == file.size.height
  }
}
