internal import Dispatch
internal import Glibc
internal import Synchronization

/// Threads for calls that block, such as requests to a server. They start when they are first needed, up
/// to a limit, and end with the pool.
package final class BlockingPool: Sendable {
  private let threads: Threads

  /// - Parameter limit: calls at a time.
  package init(limit: Int) { threads = Threads(limit: limit) }

  deinit { threads.close() }

  /// Runs a body on a thread of the pool.
  package func run<Value: Sendable, Failure>(
    _ body: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
      threads.add { continuation.resume(returning: Result { () throws(Failure) in try body() }) }
    }
    return try result.get()
  }

  /// What the threads share. They do not hold the pool itself, whose end is theirs.
  private final class Threads: Sendable {
    private struct State {
      var calls: [@Sendable () -> Void] = []
      var idle = 0
      var started = 0
      var isClosed = false
    }

    private let limit: Int
    private let state = Mutex(State())
    /// Counts calls, and at the end one signal for each thread.
    private let available = DispatchSemaphore(value: 0)

    init(limit: Int) { self.limit = limit }

    func add(_ call: @escaping @Sendable () -> Void) {
      let needsThread = state.withLock { state in
        state.calls.append(call)
        guard state.idle < state.calls.count, state.started < limit else { return false }
        state.started += 1
        return true
      }
      // If the system has no thread left, those that there are do the work.
      if needsThread, (try? BackgroundThread.start { self.work() }) == nil {
        let isAlone = state.withLock { state in
          state.started -= 1
          return state.started == 0
        }
        if isAlone { return takeCall()?() ?? () }
      }
      available.signal()
    }

    func close() {
      let started = state.withLock { state in
        state.isClosed = true
        return state.started
      }
      for _ in 0..<started { available.signal() }
    }

    private func work() {
      while true {
        state.withLock { $0.idle += 1 }
        available.wait()
        state.withLock { $0.idle -= 1 }
        if let call = takeCall() { call() } else if state.withLock({ $0.isClosed }) { return }
      }
    }

    private func takeCall() -> (@Sendable () -> Void)? {
      state.withLock { $0.calls.isEmpty ? nil : $0.calls.removeFirst() }
    }
  }
}

/// Starts threads for work that blocks (an event loop, the dialogue with a worker). Such work must
/// not occupy a thread of Swift's cooperative pool, which has only one per processor.
package enum BackgroundThread {
  /// Runs `body` on a new, detached thread.
  package static func start(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
    // pthread_create takes one pointer. The thread takes over the reference that it holds.
    let box = Unmanaged.passRetained(Box(body))
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body()
        return nil
      }, box.toOpaque())
    guard code == 0 else {
      box.release()
      throw SystemError("start", "a thread", code: code)
    }
    pthread_detach(thread)
  }

  private final class Box {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
}
