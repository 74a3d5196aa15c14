internal import Synchronization

/// Reports answers in the order of their sources, although they finish in any order.
final class AnswerQueue: Sendable {
  private let answer: @Sendable (ProbeAnswer) -> Void
  private let state = Mutex((next: 0, waiting: [Int: ProbeAnswer]()))

  /// - Parameter answer: called for one answer at a time.
  init(_ answer: @escaping @Sendable (ProbeAnswer) -> Void) { self.answer = answer }

  /// Whether at least `limit` sources before `index` have not been reported.
  func isFull(before index: Int, limit: Int) -> Bool {
    state.withLock { index - $0.next >= limit }
  }

  func put(_ new: ProbeAnswer, at index: Int) {
    state.withLock { state in
      state.waiting[index] = new
      // Under the lock: otherwise two tasks could report at the same time, or in the wrong order.
      while let ready = state.waiting.removeValue(forKey: state.next) {
        answer(ready)
        state.next += 1
      }
    }
  }
}
