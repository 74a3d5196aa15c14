internal import Synchronization
package import TesseraFetch
package import TesseraImageHeader
internal import TesseraManifest
internal import TesseraSystem
internal import TesseraText

/// Learns the sizes of pictures, from the first bytes of URLs and files.
package struct Prober: Sendable {
  /// The answer for one source.
  package struct Answer: Sendable {
    /// As it was asked for, without the user and password of a URL.
    package var source: String
    package var result: Result<ImageHeader, Failure>
    /// Bytes that were read for it, and HTTP requests that were made.
    package var bytesRead = 0
    package var requests = 0
  }

  /// Why a size could not be learned.
  package struct Failure: Error, Sendable {
    package var code: String
    /// A sentence.
    package var message: String
    package var isRetryable = false

    package init(code: String, message: String, isRetryable: Bool = false) {
      self.code = code
      self.message = message
      self.isRetryable = isRetryable
    }
  }

  private let fetch: HeaderFetch
  private let concurrency: Int

  /// - Parameters:
  ///   - deadline: for one URL, with all its requests, retries and waits.
  ///   - maximumBytes: no more is read of one source.
  ///   - concurrency: so many sources at once.
  package init(
    fetcher: any Fetching, headers: [(name: String, value: String)] = [], retries: Int,
    deadline: Duration, maximumBytes: Int, concurrency: Int
  ) {
    fetch = HeaderFetch(
      fetcher: fetcher, headers: headers, policy: .init(retries: retries, deadline: deadline),
      maximumBytes: maximumBytes, didRetry: {})
    self.concurrency = concurrency
  }

  /// So many answers may wait for an earlier one: what is held is bounded.
  private static let mostWaiting = 1000

  /// Probes a list of sources and hands out the answers in its order, each as soon as it and all
  /// before it are there, from whatever task that is; never two at a time.
  ///
  /// - Parameter next: gives the next source, nil at the end. May wait for it. A failure stands in
  ///   the place of a source that can't be asked.
  /// - Throws: what `next` throws, or `CancellationError`.
  package func probe(
    _ next: () async throws -> Result<String, Failure>?,
    answer: @escaping @Sendable (Answer) -> Void
  ) async throws {
    let queue = AnswerQueue(answer)
    try await withThrowingTaskGroup(of: Void.self) { group in
      var index = 0
      var underWay = 0
      while let source = try await next() {
        while underWay >= concurrency || queue.isFull(before: index, limit: Self.mostWaiting) {
          try await group.next()
          underWay -= 1
        }
        let place = index
        index += 1
        underWay += 1
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
    switch SourceURL.scheme(of: source) {
    case "http", "https":
      if SourceURL.isFetchable(source) {
        try await probeURL(source)
      } else {
        Answer(
          source: SourceURL.withoutUserInfo(source),
          result: .failure(
            Failure(
              code: "bad-url", message: "An address begins with http:// or https:// and a host.")))
      }
    case .some(let scheme) where source.dropFirst(scheme.count).hasPrefix("://"):
      Answer(
        source: source,
        result: .failure(
          Failure(
            code: "bad-url", message: "URLs begin with http:// or https://, not \(scheme)://.")))
    default: await FileProbe(deadline: fetch.policy.deadline).probe(source)
    }
  }

  private func probeURL(_ url: String) async throws -> Answer {
    let fetched = try await fetch.fetch(url)
    let result: Result<ImageHeader, Failure> =
      switch fetched.outcome {
      case .told(let reading, _, _): Self.result(reading)
      case .failed(let error):
        .failure(
          Failure(
            code: error.code.rawValue, message: error.message.asSentence,
            isRetryable: error.isRetryable))
      case .notModified:
        .failure(Failure(code: "bad-response", message: "The server answered 304 unasked."))
      }
    return Answer(
      source: SourceURL.withoutUserInfo(url), result: result, bytesRead: fetched.bytes,
      requests: fetched.requests)
  }

  static func result(_ reading: HeaderReading) -> Result<ImageHeader, Failure> {
    switch reading {
    case .header(let header): .success(header)
    case .refused(let refusal):
      .failure(Failure(code: refusal.kind.rawValue, message: "The file is \(refusal.reason)."))
    case .needs:
      .failure(
        Failure(
          code: HeaderRefusal.Kind.malformed.rawValue,
          message: "The file asks for ever more of itself before it tells its size."))
    }
  }
}

/// Puts answers back into the order of their questions.
private final class AnswerQueue: Sendable {
  private let answer: @Sendable (Prober.Answer) -> Void
  private let state = Mutex((next: 0, waiting: [Int: Prober.Answer]()))

  init(_ answer: @escaping @Sendable (Prober.Answer) -> Void) { self.answer = answer }

  func isFull(before index: Int, limit: Int) -> Bool {
    state.withLock { index - $0.next >= limit }
  }

  func put(_ new: Prober.Answer, at index: Int) {
    state.withLock { state in
      state.waiting[index] = new
      while let ready = state.waiting.removeValue(forKey: state.next) {
        answer(ready)
        state.next += 1
      }
    }
  }
}
