internal import Synchronization
package import TesseraImageHeader
internal import TesseraManifest
package import TesseraSystem
internal import TesseraText

/// Reads an image's header from a server, with as few bytes and requests as possible:
///
///     Range: the first 3.5 kB ──> found                                    the common case
///       │ 206, but the size is in later bytes
///       ├──> Range: those, If-Range: this version ──> found, or the next jump
///       │ 200: the server sends everything
///       ├──> read until the size is found, then drop the connection
///       │ another version, a part that was not requested, 416, or 32 jumps
///       └──> one more attempt from the start, without ranges
///
/// All requests, pauses and redirects share one deadline.
package struct HeaderFetch: Sendable {
  let fetcher: any Fetching
  let policy: RetryPolicy
  /// At most this many bytes of one source are read.
  let maximumBytes: Int
  let room: SearchRoom
  let didRetry: @Sendable () -> Void

  package struct Answer: Sendable {
    package var outcome: Outcome
    /// The bytes of bodies as received.
    package var bytes: Int
    /// The HTTP requests sent, redirects included.
    package var requests: Int
    /// The time of the requests, without the wait in queues and between attempts.
    package var time: Duration
  }

  package enum Outcome: Sendable {
    /// Never ``HeaderReading/needs(_:)``.
    case told(HeaderReading, FetchResponse, length: Int?)
    case notModified(FetchResponse)
    case failed(FetchError)
  }

  /// - Parameters:
  ///   - policy: how often a source is requested, and for how long.
  ///   - maximumBytes: at most this many bytes of one source are read.
  ///   - room: where the bytes are kept.
  ///   - didRetry: called before each retry.
  package init(
    fetcher: any Fetching, policy: RetryPolicy, maximumBytes: Int, room: SearchRoom = .shared,
    didRetry: @escaping @Sendable () -> Void
  ) {
    self.fetcher = fetcher
    self.policy = policy
    self.maximumBytes = maximumBytes
    self.room = room
    self.didRetry = didRetry
  }

  /// - Parameters:
  ///   - condition: makes the request conditional: for a version that is known already.
  ///   - turn: the position in the fetcher's queue.
  /// - Throws: `CancellationError`.
  package func fetch(
    _ url: String, condition: Condition? = nil, turn: Int? = nil
  ) async throws -> Answer {
    var search = HeaderSearch(self, url, condition, turn)
    var bytes = 0
    var requests = 0
    var time = Duration.zero
    while true {
      let request = search.begin()
      let result = await fetcher.fetch(
        request, host: SourceHost.name(of: request.url), into: search.receiver)
      bytes += result.bytes
      requests += result.requests
      time += result.time
      if let outcome = try await search.next(after: result) {
        return Answer(outcome: outcome, bytes: bytes, requests: requests, time: time)
      }
    }
  }
}

/// The search for one header: decides on the next request until there is an outcome.
private struct HeaderSearch {
  let receiver: HeaderReceiver
  private let fetch: HeaderFetch
  private let url: String
  private var next: FetchRequest
  private var ahead = ReadAhead.network
  private var tries: Tries
  /// The last successful response, even if its body failed, and the header found so far.
  private var begun: FetchResponse?
  private var header: ImageHeader?
  /// Of the redirects that led to the URL of the next range: they are not followed again.
  private var redirectFreshness: [Duration?] = []

  init(_ fetch: HeaderFetch, _ url: String, _ condition: Condition?, _ turn: Int?) {
    self.fetch = fetch
    self.url = url
    receiver = HeaderReceiver(
      reach: min(HeaderReader.reach, fetch.maximumBytes), room: fetch.room)
    ahead.mostBytes = min(ahead.mostBytes, fetch.maximumBytes)
    tries = Tries(fetch.policy.at(url), runEnd: fetch.fetcher.end)
    next = FetchRequest(
      url: url, condition: condition, deadline: fetch.policy.deadline)
    next.isForBeginning = true
    next.turn = turn
    next.range = ahead.next(for: 0..<1)
  }

  /// The request to send now. Announces its range to the receiver.
  func begin() -> FetchRequest {
    var request = next
    request.end = tries.end
    receiver.expect(request.range)
    return request
  }

  /// Evaluates the result of a request. Returns nil if another request is needed.
  mutating func next(after result: FetchResult) async throws -> HeaderFetch.Outcome? {
    tries.took(result)
    begun = result.begun.map(withRedirects) ?? begun
    switch result.result {
    case .success(let response) where response.ending == .notModified:
      return .notModified(response)
    case .success(let response): return outcome(of: withRedirects(response))
    case .failure(let error): return try await outcome(of: error)
    }
  }

  private func withRedirects(_ response: FetchResponse) -> FetchResponse {
    var response = response
    response.redirectFreshness = redirectFreshness + response.redirectFreshness
    return response
  }

  private mutating func outcome(of response: FetchResponse) -> HeaderFetch.Outcome? {
    switch receiver.verdict(isWhole: response.ending == .complete) {
    case .found(let reading): return .told(reading, response, length: receiver.length)
    case .wants(let range):
      guard let window = ahead.next(for: range) else {
        if let header = receiver.settled {
          return .told(.header(header), response, length: receiver.length)
        }
        guard fetch.maximumBytes > ahead.mostBytes else {
          let reason =
            "an image that does not state its size in its first \(fetch.maximumBytes) bytes"
          return .told(
            .rejected(HeaderRejection(.malformed, reason)), response, length: receiver.length)
        }
        // More jumps would cost more than reading the source from its start.
        startOver()
        return nil
      }
      // Redirects are not followed again: the range belongs to what they led to. Another origin
      // must not receive the configured headers.
      next.url = response.url
      next.leftOrigin = next.leftOrigin || response.leftOrigin
      redirectFreshness = response.redirectFreshness
      // The server did not answer 304, so these validators belong to another version.
      next.condition = nil
      next.range = window
      // If-Range requires a strong validator (RFC 9110, section 13.1.5).
      next.ifRange = receiver.version?.strong
    case .unusable: startOver()
    }
    return nil
  }

  private mutating func outcome(of error: FetchError) async throws -> HeaderFetch.Outcome? {
    if error.code == .cancelled { throw CancellationError() }
    // The header may have arrived before the transfer failed.
    let exact = receiver.exact
    header = exact ?? receiver.settled ?? header
    if exact == nil {
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

  /// Whether a request without a range may succeed. If the first request fails, its range is rarely
  /// the cause. A later one differs from those that succeeded only by its range.
  private func isWorthAnother(_ error: FetchError) -> Bool {
    guard let range = next.range else { return false }
    return range.lowerBound > 0 || error.code == .badRange
      || [400, 416, 501].contains(error.status)
  }

  /// Makes the next request one for the whole source, from its original URL.
  private mutating func startOver() {
    next.url = url
    next.leftOrigin = false
    redirectFreshness = []
    next.condition = nil
    next.range = nil
    next.ifRange = nil
  }
}

extension HeaderFetch {
  /// What counting the frames of a source came to.
  package struct FrameAnswer: Sendable {
    package var result: Result<Int, FetchError>
    /// The time of the requests, as in ``Answer``.
    package var time: Duration
  }

  /// Counts the frames of a source, all of which is read for it: a GIF and a WebP say nowhere how many they have.
  ///
  /// - Throws: `CancellationError`.
  package func countFrames(
    of url: String, _ counter: FrameCounter, turn: Int? = nil
  ) async throws -> FrameAnswer {
    let receiver = FrameReceiver(counter, maximumBytes)
    var tries = Tries(policy.at(url), runEnd: fetcher.end)
    var request = FetchRequest(url: url, deadline: policy.deadline)
    request.turn = turn
    var time = Duration.zero
    while true {
      request.end = tries.end
      let answer = await fetcher.fetch(request, host: SourceHost.name(of: url), into: receiver)
      tries.took(answer)
      time += answer.time
      switch answer.result {
      case .success: return FrameAnswer(result: .success(receiver.count), time: time)
      case .failure(let error):
        if error.code == .cancelled { throw CancellationError() }
        guard try await tries.wait(after: error) else {
          return FrameAnswer(result: .failure(error), time: time)
        }
        didRetry()
      }
    }
  }
}

/// Counts the frames of a body as it arrives.
private final class FrameReceiver: BodyReceiving {
  private struct State {
    var counter: FrameCounter
    var received = 0
  }

  private let first: FrameCounter
  private let maximumBytes: Int
  private let state: Mutex<State>

  init(_ counter: FrameCounter, _ maximumBytes: Int) {
    first = counter
    self.maximumBytes = maximumBytes
    state = Mutex(State(counter: counter))
  }

  var count: Int { state.withLock { $0.counter.count } }

  // A retry begins again.
  func begin(_ extent: BodyExtent, _ validators: Validators?) -> BodyVerdict {
    state.withLock { $0 = State(counter: first) }
    return .more
  }

  func receive(_ bytes: RawSpan) -> BodyVerdict {
    state.withLock { state in
      state.received += bytes.byteCount
      state.counter.add(bytes)
      return state.received > maximumBytes ? .enough : .more
    }
  }
}

/// The memory in which all header searches of the process keep the bytes that they have seen.
///
/// Nearly all headers are found in the first kilobytes, and those are always granted. A search that
/// needs more takes it from here. If there is no more, it gives up what it has, and never waits while
/// it holds something: so the searches that go on always end. What was given up is searched later: a
/// spooled source from its file (``search(_:)``), another one by a retry.
package final class SearchRoom: Sendable {
  /// Granted to each search in any case: 99 of 100 camera images need a sixth of it (see
  /// `ReadAhead.network`).
  static let allowance = 64 * 1024

  /// 256 MiB: with the default `fetch.concurrency` of 16, no search is ever without room.
  package static let shared = SearchRoom(bytes: 16 * HeaderReader.reach)

  private let free: Mutex<Int>
  /// One at a time: this search has no share of the room, and needs as much as ``HeaderReader/reach``.
  private let turn = Mutex(())

  package init(bytes: Int) { free = Mutex(bytes) }

  /// How many places beyond a stream's reach are read. A TIFF has two: its directory, and what that points to.
  private static let maximumJumps = 64

  /// Reads the header of a whole source as a stream, so that the answer is as if it had just arrived, and where it asks
  /// for more than a stream is read for, at that place.
  ///
  /// - Parameter read: returns up to `count` bytes from `offset`; none at the end.
  package func search(
    _ read: (_ count: Int, _ offset: Int) throws(SystemError) -> [UInt8]
  ) throws(SystemError) -> HeaderReading {
    try turn.withLock { _ throws(SystemError) in
      var reader = HeaderReader(isExact: false)
      var (offset, jumps) = (0, 0)
      while reader.isSearching {
        if let range = reader.farRange {
          // Each answers the one before: a cycle of them ends.
          guard jumps < Self.maximumJumps else { break }
          jumps += 1
          let bytes = try read(range.count, range.lowerBound)
          guard !bytes.isEmpty else { break }
          reader.add(bytes.span, at: range.lowerBound)
          if bytes.count < range.count { reader.end(at: range.lowerBound + bytes.count) }
          continue
        }
        guard !reader.isOver(HeaderReader.reach) else { break }
        let bytes = try read(Self.allowance, offset)
        if bytes.isEmpty {
          reader.end()
          break
        }
        offset += bytes.count
        reader.add(bytes.span)
      }
      return reader.streamed()
    }
  }

  fileprivate func take(_ bytes: Int) -> Bool {
    free.withLock { free in
      guard bytes <= free else { return false }
      free -= bytes
      return true
    }
  }
}

/// What one search holds of the room, which it gives back at its end. Its owner guards it by a lock.
package final class SearchShare {
  private let room: SearchRoom
  private var held = 0

  package init(of room: SearchRoom) { self.room = room }

  deinit { _ = room.take(-held) }

  package func release() {
    _ = room.take(-held)
    held = 0
  }

  /// Makes the share fit for a search that keeps this many bytes. Returns false if the
  /// room is full; the search must then give them up.
  package func resize(for count: Int) -> Bool {
    let wanted = max(0, count - SearchRoom.allowance)
    guard room.take(wanted - held) else { return false }
    held = wanted
    return true
  }
}
