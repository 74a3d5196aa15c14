import Synchronization
import TesseraSystem

/// A clock that only a test moves. It begins at noon of 2026-01-01, which is day 0.
final class FakeClock: Sendable {
  static let start = 1_767_268_800.0
  private let seconds = Mutex(start)

  var now: Double { seconds.withLock { $0 } }
  var wallClock: WallClock { WallClock { self.now } }

  /// Sets the clock to a day after day 0, or before it.
  func set(day: Double) { seconds.withLock { $0 = Self.start + day * 86_400 } }
}
