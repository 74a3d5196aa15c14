/// Fetches sources. The run and the prober depend on this protocol, and ``Fetcher`` implements it;
/// a test may replace it with a fake that needs no network.
package protocol Fetching: Sendable {
  /// When the whole run ends; nil if the run has no deadline. Every request fails after it.
  var end: ContinuousClock.Instant? { get }

  /// Totals of all requests that have ended so far.
  var counts: FetchStatistics { get }

  /// Requests that have left the queue and have not ended.
  var inFlight: FetchesInFlight { get }

  /// Whether transfers could start, but no queued request may use them, because the hosts of all
  /// queued requests are at their limit or in back-off. Requests to other hosts would start at
  /// once.
  var isBlocked: Bool { get }

  /// Sets the function to call each time ``isBlocked`` changes from false to true, in place of the
  /// previous one; nil removes it. If the fetcher is blocked already, calls it before returning.
  ///
  /// The fetcher calls it from its own thread and without holding a lock. The function must return
  /// at once (yield to a stream, resume a continuation) and may ask ``isBlocked`` again: the state
  /// may have changed since.
  func whenBlocked(_ action: (@Sendable () -> Void)?)

  /// Fetches one source and passes the body's bytes to `receiver` as they arrive.
  ///
  /// Returns within the request's deadline, counted from when the request leaves the queue, and
  /// soon after the task is cancelled. A failure is a value: see ``FetchResult/result``.
  ///
  /// - Parameter host: the host and port whose limits and back-off apply to the request; empty for
  ///   sources that need no server.
  func fetch(
    _ request: FetchRequest, host: String, into receiver: any BodyReceiving
  ) async -> FetchResult

  /// Changes the number of fetched sources that still wait to be processed. While it is at `limit`
  /// or above, no new source starts, so that the spool stays bounded while the workers are busy.
  func hold(_ change: Int, limit: Int)

  /// Ends all requests with ``FetchError/Code/cancelled``, and every later one at once.
  func close()
}
