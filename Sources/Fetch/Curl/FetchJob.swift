/// A request with the caller that waits for its result.
struct FetchJob {
  var identifier: Int
  var request: FetchRequest
  var host: String
  var receiver: any BodyReceiving
  var finish: @Sendable (FetchResult) -> Void
  /// When it left the queue; nil while it is queued.
  var started: ContinuousClock.Instant?

  /// - Parameter transfer: nil if none was started.
  func finish(_ result: Result<FetchResponse, FetchError>, _ transfer: Transfer? = nil) {
    finish(
      FetchResult(
        result: result, begun: transfer?.begun, bytes: transfer?.received ?? 0,
        requests: transfer?.requests ?? 0, time: started?.duration(to: .now) ?? .zero))
  }

  /// For a source that needed no server.
  func finish(_ result: Result<FetchResponse, FetchError>, bytes: Int) {
    let begun: FetchResponse? = if case .success(let response) = result { response } else { nil }
    finish(
      FetchResult(
        result: result, begun: begun, bytes: bytes, requests: 0,
        time: started?.duration(to: .now) ?? .zero))
  }
}
