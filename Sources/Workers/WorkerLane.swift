internal import Glibc
internal import TesseraSystem
internal import TesseraWire

/// One thread of the pool, with one worker at a time: takes jobs from the queue and carries out the
/// decisions of ``Supervision``.
struct WorkerLane {
  private let settings: WorkerSettings
  private let queue: JobQueue
  private var process: WorkerProcess?
  private var supervision: Supervision

  /// - Parameter process: a worker that the lane's own thread has started and registered; nil if
  ///   the first job is to start one.
  init(_ settings: WorkerSettings, _ queue: JobQueue, _ process: WorkerProcess? = nil) {
    self.settings = settings
    self.queue = queue
    self.process = process
    supervision = Supervision(jobsPerWorker: settings.jobsPerWorker, timeLimit: settings.time)
  }

  /// Does jobs until the queue is closed. Blocks the thread.
  mutating func run() {
    while let entry = queue.next() {
      do throws(WorkerStartError) {
        entry.finish(.success(try perform(entry.job)))
      } catch {
        entry.finish(.failure(error))
        // Workers that cannot start would fail each waiting job after its own series of attempts.
        queue.fail(error)
      }
    }
    if let process { dismiss(process, .retire) }
  }

  private mutating func perform(_ job: TranscodeJob) throws(WorkerStartError) -> TranscodeReply {
    while true {
      let worker: WorkerProcess
      if let process { worker = process } else { worker = try start() }
      process = worker
      let ending = worker.perform(job, until: .now.advanced(by: settings.time))
      switch supervision.decide(after: ending, isClosed: queue.isClosed) {
      case .answer(let reply, let action):
        dismiss(worker, action)
        return reply
      case .retry(let action):
        dismiss(worker, action)
        // The worker creates each file anew, and fails if one exists. Most often there are none to
        // remove.
        for output in job.outputs { try? FileSystem.remove(output.path) }
      case .giveUp:
        dismiss(worker, .replace)
        throw WorkerStartError(
          description: "\"\(settings.executable)\" starts, but exits before it receives a job")
      }
    }
  }

  private func start() throws(WorkerStartError) -> WorkerProcess {
    var failures = 0
    while true {
      do throws(WorkerStartError) {
        let process = try WorkerProcess.start(settings).0
        queue.register(process)
        return process
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

  private mutating func dismiss(_ worker: WorkerProcess, _ action: Supervision.WorkerAction) {
    if action == .keep { return }
    if action == .retire { worker.finish() }
    queue.unregister(worker, isReplaced: action == .replace)
    process = nil
  }
}
