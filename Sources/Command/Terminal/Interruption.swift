internal import Dispatch
internal import Glibc
internal import Synchronization
internal import TesseraSystem

/// SIGINT and SIGTERM cancel the command, so that it can clean up. If it has not ended after a
/// while, the process exits.
enum Interruption {
  private static let received = Mutex<Int32>(0)
  private static let first = Mutex<(@Sendable () -> Bool)?>(nil)

  /// How long what is finished after a first signal may take.
  private static let grace = Duration.seconds(20)

  /// The exit status for the signal that was received, if one was.
  static var status: ExitStatus? {
    switch received.withLock({ $0 }) {
    case SIGINT: .interrupted
    case SIGTERM: .terminated
    default: nil
    }
  }

  /// Has `action` called when the first signal is received. If it returns true, the command ends by
  /// itself, and only a second signal, or twenty seconds, cancel it.
  static func onFirstSignal(_ action: @escaping @Sendable () -> Bool) {
    first.withLock { $0 = action }
  }

  /// Runs `body` in a task of its own, and cancels the task when a signal is received.
  ///
  /// - Parameter timeToStop: the time after a signal at which the process exits in any case.
  /// - Throws: what `body` throws; `CancellationError` if a signal was received, because then
  ///   errors of other kinds only follow from the cancellation.
  static func cancelling<Value: Sendable>(
    timeToStop: Duration, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    openClocks()
    let signals = [SIGINT, SIGTERM]
    let (registrations, registered) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      // Sources are registered on a thread of libdispatch. Until then a signal has its default action,
      // so nothing begins before: a signal is never lost, and never ends the process half-way.
      var count = 0
      for await _ in registrations {
        count += 1
        if count == signals.count { break }
      }
      return try await body()
    }
    let sources = signals.map { number in
      let source = DispatchSource.makeSignalSource(
        signal: number, queue: .global(qos: .userInitiated))
      source.setEventHandler {
        received.withLock { $0 = number }
        let cancel: @Sendable () -> Void = {
          task.cancel()
          // Cancellation can't end a blocking call, such as a read from standard input. Exiting is
          // safe: the lock and the workers end with the process, and the state on disk is always
          // valid.
          DispatchQueue.global().asyncAfter(deadline: .now() + timeToStop.inSeconds) {
            _exit(128 + number)
          }
        }
        let action = first.withLock { action in
          defer { action = nil }
          return action
        }
        guard action?() == true else { return cancel() }
        DispatchQueue.global().asyncAfter(deadline: .now() + grace.inSeconds, execute: cancel)
      }
      source.setRegistrationHandler { registered.yield() }
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

  /// Has libdispatch open its descriptor for each clock, which it does when a timer first needs it. If
  /// the process then has no descriptor left, libdispatch ends it with a signal. Nothing waits for these timers: under
  /// libfaketime 0.9.10, with which people try scheduled jobs, none ever ends.
  private static func openClocks() {
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) {}
    Task { try await Task.sleep(for: .milliseconds(1)) }
  }
}
