internal import Synchronization

/// Why a request failed.
struct SharedFailure: Sendable, Equatable {
  var failure: ItemFailure
  /// Whether an earlier run came to it, and the bytes have not changed.
  var isRemembered = false
}

/// What was found out about requests that failed, by their digests: no item of the run repeats them.
/// They are kept by the exact request and not by the source's key, because another token or signature may lead
/// to another answer.
final class SharedFailures: Sendable {
  private let recent: Mutex<RecentValues<SharedFailure>>

  /// A few megabytes.
  private static let fewest = 10_000

  /// - Parameter window: the number of items that may be in flight.
  init(window: Int) { recent = Mutex(RecentValues(atLeast: max(Self.fewest, window))) }

  subscript(request: String) -> SharedFailure? { recent.withLock { $0[request] } }

  func add(_ failure: SharedFailure, for request: String) {
    recent.withLock { $0[request] = failure }
  }
}
