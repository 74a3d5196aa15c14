internal import Glibc
internal import Synchronization
private import TesseraCCurl
package import TesseraSystem

/// Fetches sources over HTTP: many at once on one thread, in the order asked, never more than
/// `perHost` from one host.
///
/// A request ends in a response or an error within its deadline, or when its task is cancelled.
package final class Fetcher: Fetching {
  private struct Inbox {
    var jobs: [FetchLoop.Job] = []
    var cancelled: [Int] = []
    var nextIdentifier = 0
    var isClosed = false
    var held = 0
    var isHeld = false
    var isBlocked = false
    var onBlocked: (@Sendable () -> Void)?
  }

  private let inbox = Mutex(Inbox())
  private let waker: Waker
  private let statistics = Mutex(FetchStatistics())

  /// When the run as a whole ends, if it has an end.
  package let end: ContinuousClock.Instant?

  package init(_ settings: FetchSettings) throws(SystemError) {
    end = settings.end
    if let path = settings.certificates {
      // libcurl would say so for each source, and not which file.
      do throws(SystemError) {
        let bytes = try FileSystem.read(path, limit: 64 << 20)
        guard bytes.count > 26 else { throw SystemError("read", path, code: 22) }  // EINVAL
      } catch {
        throw SystemError(
          "read the trusted certificates (SSL_CERT_FILE) in", path, code: error.code)
      }
    }
    guard Self.isInitialized, let multi = curl_multi_init() else {
      throw SystemError("start", "libcurl", code: 12)  // ENOMEM: the only reason there is
    }
    waker = Waker(multi: multi)
    try BackgroundThread.start { [self] in
      // The loop, and libcurl's handles in it, live on this thread alone.
      run(FetchLoop(settings: settings, multi: waker.multi))
    }
  }

  /// curl_global_init is not safe to call from two threads; a static is made once.
  private static let isInitialized: Bool = {
    // libidn2 takes host names for text in the locale's encoding; in the C locale that a program begins
    // with, no name beyond ASCII could be looked up.
    setlocale(LC_CTYPE, "C.UTF-8")
    return curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
  }()

  /// Ends all requests, and the thread.
  package func close() {
    inbox.withLock { $0.isClosed = true }
    waker.wake()
  }

  /// What was fetched and is not worked off yet. At `limit` and above nothing new is started, so
  /// that the spool does not grow while the workers are busy.
  package func hold(_ change: Int, limit: Int) {
    inbox.withLock { inbox in
      inbox.held += change
      inbox.isHeld = inbox.held >= limit
    }
    if change < 0 { waker.wake() }
  }

  package var isBlocked: Bool { inbox.withLock { $0.isBlocked } }

  package func whenBlocked(_ action: (@Sendable () -> Void)?) {
    let isBlocked = inbox.withLock { inbox in
      inbox.onBlocked = action
      return inbox.isBlocked
    }
    // The change came before the function was set: no other call would report it.
    if isBlocked { action?() }
  }

  private func setBlocked(_ isBlocked: Bool) {
    let action = inbox.withLock { inbox in
      defer { inbox.isBlocked = isBlocked }
      return isBlocked && !inbox.isBlocked ? inbox.onBlocked : nil
    }
    // Outside the lock: the function may call back into the fetcher.
    action?()
  }

  package var counts: FetchStatistics { statistics.withLock { $0 } }

  /// Fetches one source. The receiver gets the body's bytes as they come.
  package func fetch(
    _ request: FetchRequest, host: String, into receiver: any BodyReceiving
  ) async -> FetchResult {
    let identifier = inbox.withLock { inbox in
      inbox.nextIdentifier += 1
      return inbox.nextIdentifier
    }
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let job = FetchLoop.Job(
          identifier: identifier, request: request, host: host, receiver: receiver,
          finish: { continuation.resume(returning: $0) }, started: nil)
        let isClosed = inbox.withLock { inbox in
          if !inbox.isClosed { inbox.jobs.append(job) }
          return inbox.isClosed
        }
        if isClosed {
          job.finish(.failure(FetchError(.cancelled, "the run was stopped")))
        } else if Task.isCancelled {
          // The handler may have run before the job was there to be cancelled.
          inbox.withLock { $0.cancelled.append(identifier) }
        }
        waker.wake()
      }
    } onCancel: {
      inbox.withLock { $0.cancelled.append(identifier) }
      waker.wake()
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
        }
        return (inbox.jobs, inbox.cancelled, inbox.isClosed, inbox.isHeld)
      }
      loop.isHeld = isHeld
      loop.add(jobs)
      for identifier in cancelled { loop.cancel(identifier) }
      if isClosed {
        loop.endAll()
        waker.forget()
        return
      }
      loop.turn { setBlocked($0) }
    }
  }
}

/// What a fetcher did.
package struct FetchStatistics: Sendable, Equatable {
  package var requests = 0
  package var notModified = 0
  package var bytes = 0

  mutating func count(_ result: FetchResult) {
    requests += result.requests
    bytes += result.bytes
    if case .success(let response) = result.result, case .notModified = response.ending {
      notModified += 1
    }
  }
}

/// Wakes the loop from other threads.
///
/// `@unchecked Sendable`: the pointer is used off the loop's thread for `curl_multi_wakeup` alone,
/// which libcurl documents as the one call that is safe there, and only under the lock that also
/// guards its end.
private final class Waker: @unchecked Sendable {
  let multi: UnsafeMutableRawPointer
  private let isAlive = Mutex(true)

  init(multi: UnsafeMutableRawPointer) { self.multi = multi }

  func wake() {
    isAlive.withLock { isAlive in
      if isAlive { curl_multi_wakeup(multi) }
    }
  }

  /// After this the multi handle may be freed.
  func forget() { isAlive.withLock { $0 = false } }
}
