internal import Glibc
internal import TesseraCProcess

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
  ) throws(WorkerStartError) -> (pid: pid_t, channel: Int32) {
    var ends: [Int32] = [-1, -1]
    guard
      // Close-on-exec, because another pool may start its process at this moment.
      socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0
    else { throw failure("create a socket pair", errno) }
    // With this copy open, the other end would never show as a closed socket.
    defer { close(ends[1]) }
    let null = tessera_open("/dev/null", O_WRONLY, 0)
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
        tessera_spawn(settings.executable, arguments, environment, ends[1], null, &child)
      }
    }
    guard code == 0 else {
      close(ends[0])
      throw failure("start \"\(settings.executable)\"", code)
    }
    return (child, ends[0])
  }

  private static func failure(_ operation: String, _ code: Int32) -> WorkerStartError {
    WorkerStartError(description: "could not \(operation): \(String(cString: strerror(code)))")
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
