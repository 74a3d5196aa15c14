internal import Glibc
internal import TesseraCProcess
internal import TesseraSystem

/// Starts fork servers.
enum WorkerLauncher {
  /// Environment variables of a worker, and no others: the coordinator's may hold secrets, which no
  /// decoder must see. With one malloc arena a worker needs half the memory at the same speed.
  private static let environment = ["MALLOC_ARENA_MAX=1", "LC_ALL=C", "PATH=/usr/bin:/bin"]

  /// Starts a process whose descriptor 3 is one end of a socket pair.
  ///
  /// - Returns: its process id, and the other end, which the caller owns.
  static func launch(
    _ settings: WorkerSettings
  ) throws(TesseraError) -> (pid: pid_t, channel: Int32) {
    let pair = try SocketPair()
    let theirs = pair.theirs
    let null = tessera_open("/dev/null", O_WRONLY, 0)
    guard null >= 0 else { throw failure(settings, code: errno) }
    defer { close(null) }
    // The kernel counts processor time in whole seconds. Two more than the limit on wall-clock
    // time, so that the coordinator's clock is first, and reports a hang as what it is.
    let seconds = Int(settings.time.components.seconds) + 2
    let arguments = [
      settings.executable, String(settings.memory), String(seconds), String(getpid()),
    ]
    var child = pid_t()
    let code = withCStrings(arguments) { arguments in
      withCStrings(environment) { environment in
        tessera_spawn(settings.executable, arguments, environment, theirs, null, &child)
      }
    }
    guard code == 0 else { throw failure(settings, code: code) }
    return (child, pair.keepOurs())
  }

  private static func failure(_ settings: WorkerSettings, code: Int32) -> TesseraError {
    TesseraError(
      .workers, "could not start \"\(settings.executable)\": \(String(cString: strerror(code)))")
  }

  private static func withCStrings<Value>(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Value
  ) -> Value {
    let copies = strings.map { strdup($0) } + [nil]
    defer { for copy in copies { free(copy) } }
    return copies.withUnsafeBufferPointer { buffer in
      // The array has at least its terminating nil, so there is a base address.
      buffer.baseAddress.map(body) ?? body([nil])
    }
  }
}
