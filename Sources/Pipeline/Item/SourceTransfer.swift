internal import TesseraNet
internal import TesseraOutput
internal import TesseraPipelineFile
internal import TesseraSystem
internal import TesseraText

/// Fetches one source, with all its attempts. An interrupted transfer is resumed where it broke off.
struct SourceTransfer: Sendable {
  let fetcher: any Fetching
  let settings: PipelineFile.Fetch
  let acceptance: Acceptance
  let recorder: RunRecorder

  /// How a transfer ended. A receiver that is handed out has bytes in the spool, which the caller
  /// discards.
  indirect enum Outcome: Sendable {
    case notModified(FetchResponse)
    case arrived(FetchResponse, SourceReceiver, SourceReceiver.Outcome)
    case failed(FetchError)
  }

  /// Makes the request of an item.
  ///
  /// - Parameters:
  ///   - condition: makes it conditional.
  ///   - spool: where the bytes are spooled; no other task uses it.
  func fetch(
    _ context: ItemContext, _ condition: Condition?, to spool: WorkFile
  ) async throws -> Outcome {
    let item = context.item
    var attempts = Attempts(item, settings, condition, runEnd: fetcher.end)
    let receiver = SourceReceiver(acceptance, spool: spool)
    while true {
      let answer = await fetcher.fetch(attempts.request, host: item.host, into: receiver)
      context.fetching += answer.time
      switch try step(after: answer, &attempts, receiver) {
      case .again: continue
      case .ended(let outcome): return outcome
      case .failed(let error):
        guard try await recorder.pause({ try await attempts.wait(after: error) }) else {
          receiver.discard()
          return .failed(error)
        }
        recorder.update { $0.retries += 1 }
        attempts.prepareRest(of: receiver, after: answer)
      }
    }
  }

  private enum Step {
    case ended(Outcome)
    case again
    /// Another attempt may follow.
    case failed(FetchError)
  }

  @inline(never)
  private func step(
    after answer: FetchResult, _ attempts: inout Attempts, _ receiver: SourceReceiver
  ) throws -> Step {
    switch attempts.result(of: answer, receiver) {
    case .again: return .again
    case .success(let response):
      if case .notModified = response.ending { return .ended(.notModified(response)) }
      return .ended(.arrived(response, receiver, try receiver.finish()))
    case .failure(let error):
      // No file stays open during the back-off: partial bodies of many items would use up the
      // descriptors.
      try receiver.pause()
      if error.code == .cancelled || error.code == .local {
        receiver.discard()
        throw error.code == .cancelled ? CancellationError() : TesseraError(.local, error.message)
      }
      // A server that can't send a part gets a request for the whole.
      let rejectsPart = error.code == .badRange || [400, 416, 501].contains(error.status)
      return attempts.wasForPart && rejectsPart ? .again : .failed(error)
    }
  }
}

/// The attempts to fetch one source: what to request next.
private struct Attempts {
  private(set) var request: FetchRequest
  /// Whether the last request was for the rest of a source.
  private(set) var wasForPart = false
  private var tries: Tries
  /// The place that sent the part that is already here.
  private var begunAt: String?

  enum Result {
    case success(FetchResponse)
    case failure(FetchError)
    /// The part does not fit what is here: the whole is requested.
    case again
  }

  init(
    _ item: Item, _ settings: PipelineFile.Fetch, _ condition: Condition?,
    runEnd: ContinuousClock.Instant?
  ) {
    tries = Tries(settings.retryPolicy.at(item.requestURL), runEnd: runEnd)
    request = FetchRequest(
      url: item.requestURL, condition: condition, deadline: settings.deadline)
    // Tasks reach the fetcher in any order; its queue follows the order of the manifest.
    request.turn = settings.order == .newestFirst ? -item.position : item.position
  }

  mutating func result(of answer: FetchResult, _ receiver: SourceReceiver) -> Result {
    tries.took(answer)
    wasForPart = request.range != nil
    request.end = tries.end
    // The next request is for the whole source, unless `prepareRest` says otherwise.
    request.range = nil
    request.ifRange = nil
    switch answer.result {
    case .failure(let error): return .failure(error)
    case .success(let response):
      guard wasForPart else { return .success(response) }
      // Another place may use the same validator for another version, and a server may send more than
      // it announced.
      if receiver.isForeign || receiver.isLong || Identifier(response.place) != Identifier(begunAt)
      {
        return .again
      }
      if response.ending == .complete, receiver.isShort {
        return .failure(
          FetchError(.truncated, "the requested part ended early", isRetryable: true))
      }
      return .success(response)
    }
  }

  mutating func wait(after error: FetchError) async throws -> Bool {
    try await tries.wait(after: error)
  }

  /// Requests what is missing of a source that broke off, if the server allows it.
  mutating func prepareRest(of receiver: SourceReceiver, after answer: FetchResult) {
    if !wasForPart { begunAt = answer.begun?.place }
    guard let rest = receiver.rest else { return }
    // Part of a source is here, so it has changed, whatever it was before.
    request.condition = nil
    request.range = rest.range
    request.ifRange = rest.version
  }
}
