internal import Synchronization

/// Admits items while they fit: by their number, and by the memory that they take. One task enters; any
/// task leaves. It is woken by what it waits for and never polls.
final class Gate: Sendable {
  private struct State {
    var items = 0
    var bytes = 0
    var isClosed = false
    /// The task that waits to enter, and its bytes.
    var waiting: (CheckedContinuation<Void, Never>, bytes: Int)?
  }

  /// The number of items that are admitted in any case.
  private let items: Int
  private let bytes: Int
  /// Whether the admitted items cannot use all transfers: then up to ``reach`` times the number of
  /// items is admitted, to find some whose hosts are ready.
  private let needsMore: @Sendable () -> Bool
  private let state = Mutex(State())

  static let reach = 4

  init(items: Int, bytes: Int, needsMore: @escaping @Sendable () -> Bool) {
    self.items = items
    self.bytes = bytes
    self.needsMore = needsMore
  }

  /// Waits until an item fits. Returns at once when the gate is closed.
  func enter(_ bytes: Int) async {
    await withCheckedContinuation { continuation in
      let isAdmitted = state.withLock { state in
        if admit(bytes, &state) { return true }
        state.waiting = (continuation, bytes)
        return false
      }
      if isAdmitted { continuation.resume() }
    }
  }

  /// To be called for each item that entered, when it has ended.
  func leave(_ bytes: Int) {
    state.withLock { state in
      state.items -= 1
      state.bytes -= bytes
    }
    wake()
  }

  /// To be called when `needsMore` may have changed.
  func wake() {
    let admitted = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard let (continuation, bytes) = state.waiting, admit(bytes, &state) else { return nil }
      state.waiting = nil
      return continuation
    }
    admitted?.resume()
  }

  /// Admits everything from now on: the run is ending, and nothing that enters is worked on.
  func close() {
    state.withLock { $0.isClosed = true }
    wake()
  }

  private func admit(_ bytes: Int, _ state: inout State) -> Bool {
    // One item is always admitted, however large.
    // Beyond the window only while its items wait for their hosts, so that one slow host cannot
    // fill it.
    let fits =
      state.isClosed || state.items == 0
      || (state.bytes + bytes <= self.bytes
        && (state.items < items || (state.items < items * Self.reach && needsMore())))
    guard fits else { return false }
    state.items += 1
    state.bytes += bytes
    return true
  }
}
