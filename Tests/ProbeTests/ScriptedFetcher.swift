import Synchronization
import TesseraNet

/// Answers requests from a script, one step for each, and keeps what was requested. Its run is
/// over, so that no pause between attempts takes time.
final class ScriptedFetcher: Fetching {
  /// What a step delivers.
  struct Step: Sendable {
    var extent: BodyExtent?
    var validators: Validators?
    var body: [UInt8] = []
    /// What the response has besides the URL `http://h/a`.
    var change: Change = { _ in }
    /// Why it failed, behind the body; nil if it did not.
    var error: FetchError?
  }

  typealias Change = @Sendable (inout FetchResponse) -> Void

  private final class Nowhere: BodyReceiving {
    func receive(_ bytes: RawSpan) -> BodyVerdict { .more }
  }

  private let steps: [Step]
  private let seen = Mutex<[(request: FetchRequest, host: String)]>([])
  /// Makes results, which only a fetcher can.
  private let real: Fetcher

  init(_ steps: [Step]) throws {
    self.steps = steps
    real = try Fetcher(FetchSettings())
  }

  deinit { real.close() }

  var requests: [FetchRequest] { seen.withLock { $0.map(\.request) } }
  var hosts: [String] { seen.withLock { $0.map(\.host) } }

  let end: ContinuousClock.Instant? = .now
  let inFlight = FetchesInFlight()
  let isBlocked = false
  var counts: FetchStatistics { real.counts }
  func whenBlocked(_ action: (@Sendable () -> Void)?) {}
  func hold(_ change: Int, limit: Int) {}
  func close() {}

  func fetch(
    _ request: FetchRequest, host: String, into receiver: any BodyReceiving
  ) async -> FetchResult {
    let index = seen.withLock { seen in
      seen.append((request, host))
      return seen.count - 1
    }
    let result = await real.fetch(
      FetchRequest(url: "data:,", deadline: .seconds(60)), host: "", into: Nowhere())
    let step = index < steps.count ? steps[index] : .failing(FetchError(.local, "no step"))
    guard case .success(var response) = result.result else { return result }
    (response.url, response.place, response.freshness) = ("http://h/a", "http://h/a", nil)
    step.change(&response)
    if let extent = step.extent {
      let isStopped =
        if case .enough = receiver.begin(extent, step.validators) {
          true
        } else if case .enough = receiver.receive(step.body.span.bytes) {
          true
        } else {
          false
        }
      if isStopped { response.ending = .stopped }
    }
    return FetchResult(
      result: step.error.map { .failure($0) } ?? .success(response),
      begun: step.extent == nil ? nil : response, bytes: step.body.count, requests: 2,
      time: .seconds(1))
  }
}

extension ScriptedFetcher.Step {
  /// The part of a file that a request is expected to ask for.
  static func part(
    _ range: Range<Int>, of file: [UInt8], etag: String? = "\"1\"", error: FetchError? = nil,
    _ change: @escaping ScriptedFetcher.Change = { _ in }
  ) -> Self {
    let range = range.clamped(to: 0..<file.count)
    return Self(
      extent: .part(range, of: file.count), validators: Validators(etag: etag, lastModified: nil),
      body: Array(file[range]), change: change, error: error)
  }

  static func whole(_ file: [UInt8]) -> Self {
    Self(extent: .whole(length: file.count), body: file)
  }

  static func failing(_ error: FetchError) -> Self { Self(error: error) }

  /// The source has not changed (304).
  static let notModified = Self(change: { $0.ending = .notModified })
}
