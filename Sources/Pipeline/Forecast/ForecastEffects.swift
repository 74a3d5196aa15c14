internal import TesseraFetch
internal import TesseraSystem

/// A fetcher that never sends anything.
struct NoFetching: Fetching {
  var end: ContinuousClock.Instant? { nil }
  var counts: FetchStatistics { FetchStatistics() }
  var inFlight: FetchesInFlight { FetchesInFlight() }
  var isBlocked: Bool { false }
  func whenBlocked(_ action: (@Sendable () -> Void)?) {}
  func hold(_ change: Int, limit: Int) {}
  func close() {}

  func fetch(
    _ request: FetchRequest, host: String, into receiver: any BodyReceiving
  ) async -> FetchResult {
    FetchResult(
      result: .failure(FetchError(.cancelled, "a forecast sends no request")), begun: nil, bytes: 0,
      requests: 0, time: .zero)
  }
}
