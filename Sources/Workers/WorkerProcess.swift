internal import Glibc
internal import Synchronization
internal import TesseraSystem

/// One worker: a process that the fork server forked. One thread talks to it; ``end()`` may be called
/// from any thread.
final class WorkerProcess: Sendable {
  /// How long the fork server may take to report a worker's end. Only a worker in an uninterruptible
  /// system call takes longer, and it is given up.
  private static let endTime = Duration.seconds(2)
  /// How long a worker that closed its channel may take to end on its own, so that its own reason is
  /// reported.
  private static let ownEndTime = Duration.seconds(1)

  private let jobs: Int32
  private let control: Int32
  private let conversation: Mutex<Conversation>
  private let ending = Mutex<ProcessEnding?>(nil)

  /// - Parameters:
  ///   - jobs: this end of the channel for jobs and replies.
  ///   - control: this end of the channel to the fork server about this worker.
  init(jobs: Int32, control: Int32) {
    self.jobs = jobs
    self.control = control
    conversation = Mutex(Conversation(LineChannel(descriptor: jobs)))
  }

  deinit {
    // The fork server kills a worker whose control channel is closed.
    close(jobs)
    close(control)
  }

  // MARK: Conversation

  private struct Conversation {
    var channel: LineChannel
    /// Of the last job, from 1.
    var job = 0
    var last = LastRequest()

    init(_ channel: LineChannel) { self.channel = channel }
  }

  /// Sends a job and waits for its reply, and the bytes that come with it. After any other ending than a reply the
  /// process has ended.
  func perform(
    _ job: any WorkerJob, _ files: borrowing JobFiles, until deadline: ContinuousClock.Instant
  ) -> (JobEnding, received: [UInt8]) {
    let (sent, descriptors) = (files.sent, files.descriptors)
    let (isSent, number) = conversation.withLock { conversation in
      conversation.job += 1
      let line = conversation.last.line(
        job.request, job: conversation.job, bytes: sent.count)
      return (
        conversation.channel.send(line + sent, with: descriptors, until: deadline),
        conversation.job
      )
    }
    guard isSent else {
      // Whatever became of it, it had not seen the whole job.
      return (end() == .serverEnded ? .serverLost : .unsent, [])
    }
    let received = receive(until: deadline)
    guard case .line(let line) = received else { return (ending(received), []) }
    // What is wrong with an invalid reply is of no use to the user.
    guard let frame = try? WireFrame(line), let reply = try? WorkerReply(frame, for: number),
      frame.bytes <= WireLine.maximumLength
    else { return (ending(.tooLong), []) }
    let rest = conversation.withLock {
      $0.channel.receive(bytes: frame.bytes, until: deadline)
    }
    guard case .line(let bytes) = rest else { return (ending(rest), []) }
    return (.reply(reply), bytes)
  }

  /// Ends a worker that sent no valid reply.
  private func ending(_ received: LineChannel.Received) -> JobEnding {
    switch received {
    case .line, .tooLong:
      kill()
      _ = end()
      return .garbage
    case .closed:
      switch end() {
      case .serverEnded: return .serverLost
      case .notStarted: return .unsent
      case let ending: return .lost(ending)
      }
    case .timedOut:
      kill()
      _ = end()
      return .timedOut
    }
  }

  /// Has the worker test its libraries. Nil if it sent no valid reply.
  func examine(until deadline: ContinuousClock.Instant) -> [ExaminationCheck]? {
    let request = WireLine.line(WorkerRequest.examine)
    guard conversation.withLock({ $0.channel.send(request, until: deadline) }),
      case .line(let line) = receive(until: deadline), let frame = try? WireFrame(line),
      case .examination(let checks) = try? WorkerReply(frame, for: 0)
    else { return nil }
    return checks
  }

  private func receive(until deadline: ContinuousClock.Instant) -> LineChannel.Received {
    conversation.withLock {
      $0.channel.receive(maximumLength: WireLine.maximumLength, until: deadline)
    }
  }

  // MARK: Ending

  /// Has the fork server kill the process.
  func kill() { shutdown(control, Int32(SHUT_WR)) }

  /// Ensures that the process has ended, and reports how.
  func end() -> ProcessEnding {
    ending.withLock { ending in
      if let ending { return ending }
      var lines = LineChannel(descriptor: control)
      var received = lines.receive(
        maximumLength: WireLine.maximumLength, until: .now.advanced(by: Self.ownEndTime))
      let isKilled = received == .timedOut
      if isKilled {
        kill()
        received = lines.receive(
          maximumLength: WireLine.maximumLength, until: .now.advanced(by: Self.endTime))
      }
      let end = ProcessEnding(received, isKilled: isKilled)
      ending = end
      return end
    }
  }

  /// Whether the fork server failed to report its end.
  var isGivenUp: Bool { ending.withLock { $0 } == .unreported }

  /// Closes the channel, on which a worker that waits for its next job ends, and waits for its end.
  func finish() {
    shutdown(jobs, Int32(SHUT_RDWR))
    _ = end()
  }
}

extension ProcessEnding {
  /// Reads the fork server's report.
  fileprivate init(_ received: LineChannel.Received, isKilled: Bool) {
    guard case .line(let line) = received else {
      self = received == .closed ? .serverEnded : .unreported
      return
    }
    switch try? WireLine.message(WorkerEnd.self, line).message {
    case .ended(let status): self = isKilled ? .killed : ProcessEnding(status: status)
    case .notStarted(let code): self = .notStarted(code)
    // The fork server is trusted, so this is a worker of another version.
    case nil: self = .serverEnded
    }
  }
}

/// Two connected sockets: one for this process, one for another. Both are closed with the value, unless
/// ``keepOurs()`` takes one over.
struct SocketPair: ~Copyable {
  private let ours: Int32
  let theirs: Int32

  init() throws(TesseraError) {
    var ends: [Int32] = [-1, -1]
    guard
      // Close-on-exec, because another pool may start its process at this moment.
      socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0
    else {
      throw TesseraError(
        .workers, "could not create a socket pair: \(String(cString: strerror(errno)))")
    }
    (ours, theirs) = (ends[0], ends[1])
  }

  deinit {
    close(ours)
    close(theirs)
  }

  /// The end of this process, which the caller owns from now on. The other end is closed: with this
  /// copy open, it would never show as a closed socket.
  consuming func keepOurs() -> Int32 {
    let kept = ours
    close(theirs)
    discard self
    return kept
  }
}
