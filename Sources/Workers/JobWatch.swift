internal import Synchronization

/// Adds up the time that workers spend on an image.
package final class JobWatch: Sendable {
  private let total = Mutex(Duration.zero)

  package init() {}

  package var time: Duration { total.withLock { $0 } }

  package func add(_ time: Duration) { total.withLock { $0 += time } }
}
