internal import Glibc

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
