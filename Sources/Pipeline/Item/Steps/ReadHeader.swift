internal import TesseraImageHeader
internal import TesseraNet
internal import TesseraPipelineFile
internal import TesseraState
internal import TesseraSystem

/// In a layout run: learns the source's size from a few ranges of it.
final class ReadHeader: Sendable {
  private let probe: HeaderFetch
  private let acceptance: Acceptance
  private let freshness: FreshnessPolicy
  private let clock: WallClock
  private let order: PipelineFile.Order
  private let showsFiles: Bool
  private let countsFrames: Bool

  init(_ runContext: RunContext) {
    let recorder = runContext.recorder
    let fetch = runContext.file.fetch
    probe = HeaderFetch(
      fetcher: runContext.fetcher,
      policy: fetch.retryPolicy,
      maximumBytes: fetch.maximumBytes, didRetry: { recorder.update { $0.retries += 1 } })
    acceptance = runContext.acceptance
    freshness = runContext.freshness
    clock = runContext.clock
    order = fetch.order
    showsFiles = runContext.file.deliveringService == nil
    countsFrames = runContext.file.countsFrames
  }

  /// - Parameter verdict: what ``UseKnownSize`` has found.
  @inline(never)
  func outcome(
    _ source: KnownSource, _ verdict: Verdict, _ context: ItemContext
  ) async throws -> Outcome {
    let item = context.item
    let answer = try await probe.fetch(
      item.requestURL, condition: verdict.conditions.condition,
      turn: turn(item))
    context.fetching += answer.time
    let outcome = try outcome(of: answer, source, context)
    guard countsFrames, case .pending(.header(let record)) = outcome,
      let counter = record.frameCounter
    else { return outcome }
    return try await count(counter, record, context)
  }

  /// Counts the frames of a source, on which depends whether an image service makes its image.
  @inline(never)
  private func count(
    _ counter: FrameCounter, _ record: HeaderRecord, _ context: ItemContext
  ) async throws -> Outcome {
    let answer = try await probe.countFrames(
      of: context.item.requestURL, counter, turn: turn(context.item))
    context.fetching += answer.time
    switch answer.result {
    case .failure(let error): return .failed(.unreachable(error))
    case .success(let frames):
      var record = record
      (record.frames, record.isAnimated) = (frames, frames > 1)
      context.change.header = record
      return .pending(.header(record))
    }
  }

  private func turn(_ item: Item) -> Int {
    order == .newestFirst ? -item.position : item.position
  }

  @inline(never)
  private func outcome(
    of answer: HeaderFetch.Answer, _ source: KnownSource, _ context: ItemContext
  ) throws -> Outcome {
    let known = KnownSize(source, acceptance)
    switch answer.outcome {
    case .failed(let error):
      if error.code == .local { throw TesseraError(.local, error.message) }
      return .failed(.unreachable(error))
    case .notModified(let response):
      guard let known else { return .failed(.unreachable(.uselessNotModified)) }
      context.reasons.append(.notModified)
      return confirm(known, response, context)
    case .told(let reading, let response, let length):
      if let rejection = acceptance.rejection(of: reading, length: length) {
        return .failed(.rejected(rejection))
      }
      guard case .header(let header) = reading else { return .failed(.rejected(.notAnImage)) }
      return compare(source, known, header, bytes: length, response, context)
    }
  }

  /// Whether the header belongs to what is known already.
  private func compare(
    _ source: KnownSource, _ known: KnownSize?, _ header: ImageHeader, bytes length: Int?,
    _ response: FetchResponse, _ context: ItemContext
  ) -> Outcome {
    let bytes = KnownSize(bytesOf: source).flatMap { $0.isAccepted(acceptance) ? $0 : nil }
    // The known bytes may be back after others. After rejected bytes of the same size only a version
    // tells them apart.
    for candidate in [bytes, known].compactMap(\.self)
    where candidate.isSame(as: header, response)
      && (source.rejection == nil || candidate.isSameVersion(as: response))
    {
      var response = response
      // What looks the same may be another version, whose validators do not belong to what is known.
      if !candidate.isSameVersion(as: response) { response.validators = nil }
      context.reasons.append(.sameHeader)
      return confirm(candidate, response, context)
    }
    let confirmation = freshness.confirmation(response, before: nil, now: clock.now())
    let record = HeaderRecord(header, bytes: length, confirmation, place: response.place)
    context.change.header = record
    context.reasons.append(.headerRead)
    return .pending(.header(record))
  }

  private func confirm(
    _ known: KnownSize, _ response: FetchResponse, _ context: ItemContext
  ) -> Outcome {
    let confirmation = freshness.confirmation(
      response, before: known.confirmation, now: clock.now())
    switch known {
    case .bytes(var record, _, _, _):
      record.confirmation = confirmation
      context.change.source = record
    case .header(var record):
      record.confirmation = confirmation
      context.change.header = record
    }
    return known.outcome(showsFiles: showsFiles)
  }
}

/// In a layout run: ends the steps of an item whose size is known and need not be requested again.
final class UseKnownSize: Sendable {
  private let acceptance: Acceptance
  private let verdicts: Verdicts
  private let clock: WallClock
  private let showsFiles: Bool
  private let countsFrames: Bool

  init(_ runContext: RunContext) {
    acceptance = runContext.acceptance
    verdicts = runContext.verdicts
    clock = runContext.clock
    showsFiles = runContext.file.deliveringService == nil
    countsFrames = runContext.file.countsFrames
  }

  /// - Returns: also how an item that needs nothing ends; nil for others.
  @inline(never)
  func outcome(_ source: KnownSource, _ context: ItemContext) -> (Verdict, Outcome?) {
    let size = KnownSize(source, acceptance)
    var isWhole = true
    if countsFrames, case .header(let record)? = size { isWhole = record.frameCounter == nil }
    let verdict = verdicts.verdict(ofSize: size, source, isWhole: isWhole, now: clock.now())
    context.reasons.append(.layoutRun)
    guard verdict.needsNothing else { return (verdict, nil) }
    context.reasons.append(verdict.reason)
    return (verdict, size?.outcome(showsFiles: showsFiles))
  }
}

extension KnownSize {
  /// The last known size. What is no longer accepted counts as unknown: it is requested and rejected as
  /// if for the first time.
  fileprivate init?(_ source: KnownSource, _ acceptance: Acceptance) {
    guard let known = KnownSize(source), known.isAccepted(acceptance) else { return nil }
    self = known
  }

  fileprivate func isAccepted(_ acceptance: Acceptance) -> Bool {
    switch self {
    case .bytes(_, let content, _, _): acceptance.accepts(content)
    case .header(let record): acceptance.accepts(record)
    }
  }

  /// An item with all its files is `ok` until its source is seen to have changed.
  ///
  /// - Parameter showsFiles: false if an image service makes the variants.
  fileprivate func outcome(showsFiles: Bool) -> Outcome {
    if showsFiles, case .bytes(_, let content, let filePlan, isReady: true) = self {
      .shown(content, filePlan)
    } else {
      .pending(self)
    }
  }
}
