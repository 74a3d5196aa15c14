import Synchronization

@testable import TesseraNet

/// A fetcher whose servers are values. It passes bodies to the receiver as the real one does, in
/// pieces that are smaller than a header.
final class FakeFetcher: Fetching {
  /// What a server has at a URL.
  enum Answer: Sendable {
    case source(Source)
    case failure(FetchError)
    /// Neither a response nor a failure, until the fetcher is closed or the task is cancelled.
    case silence
  }

  struct Source: Sendable {
    var bytes: [UInt8]
    var etag: String?
    var lastModified: String?
    /// How long a response is fresh, in seconds; nil if the server does not say.
    var freshFor: Int?
    /// The URL after redirects; nil for the requested one.
    var place: String?
  }

  private struct State {
    var answers: [String: Answer] = [:]
    var log: [String] = []
    var counts = FetchStatistics()
    var end: ContinuousClock.Instant?
    var held = 0
    var isBlocked = false
    var isClosed = false
    var beforeAnswers: (@Sendable () async -> Void)?
    var hanging: [Int: CheckedContinuation<Void, Never>] = [:]
    var nextNumber = 0
    /// A test that waits until this number of requests hang.
    var watcher: (count: Int, continuation: CheckedContinuation<Void, Never>)?

    /// The URL that a request leads to.
    func place(of request: FetchRequest) -> String {
      if case .source(let source)? = answers[request.url], let place = source.place { return place }
      return request.url
    }
  }

  private let state = Mutex(State())

  private static let settings = FetchSettings()

  /// The length of a piece of a body, shorter than a WebP header.
  private static let piece = 20

  // MARK: For tests

  subscript(url: String) -> Answer? {
    get { state.withLock { $0.answers[url] } }
    set { state.withLock { $0.answers[url] = newValue } }
  }

  /// The requests since the last call, a line for each: URL, condition, and status or error code.
  func takeLog() -> [String] {
    state.withLock { state in
      defer { state.log = [] }
      return state.log
    }
  }

  /// Sources that were received and not released.
  var held: Int { state.withLock(\.held) }

  func setBlocked() { state.withLock { $0.isBlocked = true } }

  func setEnd(_ end: ContinuousClock.Instant?) { state.withLock { $0.end = end } }

  /// Sets what every request waits for before its answer; nil for nothing.
  func beforeAnswers(_ action: (@Sendable () async -> Void)?) {
    state.withLock { $0.beforeAnswers = action }
  }

  /// Makes a closed fetcher usable for the next run.
  func open() { state.withLock { $0.isClosed = false } }

  /// Requests that hang.
  var hanging: Int { state.withLock(\.hanging.count) }

  /// Waits until this number of requests hang.
  func waitUntilHanging(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isReached = state.withLock { state in
        if state.hanging.count >= count { return true }
        state.watcher = (count, continuation)
        return false
      }
      if isReached { continuation.resume() }
    }
  }

  // MARK: Fetching

  var end: ContinuousClock.Instant? { state.withLock(\.end) }
  var counts: FetchStatistics { state.withLock(\.counts) }
  var isBlocked: Bool { state.withLock(\.isBlocked) }
  var inFlight: FetchesInFlight { FetchesInFlight() }
  func whenBlocked(_ action: (@Sendable () -> Void)?) {}
  func hold(_ change: Int, limit: Int) { state.withLock { $0.held += change } }

  func close() {
    let hanging = state.withLock { state in
      state.isClosed = true
      defer { state.hanging = [:] }
      return state.hanging.values.map(\.self)
    }
    for continuation in hanging { continuation.resume() }
  }

  func fetch(
    _ request: FetchRequest, host: String, into receiver: any BodyReceiving
  ) async -> FetchResult {
    await state.withLock(\.beforeAnswers)?()
    let result = await result(of: request, receiver)
    state.withLock { state in
      state.counts.count(result)
      state.log.append(Self.line(request, result, place: state.place(of: request)))
    }
    return result
  }

  private func result(
    of request: FetchRequest, _ receiver: any BodyReceiving
  ) async -> FetchResult {
    let (answer, isClosed) = state.withLock { ($0.answers[request.url], $0.isClosed) }
    if isClosed { return Self.cancelled }
    if let end, end <= .now { return Self.failed(.runDeadline) }
    switch answer {
    case nil: return Self.failed(.status(404))
    case .failure(let error): return Self.failed(error)
    case .source(let source): return Self.respond(source, to: request, receiver)
    case .silence:
      await hang()
      return Self.cancelled
    }
  }

  private static func respond(
    _ source: Source, to request: FetchRequest, _ receiver: any BodyReceiving
  ) -> FetchResult {
    let validators = Validators(etag: source.etag, lastModified: source.lastModified)
    let url = source.place ?? request.url
    var response = FetchResponse(
      ending: .complete, url: url, place: settings.place(of: url), leftOrigin: false,
      validators: validators, freshness: source.freshFor.map { .seconds($0) }, bytes: 0)
    if let asked = request.condition?.validators(at: url, ignoring: []),
      isUnchanged(source, asked)
    {
      response.ending = .notModified
      return succeeded(response)
    }
    var verdict = receiver.begin(.whole(length: source.bytes.count), validators)
    while response.bytes < source.bytes.count {
      guard case .more = verdict else { break }
      let end = min(response.bytes + piece, source.bytes.count)
      verdict = receiver.receive(source.bytes.span.bytes.extracting(response.bytes..<end))
      response.bytes = end
    }
    switch verdict {
    case .more: break
    case .enough: response.ending = .stopped
    case .failed(let message): return failed(FetchError(.local, message))
    case .noRoom: return failed(.noRoom)
    }
    return succeeded(response)
  }

  /// An ETag takes precedence over a date (RFC 9110, section 13.2.2).
  private static func isUnchanged(_ source: Source, _ asked: Validators) -> Bool {
    if let etag = asked.etag { return etag == source.etag }
    return asked.lastModified == source.lastModified
  }

  private func hang() async {
    let number = state.withLock { state in
      state.nextNumber += 1
      return state.nextNumber
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (isOver, watcher) = state.withLock { state in
          if state.isClosed || Task.isCancelled {
            return (true, CheckedContinuation<Void, Never>?.none)
          }
          state.hanging[number] = continuation
          guard let watcher = state.watcher, state.hanging.count >= watcher.count else {
            return (false, nil)
          }
          state.watcher = nil
          return (false, watcher.continuation)
        }
        if isOver { continuation.resume() }
        watcher?.resume()
      }
    } onCancel: {
      state.withLock { $0.hanging.removeValue(forKey: number) }?.resume()
    }
  }

  // MARK: Results

  private static var cancelled: FetchResult {
    failed(FetchError(.cancelled, "the request was cancelled"))
  }

  private static func failed(_ error: FetchError) -> FetchResult {
    FetchResult(result: .failure(error), begun: nil, bytes: 0, requests: 1, time: .zero)
  }

  private static func succeeded(_ response: FetchResponse) -> FetchResult {
    FetchResult(
      result: .success(response), begun: response, bytes: response.bytes, requests: 1, time: .zero)
  }

  private static func line(
    _ request: FetchRequest, _ result: FetchResult, place: String
  ) -> String {
    var words = [request.url]
    if let validators = request.condition?.validators(at: place, ignoring: []) {
      words += ["if", validators.etag ?? validators.lastModified ?? ""]
    }
    switch result.result {
    case .success(let response):
      switch response.ending {
      case .complete: words.append("200")
      case .stopped: words.append("200 stopped")
      case .notModified: words.append("304")
      }
    case .failure(let error): words.append(error.status > 0 ? "\(error.status)" : "\(error.code)")
    }
    return words.joined(separator: " ")
  }
}

extension FakeFetcher.Answer {
  static func image(
    _ bytes: [UInt8], etag: String? = nil, lastModified: String? = nil, freshFor: Int? = nil,
    place: String? = nil
  ) -> Self {
    .source(
      FakeFetcher.Source(
        bytes: bytes, etag: etag, lastModified: lastModified, freshFor: freshFor, place: place))
  }

  static func status(_ status: Int) -> Self { .failure(.status(status)) }

  /// No connection.
  static let unreachable = Self.failure(FetchError(.network, "the connection was rejected"))
}

extension FetchError {
  static func status(_ status: Int) -> FetchError {
    FetchError(.httpStatus, "the server responded with status \(status)", status: status)
  }
}

extension FakeFetcher {
  /// A "not modified" that says nothing about freshness.
  ///
  /// - Parameter place: the URL after redirects.
  static func response(etag: String?, place: String) -> FetchResponse {
    FetchResponse(
      ending: .notModified, url: place, place: place, leftOrigin: false,
      validators: Validators(etag: etag, lastModified: nil), freshness: nil, bytes: 0)
  }
}
