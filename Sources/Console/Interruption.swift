internal import Dispatch
internal import Glibc
internal import Synchronization
internal import TesseraSystem

/// SIGINT and SIGTERM cancel the command, so that it can clean up. If it has not ended after a
/// while, the process exits.
package enum Interruption {
  private static let received = Mutex<Int32>(0)

  /// The exit status for the signal that was received, if one was.
  static var status: ExitStatus? {
    switch received.withLock({ $0 }) {
    case SIGINT: .interrupted
    case SIGTERM: .terminated
    default: nil
    }
  }

  /// Runs `body` in a task of its own, and cancels the task when a signal is received.
  ///
  /// - Parameter timeToStop: the time after a signal at which the process exits in any case.
  /// - Throws: what `body` throws; `CancellationError` if a signal was received, because then
  ///   errors of other kinds only follow from the cancellation.
  package static func cancelling<Value: Sendable>(
    timeToStop: Duration, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let task = Task { try await body() }
    let sources = [SIGINT, SIGTERM].map { number in
      // The default action would end the program before the source sees the signal.
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(
        signal: number, queue: .global(qos: .userInitiated))
      source.setEventHandler {
        received.withLock { $0 = number }
        task.cancel()
        // Cancellation can't end a blocking call, such as a read from standard input. Exiting is
        // safe: the lock and the workers end with the process, and the state on disk is always
        // valid.
        DispatchQueue.global().asyncAfter(deadline: .now() + timeToStop.inSeconds) {
          _exit(128 + number)
        }
      }
      source.resume()
      return source
    }
    defer { for source in sources { source.cancel() } }
    do {
      return try await task.value
    } catch {
      throw status == nil ? error : CancellationError()
    }
  }
}
