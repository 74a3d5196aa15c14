internal import Dispatch
internal import Glibc
internal import Synchronization
internal import TesseraSystem
package import TesseraWire

/// A fixed number of worker processes, each supervised by a thread of its own: jobs in, replies
/// out. A worker that crashes, hangs or talks nonsense costs the one job it had, and is replaced.
package final class WorkerPool: Sendable {
  private typealias Answer = Result<TranscodeReply, WorkerStartError>

  private struct Queue {
    var jobs: [(job: TranscodeJob, finish: @Sendable (Answer) -> Void)] = []
    var isClosed = false
    /// Why no worker can be started any more.
    var startError: WorkerStartError?
    var live: [ObjectIdentifier: WorkerProcess] = [:]
    var statistics = WorkerStatistics()
  }

  private let settings: WorkerSettings
  private let queue = Mutex(Queue())
  private let available = DispatchSemaphore(value: 0)
  /// What the workers work with.
  package let hello: WorkerHello

  /// Starts the first worker, to learn what it works with; the others start when there is work.
  ///
  /// - Throws: ``WorkerStartError`` where not even one can be started.
  package static func start(
    _ settings: WorkerSettings
  ) async throws(WorkerStartError) -> WorkerPool {
    let pool: Result<WorkerPool, WorkerStartError> = await withCheckedContinuation { continuation in
      let first: @Sendable () -> Void = {
        do throws(WorkerStartError) {
          let (process, hello) = try WorkerProcess.start(settings)
          let pool = WorkerPool(settings, hello)
          pool.queue.withLock { $0.live[ObjectIdentifier(process)] = process }
          continuation.resume(returning: .success(pool))
          pool.lane(process)
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
      // A worker is started by the thread of its lane and by no other: the kernel kills it when the
      // thread that started it ends (PR_SET_PDEATHSIG), and a thread of Swift's pool may end at any
      // time.
      do throws(SystemError) {
        try BackgroundThread.start(first)
      } catch {
        continuation.resume(returning: .failure(WorkerStartError(description: "\(error)")))
      }
    }
    let started = try pool.get()
    do throws(SystemError) {
      for _ in 1..<max(1, settings.count) { try BackgroundThread.start { started.lane(nil) } }
    } catch {
      started.close()
      throw WorkerStartError(description: "\(error)")
    }
    return started
  }

  private init(_ settings: WorkerSettings, _ hello: WorkerHello) {
    self.settings = settings
    self.hello = hello
  }

  package var statistics: WorkerStatistics { queue.withLock { $0.statistics } }

  /// Has one job done. Waits for a free worker.
  ///
  /// - Throws: ``WorkerStartError`` where workers can't be started any more.
  package func perform(_ job: TranscodeJob) async throws(WorkerStartError) -> TranscodeReply {
    let answer: Answer = await withCheckedContinuation { continuation in
      let refusal = queue.withLock { queue -> Answer? in
        if let error = queue.startError { return .failure(error) }
        if queue.isClosed { return .success(.failed(.stopped)) }
        queue.jobs.append((job, { continuation.resume(returning: $0) }))
        return nil
      }
      if let refusal {
        continuation.resume(returning: refusal)
      } else {
        available.signal()
      }
    }
    return try answer.get()
  }

  /// Ends all workers at once; jobs that are waiting or under way fail as cancelled.
  package func close() {
    let (waiting, live) = queue.withLock { queue in
      queue.isClosed = true
      defer { queue.jobs = [] }
      return (queue.jobs, Array(queue.live.values))
    }
    for process in live { process.kill() }
    for (_, finish) in waiting { finish(.success(.failed(.stopped))) }
    for _ in 0..<settings.count { available.signal() }
  }

  // MARK: A lane: one thread, one worker at a time

  private func lane(_ first: WorkerProcess?) {
    var process = first
    var jobsLeft = settings.jobsPerWorker
    // Whether the worker has done nothing yet: what it then says does not depend on other pictures.
    var isFresh = true
    while true {
      available.wait()
      let (next, isClosed) = queue.withLock { queue in
        if !queue.jobs.isEmpty { queue.statistics.jobs += 1 }
        return (queue.jobs.isEmpty ? nil : queue.jobs.removeFirst(), queue.isClosed)
      }
      guard let (job, finish) = next else {
        guard isClosed else { continue }
        retire(process)
        return
      }
      if jobsLeft == 0 {
        retire(process)
        process = nil
      }
      var isSecond = false
      do throws(WorkerStartError) {
        var reply: TranscodeReply?
        var deaths = 0
        while reply == nil {
          // Workers that say hello and die are no chance any more.
          guard deaths < 3 else {
            throw WorkerStartError(
              description: "\"\(settings.executable)\" starts, and ends before it gets any work")
          }
          deaths += 1
          let worker: WorkerProcess
          if let process { worker = process } else { worker = try start() }
          if process == nil { (jobsLeft, isFresh) = (settings.jobsPerWorker, true) }
          let answer = converse(worker, job)
          process = answer.isUsable ? worker : nil
          if !answer.isUsable { forget(worker) }
          reply = answer.reply
          // What earlier pictures left in its memory must not decide about this one.
          if reply?.isAboutMemory == true, !isFresh, !isSecond {
            retire(process)
            (process, reply, isSecond, deaths) = (nil, nil, true, 0)
            // What the first made is made again.
            for output in job.outputs { try? FileSystem.remove(output.path) }
          }
        }
        jobsLeft -= 1
        isFresh = false
        if let reply { finish(.success(reply)) }
      } catch {
        finish(.failure(error))
        fail(error)
      }
    }
  }

  private func start() throws(WorkerStartError) -> WorkerProcess {
    var attempts = 0
    while true {
      do throws(WorkerStartError) {
        let process = try WorkerProcess.start(settings).0
        let isClosed = queue.withLock { queue in
          queue.live[ObjectIdentifier(process)] = process
          return queue.isClosed
        }
        // Closed while this one was starting: nobody else knows of it.
        if isClosed { process.kill() }
        return process
      } catch {
        // Once may be chance (the machine is short of memory for a moment); three times is not.
        attempts += 1
        guard attempts < 3, !queue.withLock({ $0.isClosed }) else { throw error }
        usleep(200_000)
      }
    }
  }

  /// One job with one worker. No reply means that the worker was dead before it got the job, which
  /// is not the job's fault.
  private func converse(
    _ worker: WorkerProcess, _ job: TranscodeJob
  ) -> (reply: TranscodeReply?, isUsable: Bool) {
    switch worker.perform(job, until: .now.advanced(by: settings.time)) {
    case .reply(let reply): return (reply, true)
    case .unsent:
      _ = worker.end()
      return (queue.withLock { $0.isClosed } ? .failed(.stopped) : nil, false)
    case .lost:
      let ending = worker.end()
      if queue.withLock({ $0.isClosed }) { return (.failed(.stopped), false) }
      return (.failed(failure(of: ending)), false)
    case .garbage:
      _ = worker.end()
      return (
        .failed(.init(.workerProtocol, "the worker's answer made no sense; it was replaced")), false
      )
    case .timedOut:
      worker.kill()
      _ = worker.end()
      return (.failed(timeout), false)
    }
  }

  private func failure(of ending: ProcessEnding) -> TranscodeFailure {
    if ending == .signalled(SIGXCPU) { return timeout }
    // GLib ends its process so where an allocation fails.
    if ending == .signalled(SIGTRAP) {
      return TranscodeFailure(
        .outOfMemory, "the picture needed more memory than limits.memory allows")
    }
    return TranscodeFailure(
      .workerCrashed, "the worker crashed on this picture: \(ending.sentence)")
  }

  private var timeout: TranscodeFailure {
    TranscodeFailure(
      .workerTimeout,
      "the picture took longer than \(Self.sentence(settings.time)) (limits.time)")
  }

  private static func sentence(_ time: Duration) -> String {
    let milliseconds =
      time.components.seconds * 1000 + time.components.attoseconds / 1_000_000_000_000_000
    return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
  }

  private func retire(_ process: WorkerProcess?) {
    guard let process else { return }
    process.finish()
    queue.withLock { $0.live[ObjectIdentifier(process)] = nil }
  }

  private func forget(_ process: WorkerProcess) {
    queue.withLock { queue in
      queue.live[ObjectIdentifier(process)] = nil
      queue.statistics.replaced += 1
    }
  }

  /// Ends the pool: what waits fails with the same error.
  private func fail(_ error: WorkerStartError) {
    let waiting = queue.withLock { queue in
      queue.startError = queue.startError ?? error
      defer { queue.jobs = [] }
      return queue.jobs
    }
    for (_, finish) in waiting { finish(.failure(error)) }
  }
}

extension TranscodeReply {
  /// Whether a worker with more memory left might have answered something else. Codecs crash where memory is
  /// refused.
  fileprivate var isAboutMemory: Bool {
    guard case .failed(let failure) = self else { return false }
    return failure.code == .outOfMemory || failure.code == .workerCrashed
  }
}

extension TranscodeFailure {
  fileprivate static var stopped: TranscodeFailure {
    TranscodeFailure(.cancelled, "the run was stopped")
  }
}
