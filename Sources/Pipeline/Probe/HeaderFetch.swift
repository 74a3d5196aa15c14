internal import TesseraFetch
internal import TesseraImageHeader
internal import TesseraManifest

/// Learns a picture's header from a server, with as few bytes and requests as it takes:
///
///     Range: the first 3.5 kB ──> told                                     the common case
///       │ 206, but it takes bytes that lie ahead
///       ├──> Range: there, If-Range: this version ──> told, or further on
///       │ 200: the server sends everything
///       ├──> read on until told, then drop the connection
///       │ another version, a part that was not asked for, 416
///       └──> once, all over, without ranges
///
/// Every request, wait and redirect counts towards one deadline.
struct HeaderFetch: Sendable {
  let fetcher: Fetcher
  let headers: [(name: String, value: String)]
  let policy: RetryPolicy
  /// No more is read of one source.
  let maximumBytes: Int
  let didRetry: @Sendable () -> Void

  struct Answer: Sendable {
    var outcome: Outcome
    /// Of bodies, as they came in.
    var bytes = 0
    /// Redirects included.
    var requests = 0
  }

  enum Outcome: Sendable {
    /// Never ``HeaderReading/needs(_:)``.
    case told(HeaderReading, FetchResponse, length: Int?)
    case notModified(FetchResponse)
    case failed(FetchError)
  }

  /// - Parameter validators: of the version that is known already.
  /// - Throws: `CancellationError`.
  func fetch(_ url: String, validators: Validators? = nil) async throws -> Answer {
    let receiver = HeaderReceiver(reach: min(HeaderReader.reach, maximumBytes))
    var search = Search(url: url, headers: headers)
    search.ahead.mostBytes = min(search.ahead.mostBytes, maximumBytes)
    var request = FetchRequest(
      url: url, headers: headers, validators: validators, deadline: policy.deadline)
    request.isForBeginning = true
    request.range = search.ahead.next(for: receiver.wanted ?? 0..<1)
    var tries = Tries(policy)
    var answer = Answer(outcome: .failed(FetchError(.cancelled, "the run was stopped")))
    while true {
      request.deadline = tries.left
      receiver.expect(request.range)
      let result = await fetcher.fetch(
        request, host: SourceURL.host(of: request.url), into: receiver)
      answer.bytes += result.bytes
      answer.requests += result.requests
      tries.took(result.time)
      request.isContinuation = true
      search.begun = result.begun ?? search.begun
      switch result.result {
      case .success(let response) where response.ending == .notModified:
        answer.outcome = .notModified(response)
        return answer
      case .success(let response):
        switch receiver.verdict(isWhole: response.ending == .complete) {
        case .told(let reading):
          answer.outcome = .told(reading, response, length: receiver.length)
          return answer
        case .wants(let range):
          guard let window = search.ahead.next(for: range) else {
            let reading: HeaderReading =
              receiver.settled.map { .header($0) } ?? .refused(search.gaveUp)
            answer.outcome = .told(reading, response, length: receiver.length)
            return answer
          }
          // What redirects led to is asked at once, as the configured headers allow.
          request.url = response.url
          if response.leftOrigin { request.headers = [] }
          request.validators = nil
          request.range = window
          request.ifRange = receiver.version?.strong
        case .unusable: search.startOver(&request)
        }
      case .failure(let error):
        if error.code == .cancelled { throw CancellationError() }
        // A transfer may fail when it has told already what it was for.
        search.header = receiver.told ?? receiver.settled ?? search.header
        if receiver.told == nil, try await tries.wait(after: error) {
          didRetry()
        } else if receiver.told == nil, search.isWorthAnother(error, after: request) {
          search.startOver(&request)
        } else if let header = search.header, let begun = search.begun {
          answer.outcome = .told(.header(header), begun, length: receiver.length)
          return answer
        } else {
          answer.outcome = .failed(error)
          return answer
        }
      }
    }
  }

  /// How far the search has come.
  private struct Search {
    let url: String
    let headers: [(name: String, value: String)]
    var ahead = ReadAhead.network
    /// The last good answer, whether or not its body came to an end, and what it told.
    var begun: FetchResponse?
    var header: ImageHeader?

    init(url: String, headers: [(name: String, value: String)]) {
      self.url = url
      self.headers = headers
    }

    /// Whether a request without ranges may do better. A first request fails for another reason than
    /// its range, mostly; a later one was fine before it asked for another place.
    func isWorthAnother(_ error: FetchError, after request: FetchRequest) -> Bool {
      guard let range = request.range else { return false }
      return range.lowerBound > 0 || error.code == .badRange
        || [400, 416, 501].contains(error.status)
    }

    /// The whole source, from where it was first asked for.
    func startOver(_ request: inout FetchRequest) {
      request.url = url
      request.headers = headers
      request.validators = nil
      request.range = nil
      request.ifRange = nil
    }

    var gaveUp: HeaderRefusal {
      HeaderRefusal(
        .malformed,
        "a picture that does not tell its size within \(ahead.mostReads) requests and "
          + "\(ahead.mostBytes) bytes")
    }
  }
}
