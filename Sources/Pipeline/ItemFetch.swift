internal import TesseraFetch
internal import TesseraManifest
internal import TesseraPipelineFile
internal import TesseraSystem
internal import TesseraText

/// Gets one source, with all its tries.
struct ItemFetch: Sendable {
  let fetcher: Fetcher
  let settings: PipelineFile.Fetch
  let limits: Intake.Limits
  let recorder: RunRecorder

  /// How fetching ended. An intake that is handed out has bytes in the spool: the taker discards it.
  enum Outcome: Sendable {
    case notModified(FetchResponse)
    case arrived(FetchResponse, Intake, Intake.Outcome)
    case failed(FetchError)
  }

  /// - Parameters:
  ///   - spoolPath: where the bytes go; nobody else uses it meanwhile.
  ///   - turn: the place in the fetcher's queue.
  func fetch(
    _ url: String, validators: Validators?, spoolPath: String, turn: Int
  ) async throws -> Outcome {
    var tries = Tries(
      RetryPolicy(retries: settings.retries, deadline: settings.deadline), runEnd: fetcher.end)
    let intake = Intake(limits: limits, spoolPath: spoolPath)
    var request = FetchRequest(
      url: url, headers: settings.headers.map { ($0.name, $0.value) }, validators: validators,
      deadline: settings.deadline)
    request.turn = turn
    // Where the part came from that is here already.
    var begunAt: String?
    while true {
      let answer = await fetcher.fetch(request, host: SourceURL.host(of: url), into: intake)
      tries.took(answer.time)
      let wasPart = request.range != nil
      request.end = tries.end
      request.range = nil
      request.ifRange = nil
      var result = answer.result
      if wasPart, case .success(let response) = result {
        // Another place may use the same name for another version, and a part may be longer than told.
        if intake.isForeign || intake.isLong || response.url != begunAt { continue }
        if response.ending == .complete, intake.isShort {
          result = .failure(
            FetchError(.truncated, "the part that was asked for ended early", isRetryable: true))
        }
      }
      switch result {
      case .success(let response):
        if case .notModified = response.ending { return .notModified(response) }
        return .arrived(response, intake, intake.finish())
      case .failure(let error):
        intake.pause()
        if error.code == .cancelled || error.code == .local { intake.discard() }
        if error.code == .cancelled { throw CancellationError() }
        if error.code == .local { throw PipelineError.local(error.message) }
        // Who can't send a part is asked for the whole.
        if wasPart, error.code == .badRange || [400, 416, 501].contains(error.status) { continue }
        guard try await tries.wait(after: error) else {
          intake.discard()
          return .failed(error)
        }
        recorder.update { $0.retries += 1 }
        if !wasPart { begunAt = answer.begun?.url }
        if let rest = intake.rest {
          // Part of a picture is here: it has changed, whatever it was before.
          request.validators = nil
          request.range = rest.range
          request.ifRange = rest.version
        }
      }
    }
  }
}
