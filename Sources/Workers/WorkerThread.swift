internal import Glibc
internal import TesseraSystem

/// One thread of the pool, with one worker at a time: takes jobs from the queue and carries out the
/// decisions of ``Supervision``.
struct WorkerThread {
  private let settings: WorkerSettings
  private let queue: JobQueue
  private var worker: Worker?
  private var supervision: Supervision

  /// A worker and the fork server that it depends on.
  private struct Worker {
    let process: WorkerProcess
    let server: ForkServer
  }

  init(_ settings: WorkerSettings, _ queue: JobQueue) {
    self.settings = settings
    self.queue = queue
    supervision = Supervision(jobsPerWorker: settings.jobsPerWorker, timeLimit: settings.time)
  }

  /// Does jobs until the queue is closed. Blocks the thread.
  mutating func run() {
    while let entry = queue.next() {
      let begun = ContinuousClock.now
      do throws(TesseraError) {
        let answer = try perform(entry.job, of: entry.source)
        entry.watch?.add(begun.duration(to: .now))
        queue.endJob()
        entry.finish(.success(answer))
      } catch {
        queue.endJob()
        // A closed pool has no fork server, which is not a fault: at the deadline of a run its
        // catalog is still to be written.
        guard !queue.isClosed else {
          entry.finish(.success(.stopped))
          continue
        }
        entry.finish(.failure(error))
        // Workers that cannot start would fail each waiting job after its own series of attempts.
        queue.fail(error)
      }
    }
    dismiss(.retire)
  }

  private mutating func perform(
    _ job: any WorkerJob, of source: JobSource
  ) throws(TesseraError) -> JobOutcome {
    if supervision.needsOther(for: source.host) { dismiss(.retire) }
    while true {
      // New for each attempt: the one before may have written something.
      let files: JobFiles
      do throws(SystemError) {
        files = try JobFiles(source, isSmall: job.isSmall)
      } catch {
        // A fault of this machine. The image has none, and the others would fail like it.
        throw TesseraError(.workers, error.description)
      }
      let worker: Worker
      if let current = self.worker { worker = current } else { worker = try start() }
      self.worker = worker
      let (ending, made) = attempt(job, files, worker.process)
      if ending == .serverLost || worker.process.isGivenUp { queue.unregister(worker.server) }
      switch supervision.decide(after: ending, isClosed: queue.isClosed) {
      case .answer(let reply, let action):
        dismiss(action, ending.reason)
        return JobOutcome(reply: reply, made: made)
      case .retry(let action): dismiss(action, ending.reason)
      case .giveUp:
        dismiss(.replace)
        throw TesseraError(
          .workers, "\"\(settings.executable)\" starts, but exits before it receives a job")
      }
    }
  }

  private func attempt(
    _ job: any WorkerJob, _ files: borrowing JobFiles, _ process: WorkerProcess
  ) -> (JobEnding, made: MadeBytes?) {
    let (ending, received) = process.perform(job, files, until: .now.advanced(by: settings.time))
    guard case .reply(let reply) = ending, !reply.isWithoutResult else { return (ending, nil) }
    // Before anything is read: from now on the worker cannot change what it made.
    if let lengths = job.lengths(in: reply), let made = files.made(received, lengths) {
      return (ending, made)
    }
    process.kill()
    _ = process.end()
    return (.garbage, nil)
  }

  private func start() throws(TesseraError) -> Worker {
    var failures = 0
    while true {
      do throws(TesseraError) {
        let server: ForkServer
        if let current = queue.server {
          server = current
        } else {
          server = queue.register(try ForkServer(settings))
        }
        if let process = try server.fork() { return Worker(process: process, server: server) }
        queue.unregister(server)
        throw TesseraError(
          .workers, "\"\(settings.executable)\" starts, but exits before it receives a job")
      } catch {
        failures += 1
        guard Supervision.retriesStart(after: failures, isClosed: queue.isClosed) else {
          throw error
        }
        // Time for a shortage of memory or processes to pass.
        usleep(200_000)
      }
    }
  }

  private mutating func dismiss(_ action: Supervision.WorkerAction, _ reason: String? = nil) {
    if action == .keep { return }
    if action == .retire { worker?.process.finish() }
    if action == .replace {
      queue.countReplaced()
      // Workers that end with the pool are not replaced.
      if let reason, !queue.isClosed { settings.replaced(reason) }
    }
    worker = nil
  }
}
