internal import Synchronization

/// Keeps messages of one kind from filling a log: the first of them are printed, and one sentence in
/// place of all others.
final class MessageCap: Sendable {
  /// Messages that are printed, the sentence included.
  static let printed = 20

  private let count = Mutex(0)
  private let rest: String

  /// - Parameter rest: the sentence. It says where all of them are listed.
  init(_ rest: String) { self.rest = rest }

  /// What to print for the next message; nil for nothing.
  func text(for message: @autoclosure () -> String) -> String? {
    let number = count.withLock { count in
      count += 1
      return count
    }
    if number < Self.printed { return message() }
    return number == Self.printed ? rest : nil
  }
}
