/// A request with the caller that waits for its result.
struct FetchJob {
  var identifier: Int
  var request: FetchRequest
  var host: String
  var receiver: any BodyReceiving
  var finish: @Sendable (FetchResult) -> Void
  /// When it left the queue; nil while it is queued.
  var started: ContinuousClock.Instant?
  /// When it came into the queue.
  var queued: ContinuousClock.Instant?
  /// The host that the current hop counts for, if a redirect led to one with settings of its own.
  var target: String?
  /// How long it has waited for a rate after its item had begun: in the queue, and before redirects were followed.
  var queuedForRate = Duration.zero
  var heldForRate = Duration.zero

  /// The host whose requests in flight it is one of.
  var countedHost: String { target ?? host }

  private var time: Duration { (started?.duration(to: .now) ?? .zero) - heldForRate }

  /// - Parameters:
  ///   - transfer: nil if none was started.
  ///   - bytes: of a source that needed no server.
  func finish(
    _ result: Result<FetchResponse, FetchError>, _ transfer: Transfer? = nil, bytes: Int = 0
  ) {
    finish(
      FetchResult(
        result: result, begun: (try? result.get()) ?? transfer?.begun,
        bytes: transfer?.received ?? bytes, requests: transfer?.requests ?? 0, time: time,
        waited: queuedForRate + heldForRate, answeredBy: transfer?.answeredBy ?? ""))
  }
}
