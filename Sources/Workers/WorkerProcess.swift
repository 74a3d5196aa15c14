internal import Glibc
internal import Synchronization
internal import TesseraSystem
internal import TesseraWire

/// One running `tessera-worker`. One thread talks to it; ``kill()`` may be called from any thread.
final class WorkerProcess: Sendable {
  /// How long a worker may take to say hello. Meanwhile libvips loads its modules.
  private static let startTime = Duration.seconds(20)

  /// Nil once the process is reaped: the kernel may then reuse its id.
  private let pid: Mutex<pid_t?>
  private let channel: Mutex<LineChannel>
  private let descriptor: Int32

  /// Starts a worker and waits for its hello.
  static func start(
    _ settings: WorkerSettings
  ) throws(WorkerStartError) -> (WorkerProcess, WorkerHello) {
    let process = try WorkerProcess(settings)
    let received = process.receive(until: .now.advanced(by: startTime))
    // Why a line is not a hello does not matter: how the process ended says more.
    guard case .line(let line) = received, let hello = try? WorkerHello(line: line) else {
      let ending = process.end()
      throw WorkerStartError(
        description: "\"\(settings.executable)\" did not start: \(ending.sentence)")
    }
    guard hello.protocolVersion == WorkerHello.protocolVersion else {
      _ = process.end()
      throw WorkerStartError(
        description: "\"\(settings.executable)\" is from another version than this tessera; "
          + "install both executables of one build side by side")
    }
    return (process, hello)
  }

  private init(_ settings: WorkerSettings) throws(WorkerStartError) {
    let launched = try WorkerLauncher.launch(settings)
    descriptor = launched.channel
    pid = Mutex(launched.pid)
    channel = Mutex(LineChannel(descriptor: launched.channel))
  }

  deinit {
    _ = end()
    close(descriptor)
  }

  // MARK: Conversation

  /// Sends a job and waits for its reply. After any other ending than a reply the process has
  /// ended.
  func perform(_ job: TranscodeJob, until deadline: ContinuousClock.Instant) -> JobEnding {
    guard channel.withLock({ $0.send(job.line, until: deadline) }) else {
      _ = end()
      return .unsent
    }
    switch receive(until: deadline) {
    case .line(let line):
      // What is wrong with an invalid reply is of no use to the user.
      if let reply = try? TranscodeReply(line: line, for: job.identifier) { return .reply(reply) }
      _ = end()
      return .garbage
    case .tooLong:
      _ = end()
      return .garbage
    case .closed: return .lost(end())
    case .timedOut:
      // Killed first: `end` alone would give a worker that hangs another 100 ms.
      kill()
      _ = end()
      return .timedOut
    }
  }

  /// Has the worker test its libraries. Nil if it sent no valid reply.
  func examine(in folder: String, until deadline: ContinuousClock.Instant) -> [ExaminationCheck]? {
    let request = WorkerRequest.examine(folder: folder).line
    guard channel.withLock({ $0.send(request, until: deadline) }),
      case .line(let line) = receive(until: deadline)
    else { return nil }
    return try? Examination.checks(line: line)
  }

  private func receive(until deadline: ContinuousClock.Instant) -> LineChannel.Received {
    channel.withLock { $0.receive(maximumLength: WireLine.maximumLength, until: deadline) }
  }

  // MARK: Ending

  /// Kills the process and its process group. ``end()`` still has to reap it.
  func kill() {
    pid.withLock { pid in
      if let pid { Self.kill(pid) }
    }
  }

  /// Ensures that the process has ended, and reports how. A process that is about to end on its own
  /// gets 100 ms for it, so that its own reason is reported.
  func end() -> ProcessEnding {
    pid.withLock { pid in
      guard let child = pid else { return .gone }
      pid = nil
      var status: Int32 = 0
      for attempt in 0...20 {
        if attempt > 0 { usleep(5_000) }
        guard waitpid(child, &status, WNOHANG) == 0 else {
          // Whatever it may have started is in its group.
          Glibc.kill(-child, SIGKILL)
          return ProcessEnding(status: status)
        }
      }
      Self.kill(child)
      while waitpid(child, &status, 0) < 0 && errno == EINTR {}
      return .killed
    }
  }

  /// Closes the channel, on which a worker that waits for its next job ends, and waits for its end.
  func finish() {
    shutdown(descriptor, Int32(SHUT_RDWR))
    _ = end()
  }

  /// Kills the process and its group, in which whatever it may have started is.
  private static func kill(_ process: pid_t) {
    Glibc.kill(-process, SIGKILL)
    Glibc.kill(process, SIGKILL)
  }
}
