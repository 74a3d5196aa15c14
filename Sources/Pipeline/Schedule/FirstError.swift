internal import Synchronization

/// Keeps the first error of many tasks: those that follow are mostly its consequences, since the
/// others are stopped because of it.
final class FirstError: Sendable {
  private let first = Mutex<(any Error)?>(nil)

  var error: (any Error)? { first.withLock(\.self) }

  func note(_ error: any Error) { first.withLock { $0 = $0 ?? error } }
}
