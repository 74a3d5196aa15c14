internal import Synchronization
private import TesseraCCurl
package import TesseraSystem

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

/// Fetches sources over HTTP: many transfers on one thread, started in the order of their turns, as
/// many at a time from one host as the settings and the host permit.
///
/// This is the side that callers see from any thread. It passes requests to the ``FetchLoop``
/// through an inbox, and wakes it.
package final class Fetcher: Fetching {
  private struct Inbox {
    var jobs: [FetchJob] = []
    var cancelled: [Int] = []
    var nextIdentifier = 0
    var isClosed = false
    var held = 0
    var isHeld = false
    var isBlocked = false
    var inFlight = FetchesInFlight()
    var onBlocked: (@Sendable () -> Void)?
    /// Whether the loop was woken and has not looked here since. Waking it again would be a system
    /// call for nothing.
    var isSignalled = false
  }

  private let inbox = Mutex(Inbox())
  private let waker: Waker
  private let statistics = Mutex(FetchStatistics())

  package let end: ContinuousClock.Instant?

  package init(_ settings: FetchSettings) throws(SystemError) {
    end = settings.end
    if let path = settings.certificates {
      // libcurl would report it for each source, and without the file's name. A file
      // that is shorter than "-----BEGIN CERTIFICATE-----" holds none.
      do throws(SystemError) {
        let bytes = try FileSystem.read(path, limit: 64 << 20)
        guard bytes.count > 26 else { throw SystemError("read", path, code: 22) }  // EINVAL
      } catch {
        throw SystemError(
          "read the trusted certificates (SSL_CERT_FILE) in", path, code: error.code)
      }
    }
    guard CurlLibrary.isInitialized, let multi = curl_multi_init() else {
      throw SystemError("start", "libcurl", code: 12)  // ENOMEM, the only possible cause
    }
    waker = Waker(multi: multi)
    try BackgroundThread.start { [self] in
      // The loop and libcurl's handles live on this thread only: libcurl is not thread-safe.
      run(
        FetchLoop(settings: settings, multi: waker.multi, wake: { [waker] in waker.wake() }))
    }
  }

  package func close() {
    inbox.withLock { $0.isClosed = true }
    wake()
  }

  /// Has the loop look at the inbox, after it was changed.
  private func wake() {
    let isDue = inbox.withLock { inbox in
      defer { inbox.isSignalled = true }
      return !inbox.isSignalled
    }
    if isDue { waker.wake() }
  }

  package func hold(_ change: Int, limit: Int) {
    inbox.withLock { inbox in
      inbox.held += change
      inbox.isHeld = inbox.held >= limit
    }
    // Only a smaller number can let a source start; after a larger one the loop has nothing to do.
    if change < 0 { wake() }
  }

  package var isBlocked: Bool { inbox.withLock { $0.isBlocked } }

  package var inFlight: FetchesInFlight { inbox.withLock { $0.inFlight } }

  package func whenBlocked(_ action: (@Sendable () -> Void)?) {
    let isBlocked = inbox.withLock { inbox in
      inbox.onBlocked = action
      return inbox.isBlocked
    }
    // The change came before the function was set: no other call would report it.
    if isBlocked { action?() }
  }

  private func report(_ isBlocked: Bool, _ inFlight: FetchesInFlight) {
    let action = inbox.withLock { inbox in
      defer { (inbox.isBlocked, inbox.inFlight) = (isBlocked, inFlight) }
      return isBlocked && !inbox.isBlocked ? inbox.onBlocked : nil
    }
    // Outside the lock: the function may call back into the fetcher.
    action?()
  }

  package var counts: FetchStatistics { statistics.withLock { $0 } }

  package func fetch(
    _ request: FetchRequest, host: String, into receiver: any BodyReceiving
  ) async -> FetchResult {
    let identifier = inbox.withLock { inbox in
      inbox.nextIdentifier += 1
      return inbox.nextIdentifier
    }
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let job = FetchJob(
          identifier: identifier, request: request, host: host, receiver: receiver,
          finish: { continuation.resume(returning: $0) }, started: nil)
        let isClosed = inbox.withLock { inbox in
          if !inbox.isClosed { inbox.jobs.append(job) }
          return inbox.isClosed
        }
        if isClosed {
          // After `close` no thread reads the inbox, so the caller would wait forever.
          job.finish(.failure(FetchLoop.cancelled))
        } else if Task.isCancelled {
          // The cancellation handler may have run before the job was in the inbox.
          inbox.withLock { $0.cancelled.append(identifier) }
        }
        wake()
      }
    } onCancel: {
      inbox.withLock { $0.cancelled.append(identifier) }
      wake()
    }
    statistics.withLock { $0.count(result) }
    return result
  }

  private func run(_ loop: FetchLoop) {
    while true {
      let (jobs, cancelled, isClosed, isHeld) = inbox.withLock { inbox in
        defer {
          inbox.jobs = []
          inbox.cancelled = []
          inbox.isSignalled = false
        }
        return (inbox.jobs, inbox.cancelled, inbox.isClosed, inbox.isHeld)
      }
      loop.isHeld = isHeld
      // Jobs before cancellations: both may have arrived in this turn. A request that has ended
      // meanwhile is not found, which is not an error.
      loop.add(jobs)
      for identifier in cancelled { loop.cancel(identifier) }
      if isClosed {
        // `forget` comes last and before the loop is released, which frees the handle that `wake`
        // uses.
        loop.endAll()
        waker.forget()
        return
      }
      loop.turn { report($0, loop.inFlight) }
    }
  }
}

/// The requests that have left the queue and have not ended.
package struct FetchesInFlight: Sendable, Equatable {
  /// The one that left the queue first.
  package struct Oldest: Sendable, Equatable {
    /// With the port of its URL; empty for a source that needs no server.
    package var host: String
    package var started: ContinuousClock.Instant

    package init(host: String, started: ContinuousClock.Instant) {
      (self.host, self.started) = (host, started)
    }
  }

  package var count = 0
  /// Of bodies, as far as they have arrived.
  package var bytes = 0
  package var oldest: Oldest?

  package init(count: Int = 0, bytes: Int = 0, oldest: Oldest? = nil) {
    (self.count, self.bytes, self.oldest) = (count, bytes, oldest)
  }

  mutating func add(_ job: FetchJob, host: String, bytes: Int) {
    count += 1
    self.bytes += bytes
    guard let started = job.started, oldest.map({ started < $0.started }) ?? true else { return }
    oldest = Oldest(host: host, started: started)
  }
}
