internal import Synchronization
private import TesseraCCurl

/// Wakes the fetch loop from other threads.
///
/// `@unchecked Sendable`: other threads use the pointer for `curl_multi_wakeup` only, which libcurl
/// documents as safe there, and only under the lock that also guards its end.
final class Waker: @unchecked Sendable {
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
