internal import Glibc
internal import Synchronization
internal import TesseraCProcess
internal import TesseraSystem

/// A running `tessera-worker`: a process that has started libvips and confined itself, never sees an
/// image, and forks a worker for each request.
final class ForkServer: Sendable {
  /// How long it may take to send its capabilities. Meanwhile libvips loads its modules.
  private static let startTime = Duration.seconds(20)

  let capabilities: WorkerCapabilities
  private let pid: pid_t
  private let channel: Int32
  private let isReaped = Mutex(false)

  /// Starts a fork server and waits for its capabilities.
  ///
  /// The kernel kills it when the calling thread ends.
  init(_ settings: WorkerSettings) throws(TesseraError) {
    let launched = try WorkerLauncher.launch(settings)
    (pid, channel) = (launched.pid, launched.channel)
    var lines = LineChannel(descriptor: channel)
    let received = lines.receive(
      maximumLength: WireLine.maximumLength, until: .now.advanced(by: Self.startTime))
    // Why a line states no capabilities does not matter: how the process ended says more.
    guard case .line(let line) = received else {
      let ending = Self.end(pid)
      close(channel)
      throw TesseraError(.workers, "\"\(settings.executable)\" did not start: \(ending.sentence)")
    }
    guard let capabilities = try? WireLine.message(WorkerCapabilities.self, line).message,
      capabilities.protocolVersion == WorkerCapabilities.protocolVersion
    else {
      _ = Self.end(pid)
      close(channel)
      throw TesseraError(
        .workers, "\"\(settings.executable)\" is from another version than this tessera",
        remedy: "install both executables of one build side by side")
    }
    self.capabilities = capabilities
  }

  deinit {
    end()
    close(channel)
  }

  /// Has a worker started.
  ///
  /// - Returns: nil if the fork server has ended.
  func fork() throws(TesseraError) -> WorkerProcess? {
    let jobs = try SocketPair()
    let control = try SocketPair()
    let passed = [jobs.theirs, control.theirs]
    // A byte, because descriptors cannot be sent alone.
    let sent = tessera_send(channel, [UInt8(ascii: "f")], 1, passed, Int32(passed.count), 0)
    let worker = WorkerProcess(jobs: jobs.keepOurs(), control: control.keepOurs())
    return sent == 1 ? worker : nil
  }

  /// Kills it, and with it every worker.
  func end() {
    isReaped.withLock { isReaped in
      guard !isReaped else { return }
      isReaped = true
      // It then kills its workers, with whatever they may have started, and ends. A busy machine may
      // not let it do so at once.
      shutdown(channel, Int32(SHUT_RDWR))
      _ = Self.end(pid, patience: .seconds(2))
    }
  }

  /// Ensures that a child has ended, and reports how.
  ///
  /// - Parameter patience: the time for it to end on its own, for its own reason; then it is killed.
  private static func end(_ child: pid_t, patience: Duration = .milliseconds(100)) -> ProcessEnding
  {
    let begin = ContinuousClock.now
    var status: Int32 = 0
    var isKilled = false
    // A process in an uninterruptible system call does not end: it is left to the kernel after 2 s.
    while begin.duration(to: .now) < patience + .seconds(2) {
      if waitpid(child, &status, WNOHANG) == child {
        return isKilled ? .killed : ProcessEnding(status: status)
      }
      if !isKilled, begin.duration(to: .now) >= patience {
        kill(-child, SIGKILL)
        isKilled = true
      }
      usleep(5_000)
    }
    return .killed
  }
}

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
