internal import TesseraFetch
internal import TesseraImageHeader
internal import TesseraPipelineFile
internal import TesseraProbe
internal import TesseraState
internal import TesseraSystem

/// In a layout run: learns the source's size from a few ranges of it.
struct ReadHeader: Step {
  private let probe: HeaderFetch
  private let acceptance: Acceptance
  private let freshness: FreshnessPolicy
  private let clock: WallClock
  private let order: PipelineFile.Order
  private let showsFiles: Bool

  init(_ parts: RunParts) {
    let recorder = parts.recorder
    let fetch = parts.file.fetch
    probe = HeaderFetch(
      fetcher: parts.fetcher,
      policy: RetryPolicy(retries: fetch.retries, deadline: fetch.deadline),
      maximumBytes: fetch.maximumBytes, didRetry: { recorder.update { $0.retries += 1 } })
    acceptance = parts.acceptance
    freshness = parts.freshness
    clock = parts.clock
    order = fetch.order
    showsFiles = parts.file.deliveringService == nil
  }

  func perform(_ work: Work) async throws -> StepDecision {
    let item = work.item
    let known = KnownSize(work.source, acceptance)
    let answer = try await probe.fetch(
      item.requestURL, condition: known?.condition,
      turn: order == .newestFirst ? -item.position : item.position)
    work.fetching += answer.time
    switch answer.outcome {
    case .failed(let error):
      if error.code == .local { throw PipelineError.local(error.message) }
      return .done(.failed(.unreachable(error)))
    case .notModified(let response):
      guard let known else {
        throw PipelineError.local("an unknown source cannot be unchanged: \"\(item.id)\"")
      }
      work.reasons.append(.notModified)
      return confirm(work, known, response)
    case .told(let reading, let response, let length):
      if let refusal = acceptance.refusal(of: reading, length: length) {
        return .done(.failed(.refused(refusal)))
      }
      guard case .header(let header) = reading else {
        throw PipelineError.local("the probe of \"\(item.id)\" ended without a header")
      }
      return compare(work, known, header, response)
    }
  }

  /// Whether the header belongs to what is known already.
  private func compare(
    _ work: Work, _ known: KnownSize?, _ header: ImageHeader, _ response: FetchResponse
  ) -> StepDecision {
    let bytes = KnownSize(bytesOf: work.source).flatMap { $0.isAccepted(acceptance) ? $0 : nil }
    // The known bytes may be back after others. After rejected bytes of the same size only a version
    // tells them apart.
    for candidate in [bytes, known].compactMap(\.self)
    where candidate.isSame(as: header, response)
      && (work.source.rejection == nil || candidate.isSameVersion(as: response))
    {
      var response = response
      // What looks the same may be another version, whose validators do not belong to what is known.
      if !candidate.isSameVersion(as: response) { response.validators = nil }
      work.reasons.append(.sameHeader)
      return confirm(work, candidate, response)
    }
    let confirmation = freshness.confirmation(response, before: nil, now: clock.now())
    let record = HeaderRecord(header, confirmation, place: response.place)
    work.change.header = record
    work.reasons.append(.headerRead)
    return .done(.pending(.header(record)))
  }

  private func confirm(
    _ work: Work, _ known: KnownSize, _ response: FetchResponse
  ) -> StepDecision {
    let confirmation = freshness.confirmation(
      response, before: known.confirmation, now: clock.now())
    switch known {
    case .bytes(var record, _, _, _):
      record.confirmation = confirmation
      work.change.source = record
    case .header(var record):
      record.confirmation = confirmation
      work.change.header = record
    }
    return .done(known.outcome(showsFiles: showsFiles))
  }
}

/// In a layout run: ends the way of an item whose size is known and need not be requested again.
struct UseKnownSize: Step {
  private let acceptance: Acceptance
  private let freshness: FreshnessPolicy
  private let clock: WallClock
  private let showsFiles: Bool

  init(_ parts: RunParts) {
    acceptance = parts.acceptance
    freshness = parts.freshness
    clock = parts.clock
    showsFiles = parts.file.deliveringService == nil
  }

  func perform(_ work: Work) async throws -> StepDecision {
    // A full run's reasons are about bytes; here only the size matters.
    work.reasons = [.layoutRun]
    guard let known = KnownSize(work.source, acceptance) else { return .next }
    if freshness.isLeftAlone(work.source) {
      work.reasons.append(.onlyFailedRequested)
      return .done(known.outcome(showsFiles: showsFiles))
    }
    guard freshness.isFresh(known.confirmation, now: clock.now()) else { return .next }
    work.reasons.append(.knownSizeFresh)
    return .done(known.outcome(showsFiles: showsFiles))
  }
}

extension KnownSize {
  /// The last known size. What is no longer accepted counts as unknown: it is requested and refused as
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
