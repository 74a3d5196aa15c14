internal import Glibc
internal import Synchronization
internal import TesseraCProcess
internal import TesseraSystem
internal import TesseraWire

/// One running `tessera-worker`. One thread talks to it; ``kill()`` may come from any.
final class WorkerProcess: Sendable {
  /// How long a worker may take to say hello: libvips loads its modules meanwhile.
  private static let startTime = Duration.seconds(20)

  /// Nil once the process is reaped: its id may then be somebody else's.
  private let pid: Mutex<pid_t?>
  private let channel: Mutex<LineChannel>
  private let descriptor: Int32

  /// Starts a worker and waits for its hello.
  static func start(
    _ settings: WorkerSettings
  ) throws(WorkerStartError) -> (WorkerProcess, WorkerHello) {
    let process = try WorkerProcess(settings)
    let received = process.receive(until: .now.advanced(by: startTime))
    guard case .line(let line) = received, let hello = try? WorkerHello(line: line) else {
      let ending = process.end()
      throw WorkerStartError(
        description: "\"\(settings.executable)\" did not start: \(ending.sentence)")
    }
    guard hello.protocolVersion == WorkerHello.protocolVersion else {
      _ = process.end()
      throw WorkerStartError(
        description: "\"\(settings.executable)\" is of another version than this tessera: put both "
          + "executables of one build side by side")
    }
    return (process, hello)
  }

  private init(_ settings: WorkerSettings) throws(WorkerStartError) {
    func failure(_ what: String, _ code: Int32) -> WorkerStartError {
      WorkerStartError(description: "could not \(what): \(String(cString: strerror(code)))")
    }
    var ends: [Int32] = [-1, -1]
    guard
      socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0
    else { throw failure("make a socket pair", errno) }
    defer { close(ends[1]) }
    let nothing = tessera_open("/dev/null", O_WRONLY, 0)
    defer { close(nothing) }
    // Processor time is a whole number of seconds to the kernel, and a little more than wall time,
    // so that a hang is reported as what it is by the coordinator's own clock.
    let seconds = Int(settings.time.components.seconds) + 2
    let arguments = [
      settings.executable, String(settings.memory), String(seconds), settings.sources,
      settings.results,
    ]
    // Nothing else of the environment: it may hold secrets that no decoder must see.
    let environment = ["MALLOC_ARENA_MAX=1", "LC_ALL=C", "PATH=/usr/bin:/bin"]
    var child = pid_t()
    let code = Self.withCStrings(arguments) { arguments in
      Self.withCStrings(environment) { environment in
        tessera_spawn(settings.executable, arguments, environment, ends[1], nothing, &child)
      }
    }
    guard code == 0 else {
      close(ends[0])
      throw failure("start \"\(settings.executable)\"", code)
    }
    descriptor = ends[0]
    pid = Mutex(child)
    channel = Mutex(LineChannel(descriptor: ends[0]))
  }

  deinit {
    _ = end()
    close(descriptor)
  }

  /// Sends a job and waits for its reply. After any outcome but a reply the worker is of no more
  /// use; ``end()`` then tells why.
  func perform(_ job: TranscodeJob, until end: ContinuousClock.Instant) -> Outcome {
    guard channel.withLock({ $0.send(job.line, until: end) }) else { return .unsent }
    switch receive(until: end) {
    case .line(let line):
      guard let reply = try? TranscodeReply(line: line, for: job.identifier) else {
        return .garbage
      }
      return .reply(reply)
    case .tooLong: return .garbage
    case .closed: return .lost
    case .timedOut: return .timedOut
    }
  }

  /// Has the worker try what its libraries can do. Nil where it gave no answer that makes sense.
  func examine(in folder: String, until end: ContinuousClock.Instant) -> [ExaminationCheck]? {
    guard channel.withLock({ $0.send(WorkerRequest.examine(folder: folder).line, until: end) }),
      case .line(let line) = receive(until: end)
    else { return nil }
    return try? Examination.checks(line: line)
  }

  enum Outcome {
    case reply(TranscodeReply)
    /// It was gone before it got the job.
    case unsent
    case lost
    case garbage
    case timedOut
  }

  private func receive(until end: ContinuousClock.Instant) -> LineChannel.Received {
    channel.withLock { $0.receive(maximumLength: WireLine.maximumLength, until: end) }
  }

  /// Kills the process and all it may have started. It is still to be reaped by ``end()``.
  func kill() {
    pid.withLock { pid in
      guard let pid else { return }
      Glibc.kill(-pid, SIGKILL)
      Glibc.kill(pid, SIGKILL)
    }
  }

  /// Makes sure that the process has ended, and tells how. A process that is about to die by itself
  /// gets a moment for it, so that its own reason is told.
  func end() -> ProcessEnding {
    pid.withLock { pid in
      guard let child = pid else { return .gone }
      var status: Int32 = 0
      var waited = waitpid(child, &status, WNOHANG)
      var pauses = 0
      while waited == 0, pauses < 20 {
        usleep(5_000)
        pauses += 1
        waited = waitpid(child, &status, WNOHANG)
      }
      if waited == 0 {
        Glibc.kill(-child, SIGKILL)
        Glibc.kill(child, SIGKILL)
        while waitpid(child, &status, 0) < 0 && errno == EINTR {}
        pid = nil
        return .killed
      }
      Glibc.kill(-child, SIGKILL)  // what it may have started
      pid = nil
      return ProcessEnding(status: status)
    }
  }

  /// Closes the conversation: a worker that waits for its next job ends by itself.
  func finish() {
    shutdown(descriptor, Int32(SHUT_RDWR))
    _ = end()
  }

  private static func withCStrings<Value>(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Value
  ) -> Value {
    let copies = strings.map { strdup($0) } + [nil]
    defer { for copy in copies { free(copy) } }
    return copies.withUnsafeBufferPointer { buffer in
      // The array has at least its terminating nil.
      buffer.baseAddress.map(body) ?? body([nil])
    }
  }
}

/// How a process ended.
enum ProcessEnding: Equatable {
  case exited(Int32)
  case signalled(Int32)
  /// It did not end by itself and was killed.
  case killed
  /// It had been reaped before.
  case gone

  /// Reads a status of waitpid(2).
  init(status: Int32) {
    let signal = status & 0x7F
    self = signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal)
  }

  var sentence: String {
    switch self {
    case .exited(let code): "it exited with status \(code)"
    case .signalled(let signal):
      "it was ended by signal \(signal) (\(String(cString: strsignal(signal))))"
    case .killed: "it did not answer and was killed"
    case .gone: "it is gone"
    }
  }
}
