package import TesseraFetch
package import TesseraImageHeader
internal import TesseraManifest
internal import TesseraText

/// Learns a picture's header from a server, with as few bytes and requests as it takes:
///
///     Range: the first 3.5 kB ──> told                                     the common case
///       │ 206, but it takes bytes that lie ahead
///       ├──> Range: there, If-Range: this version ──> told, or further on
///       │ 200: the server sends everything
///       ├──> read on until told, then drop the connection
///       │ another version, a part that was not asked for, 416; 32 jumps
///       └──> once, all over, without ranges
///
/// Every request, wait and redirect counts towards one deadline.
package struct HeaderFetch: Sendable {
  let fetcher: any Fetching
  let headers: [(name: String, value: String)]
  let policy: RetryPolicy
  /// No more is read of one source.
  let maximumBytes: Int
  let didRetry: @Sendable () -> Void

  package struct Answer: Sendable {
    package var outcome: Outcome
    /// Of bodies, as they came in.
    package var bytes: Int
    /// Redirects included.
    package var requests: Int
  }

  package enum Outcome: Sendable {
    /// Never ``HeaderReading/needs(_:)``.
    case told(HeaderReading, FetchResponse, length: Int?)
    case notModified(FetchResponse)
    case failed(FetchError)
  }

  /// - Parameters:
  ///   - policy: how often, and for how long, a source is tried.
  ///   - maximumBytes: no more is read of one source.
  ///   - didRetry: called before each further try.
  package init(
    fetcher: any Fetching, headers: [(name: String, value: String)], policy: RetryPolicy,
    maximumBytes: Int, didRetry: @escaping @Sendable () -> Void
  ) {
    self.fetcher = fetcher
    self.headers = headers
    self.policy = policy
    self.maximumBytes = maximumBytes
    self.didRetry = didRetry
  }

  /// - Parameters:
  ///   - validators: of the version that is known already.
  ///   - turn: the place in the fetcher's queue.
  /// - Throws: `CancellationError`.
  package func fetch(
    _ url: String, validators: Validators? = nil, turn: Int? = nil
  ) async throws -> Answer {
    var search = HeaderSearch(self, url, validators, turn)
    var bytes = 0
    var requests = 0
    while true {
      let request = search.begin()
      let result = await fetcher.fetch(
        request, host: SourceURL.host(of: request.url), into: search.receiver)
      bytes += result.bytes
      requests += result.requests
      if let outcome = try await search.next(after: result) {
        return Answer(outcome: outcome, bytes: bytes, requests: requests)
      }
    }
  }
}

/// The search for one header: what to ask next, until there is an answer.
private struct HeaderSearch {
  let receiver: HeaderReceiver
  private let fetch: HeaderFetch
  private let url: String
  private var next: FetchRequest
  private var ahead = ReadAhead.network
  private var tries: Tries
  /// The last good answer, whether or not its body came to an end, and what it told.
  private var begun: FetchResponse?
  private var header: ImageHeader?

  init(_ fetch: HeaderFetch, _ url: String, _ validators: Validators?, _ turn: Int?) {
    self.fetch = fetch
    self.url = url
    receiver = HeaderReceiver(reach: min(HeaderReader.reach, fetch.maximumBytes))
    ahead.mostBytes = min(ahead.mostBytes, fetch.maximumBytes)
    tries = Tries(fetch.policy, runEnd: fetch.fetcher.end)
    next = FetchRequest(
      url: url, headers: fetch.headers, validators: validators, deadline: fetch.policy.deadline)
    next.isForBeginning = true
    next.turn = turn
    next.range = ahead.next(for: 0..<1)
  }

  /// The request that is to be made now; the receiver is told what it asks for.
  func begin() -> FetchRequest {
    var request = next
    request.end = tries.end
    receiver.expect(request.range)
    return request
  }

  /// What a request came to. Nil where there is another one to make.
  mutating func next(after result: FetchResult) async throws -> HeaderFetch.Outcome? {
    tries.took(result.time)
    begun = result.begun ?? begun
    switch result.result {
    case .success(let response) where response.ending == .notModified:
      return .notModified(response)
    case .success(let response): return outcome(of: response)
    case .failure(let error): return try await outcome(of: error)
    }
  }

  private mutating func outcome(of response: FetchResponse) -> HeaderFetch.Outcome? {
    switch receiver.verdict(isWhole: response.ending == .complete) {
    case .told(let reading): return .told(reading, response, length: receiver.length)
    case .wants(let range):
      guard let window = ahead.next(for: range) else {
        if let header = receiver.settled {
          return .told(.header(header), response, length: receiver.length)
        }
        guard fetch.maximumBytes > ahead.mostBytes else {
          let reason = "a picture that does not tell its size in \(fetch.maximumBytes) bytes"
          return .told(
            .refused(HeaderRefusal(.malformed, reason)), response, length: receiver.length)
        }
        // Who jumps about like this is sooner read in one piece.
        startOver()
        return nil
      }
      // What redirects led to is asked at once, as the configured headers allow.
      next.url = response.url
      if response.leftOrigin { next.headers = [] }
      next.validators = nil
      next.range = window
      next.ifRange = receiver.version?.strong
    case .unusable: startOver()
    }
    return nil
  }

  private mutating func outcome(of error: FetchError) async throws -> HeaderFetch.Outcome? {
    if error.code == .cancelled { throw CancellationError() }
    // A transfer may fail when it has told already what it was for.
    let told = receiver.told
    header = told ?? receiver.settled ?? header
    if told == nil {
      if try await tries.wait(after: error) {
        fetch.didRetry()
        return nil
      }
      if isWorthAnother(error) {
        startOver()
        return nil
      }
    }
    if let header, let begun { return .told(.header(header), begun, length: receiver.length) }
    return .failed(error)
  }

  /// Whether a request without ranges may do better. A first request fails for another reason than
  /// its range, mostly; a later one was fine before it asked for another place.
  private func isWorthAnother(_ error: FetchError) -> Bool {
    guard let range = next.range else { return false }
    return range.lowerBound > 0 || error.code == .badRange
      || [400, 416, 501].contains(error.status)
  }

  /// The whole source, from where it was first asked for.
  private mutating func startOver() {
    next.url = url
    next.headers = fetch.headers
    next.validators = nil
    next.range = nil
    next.ifRange = nil
  }
}
