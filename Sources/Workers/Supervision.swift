/// How a worker's conversation about one job ended.
enum JobEnding: Equatable {
  case reply(WorkerReply)
  /// The worker had ended before it received the job, which is not the job's fault.
  case unsent
  /// The fork server ended, and the worker with it.
  case serverLost
  /// The worker ended during the job.
  case lost(ProcessEnding)
  /// The reply was not a valid message.
  case garbage
  case timedOut

  /// What became of the worker: a clause with "it" as its subject. Nil if it may go on.
  var reason: String? {
    switch self {
    case .reply: nil
    case .unsent: "it ended before it received a job"
    case .serverLost: ProcessEnding.serverEnded.sentence
    case .lost(let ending): ending.sentence
    case .garbage: "its answer was not valid"
    case .timedOut: "it took longer than the limit"
    }
  }
}

/// Decides, for one lane of the pool, what follows each ending of a job. A pure value: the lane
/// reports endings and carries out the decisions.
struct Supervision {
  /// What happens to the worker that had the job.
  enum WorkerAction: Equatable {
    case keep
    /// End it in good order: it did nothing wrong.
    case retire
    /// Forget it: it has ended or was killed. The next job starts another worker.
    case replace
  }

  enum Decision: Equatable {
    /// The job is finished with this reply.
    case answer(WorkerReply, WorkerAction)
    /// A fresh worker has to do the job.
    case retry(WorkerAction)
    /// Workers start but end before they receive a job. The worker is replaced by none.
    case giveUp
  }

  let jobsPerWorker: Int
  /// The time limit for one job; named in failures.
  let timeLimit: Duration
  /// Jobs that the current worker has finished. A worker without any is fresh.
  private var jobsDone = 0
  /// The host that the current worker has images of; nil for a worker without any.
  private var host: String?
  private var unsentInARow = 0
  /// Whether the current job already had its second chance.
  private var isSecondAttempt = false

  init(jobsPerWorker: Int, timeLimit: Duration) {
    self.jobsPerWorker = jobsPerWorker
    self.timeLimit = timeLimit
  }

  /// Once may be chance, such as a moment of memory pressure; three times is not.
  private static let maximumAttempts = 3

  /// Whether to attempt to start a worker again.
  ///
  /// - Parameter failures: how many attempts for the same job have failed.
  static func retriesStart(after failures: Int, isClosed: Bool) -> Bool {
    failures < maximumAttempts && !isClosed
  }

  /// Whether a job for an image of this host needs another worker than the current one: images of
  /// different hosts never share one.
  mutating func needsOther(for host: String) -> Bool {
    defer { self.host = host }
    guard jobsDone > 0, self.host != host else { return false }
    jobsDone = 0
    return true
  }

  /// - Parameter isClosed: whether the pool was closed, which kills all workers.
  mutating func decide(after ending: JobEnding, isClosed: Bool) -> Decision {
    switch ending {
    case .reply(let reply): return settle(reply, .keep)
    case .garbage: return settle(.failed(.invalidReply), .replace)
    case .timedOut: return settle(.failed(.timeout(timeLimit)), .replace)
    case .unsent where isClosed, .lost where isClosed, .serverLost where isClosed:
      return finish(.failed(.stopped), .replace)
    case .lost(let ending):
      return settle(.failed(.lost(ending, limit: timeLimit)), .replace)
    case .serverLost where !isSecondAttempt:
      (jobsDone, unsentInARow, isSecondAttempt) = (0, 0, true)
      return .retry(.replace)
    // Once may be chance; the second time the image is the likely reason.
    case .serverLost: return finish(.failed(.lost(.serverEnded, limit: timeLimit)), .replace)
    case .unsent:
      jobsDone = 0
      unsentInARow += 1
      if unsentInARow < Self.maximumAttempts { return .retry(.replace) }
      (unsentInARow, isSecondAttempt) = (0, false)
      return .giveUp
    }
  }

  /// A used worker that ran out of memory, or crashed, is not believed: what earlier jobs left in
  /// its memory must not decide about this one. A fresh worker gets the job once more.
  private mutating func settle(_ reply: WorkerReply, _ action: WorkerAction) -> Decision {
    guard reply.mayDependOnMemory, jobsDone > 0, !isSecondAttempt else {
      return finish(reply, action)
    }
    (jobsDone, unsentInARow, isSecondAttempt) = (0, 0, true)
    return .retry(action == .keep ? .retire : action)
  }

  private mutating func finish(_ reply: WorkerReply, _ action: WorkerAction) -> Decision {
    (unsentInARow, isSecondAttempt) = (0, false)
    jobsDone += 1
    // Whatever a worker leaks ends with it.
    let action = action == .keep && jobsDone >= jobsPerWorker ? .retire : action
    if action != .keep { jobsDone = 0 }
    return .answer(reply, action)
  }
}

extension WorkerReply {
  /// Whether a worker with more free memory might have replied something else. Some codecs crash if
  /// an allocation fails.
  fileprivate var mayDependOnMemory: Bool {
    guard case .failed(let failure) = self else { return false }
    return failure.code == .outOfMemory || failure.code == .workerCrashed
  }
}
