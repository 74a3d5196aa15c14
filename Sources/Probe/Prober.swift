package import TesseraFetch
internal import TesseraImageHeader
internal import TesseraManifest
internal import TesseraText

/// Determines the sizes of images from the first bytes of URLs, as manifests have them, and of files.
package struct Prober: Sendable {
  package typealias Answer = ProbeAnswer
  package typealias Failure = ProbeFailure

  private let fetch: HeaderFetch
  private let concurrency: Int

  /// - Parameters:
  ///   - policy: its deadline is that of one URL with all its requests, retries and pauses.
  ///   - maximumBytes: at most this many bytes of one source are read.
  ///   - concurrency: at most this many sources are probed at a time.
  package init(
    fetcher: any Fetching, _ policy: RetryPolicy, maximumBytes: Int, concurrency: Int
  ) {
    fetch = HeaderFetch(
      fetcher: fetcher, policy: policy, maximumBytes: maximumBytes, didRetry: {})
    self.concurrency = concurrency
  }

  /// At most this many answers wait for an earlier one, so that memory is bounded.
  private static let mostWaiting = 1000

  /// Probes a list of sources, and reports the answers in the order of the list, each as soon as it
  /// and all earlier ones are complete.
  ///
  /// - Parameters:
  ///   - next: returns the next source, or nil at the end; may wait. A failure takes the place of
  ///     an entry that is not a source.
  ///   - answer: called from any task, for one answer at a time.
  /// - Throws: what `next` throws, or `CancellationError`.
  package func probe(
    _ next: () async throws -> Result<String, Failure>?,
    answer: @escaping @Sendable (Answer) -> Void
  ) async throws {
    let queue = AnswerQueue(answer)
    try await withThrowingTaskGroup(of: Void.self) { group in
      var index = 0
      var inFlight = 0
      while let source = try await next() {
        // The queue is full if one slow source holds back the answers of those behind it.
        while inFlight >= concurrency || queue.isFull(before: index, limit: Self.mostWaiting) {
          try await group.next()
          inFlight -= 1
        }
        let place = index
        index += 1
        inFlight += 1
        group.addTask {
          switch source {
          case .success(let source): queue.put(try await probe(source), at: place)
          case .failure(let failure):
            queue.put(Answer(source: "", result: .failure(failure)), at: place)
          }
        }
      }
      try await group.waitForAll()
    }
  }

  /// Probes one URL, or one file.
  ///
  /// - Throws: `CancellationError`.
  package func probe(_ source: String) async throws -> Answer {
    let url = SourceURL.encoded(source)
    return switch SourceURL.scheme(of: url) {
    case .some where SourceURL.isSource(url): try await probeURL(url)
    case "http", "https":
      Answer(source: SourceURL.withoutUserInfo(url), result: .failure(.badURL))
    case .some(let scheme) where url.dropFirst(scheme.count).hasPrefix("://"):
      Answer(
        source: url,
        result: .failure(
          Failure(
            code: "bad-url",
            message: "The URL must begin with http:// or https://, not \(scheme)://.")))
    // All else is a path: a file's name may contain a colon, too.
    default:
      await FileProbe(deadline: fetch.policy.deadline, maximumBytes: fetch.maximumBytes)
        .probe(source)
    }
  }

  private func probeURL(_ url: String) async throws -> Answer {
    let fetched = try await fetch.fetch(url)
    let result: Result<ImageHeader, Failure> =
      switch fetched.outcome {
      case .told(let reading, _, _): Answer.result(reading)
      case .failed(let error):
        .failure(
          Failure(
            code: error.code.rawValue, message: error.message.asSentence,
            isRetryable: error.isRetryable))
      case .notModified:
        .failure(
          Failure(
            code: "bad-response", message: "The server answered 304 to an unconditional request."))
      }
    return Answer(
      source: SourceURL.withoutUserInfo(url), result: result, bytesRead: fetched.bytes,
      requests: fetched.requests)
  }
}
