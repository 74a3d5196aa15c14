internal import Synchronization

/// Ends a run in good order: what is being decoded is finished and kept, nothing else begins. The next run
/// goes on.
package final class RunStop: Sendable {
  private struct State {
    var isRequested = false
    var action: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  package init() {}

  var isRequested: Bool { state.withLock { $0.isRequested } }

  /// - Returns: whether items are in work; otherwise nothing has to be finished.
  package func request() -> Bool {
    let action = state.withLock { state in
      state.isRequested = state.action != nil
      return state.action
    }
    action?()
    return action != nil
  }

  /// Has `action` called by ``request()``, until it is replaced by nil.
  func onRequest(_ action: (@Sendable () -> Void)?) {
    state.withLock { $0.action = action }
  }
}
