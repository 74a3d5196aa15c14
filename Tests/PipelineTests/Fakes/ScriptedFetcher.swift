import Synchronization

@testable import TesseraNet

/// A fetcher with an answer for each request in turn. Pauses between attempts take no time, because
/// its run is over.
final class ScriptedFetcher: Fetching {
  typealias Answer = @Sendable (FetchRequest, any BodyReceiving) -> FetchResult

  private let state: Mutex<(answers: [Answer], requests: [FetchRequest], held: Int)>
  let end: ContinuousClock.Instant? = .now - .seconds(1)

  init(_ answers: [Answer]) { state = Mutex((answers, [], 0)) }

  var requests: [FetchRequest] { state.withLock(\.requests) }
  /// Sources that were received and not released.
  var held: Int { state.withLock(\.held) }

  func fetch(
    _ request: FetchRequest, host: String, into receiver: any BodyReceiving
  ) async -> FetchResult {
    let answer = state.withLock { state in
      state.requests.append(request)
      return state.answers.isEmpty ? Self.failure(.cancelled) : state.answers.removeFirst()
    }
    return answer(request, receiver)
  }

  var counts: FetchStatistics { FetchStatistics() }
  var inFlight: FetchesInFlight { FetchesInFlight() }
  var isBlocked: Bool { false }
  func whenBlocked(_ action: (@Sendable () -> Void)?) {}
  func hold(_ change: Int, limit: Int) { state.withLock { $0.held += change } }
  func close() {}

  // MARK: Answers

  static let place = "https://images.example/photo"

  static func failure(
    _ code: FetchError.Code, status: Int = 0, isRetryable: Bool = false
  ) -> Answer {
    { _, _ in
      FetchResult(
        result: .failure(
          FetchError(code, "the request failed", isRetryable: isRetryable, status: status)),
        begun: nil, bytes: 0, requests: 1, time: .milliseconds(10))
    }
  }

  static func notModified(etag: String? = "\"1\"") -> Answer {
    { _, _ in result(.notModified, [], etag, place) }
  }

  /// All bytes; the connection breaks off behind the first `count` if there are more.
  static func whole(
    _ bytes: [UInt8], etag: String? = "\"1\"", breaksAfter count: Int = .max,
    at place: String = place
  ) -> Answer {
    { _, receiver in
      _ = receiver.begin(
        .whole(length: bytes.count), Validators(etag: etag, lastModified: nil))
      return send(
        Array(bytes.prefix(count)), to: receiver, etag, place, isWhole: count >= bytes.count)
    }
  }

  /// A range of a source with `total` bytes.
  static func part(
    _ bytes: [UInt8], _ range: Range<Int>, of total: Int?, etag: String? = "\"1\"",
    at place: String = place
  ) -> Answer {
    { _, receiver in
      let validators = Validators(etag: etag, lastModified: nil)
      if case .enough = receiver.begin(.part(range, of: total), validators) {
        return result(.stopped, [], etag, place)
      }
      return send(bytes, to: receiver, etag, place, isWhole: true)
    }
  }

  private static func send(
    _ bytes: [UInt8], to receiver: any BodyReceiving, _ etag: String?, _ place: String,
    isWhole: Bool
  ) -> FetchResult {
    let answer = result(.complete, bytes, etag, place)
    if case .enough = receiver.receive(bytes.span.bytes) {
      return result(.stopped, bytes, etag, place)
    }
    if isWhole { return answer }
    return FetchResult(
      result: .failure(FetchError(.network, "the connection broke off", isRetryable: true)),
      begun: answer.begun, bytes: answer.bytes, requests: answer.requests, time: answer.time)
  }

  private static func result(
    _ ending: FetchResponse.Ending, _ bytes: [UInt8], _ etag: String?, _ place: String
  ) -> FetchResult {
    let response = FetchResponse(
      ending: ending, url: place, place: place, leftOrigin: false,
      validators: Validators(etag: etag, lastModified: nil), freshness: nil, bytes: bytes.count)
    return FetchResult(
      result: .success(response), begun: response, bytes: bytes.count, requests: 1,
      time: .milliseconds(10))
  }
}
