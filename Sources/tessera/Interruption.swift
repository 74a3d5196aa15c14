internal import Dispatch
internal import Glibc
internal import Synchronization

/// SIGINT and SIGTERM: the work is cancelled, and what was done is kept. Whatever happens, the
/// program ends within two seconds.
enum Interruption {
  private static let received = Mutex<Int32>(0)

  /// The status for the signal that came, if one did.
  static var status: ExitStatus? {
    switch received.withLock({ $0 }) {
    case SIGINT: .interrupted
    case SIGTERM: .terminated
    default: nil
    }
  }

  /// Runs `body`, and cancels it when a signal comes.
  static func cancelling<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let task = Task { try await body() }
    let sources = [SIGINT, SIGTERM].map { number in
      // The default action would end the program before the source hears of it.
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(
        signal: number, queue: .global(qos: .userInitiated))
      source.setEventHandler {
        received.withLock { $0 = number }
        task.cancel()
        // Something may wait without end, on standard input for one. The lock and the workers go
        // with the process, and the state is whole at any moment.
        DispatchQueue.global().asyncAfter(deadline: .now() + 2) { _exit(128 + number) }
      }
      source.resume()
      return source
    }
    defer { for source in sources { source.cancel() } }
    return try await task.value
  }
}
