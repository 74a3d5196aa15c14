package import TesseraSystem

/// A fixed number of workers at a time, each supervised by a thread of its own: jobs in, files out.
///
/// A worker that crashes, hangs or sends garbage costs the one job it had, and is replaced: the fork
/// server has another one ready in a few milliseconds.
package final class WorkerPool: Transcoding {
  private let settings: WorkerSettings
  private let queue: JobQueue
  /// The means that the workers have reported.
  package let capabilities: WorkerCapabilities

  /// Starts the fork server, and reads its capabilities; workers start when there is work for them.
  ///
  /// - Throws: ``TesseraError`` if it cannot be started.
  package static func start(
    _ settings: WorkerSettings
  ) async throws(TesseraError) -> WorkerPool {
    let queue = JobQueue()
    let started: Result<WorkerCapabilities, TesseraError> = await withCheckedContinuation {
      continuation in
      // The fork server is started by the thread of a lane and by no other. The kernel kills it when
      // the thread that started it ends (PR_SET_PDEATHSIG), and a thread of Swift's pool may end at
      // any time.
      startThread {
        continuation.resume(returning: .failure($0))
      } body: {
        do throws(TesseraError) {
          let server = queue.register(try ForkServer(settings))
          continuation.resume(returning: .success(server.capabilities))
          var lane = WorkerThread(settings, queue)
          lane.run()
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    }
    let pool = WorkerPool(settings, queue, try started.get())
    do throws(SystemError) {
      for _ in 1..<pool.threadCount {
        try BackgroundThread.start {
          var lane = WorkerThread(settings, queue)
          lane.run()
        }
      }
    } catch {
      // Without this, the first lane would wait for jobs, and its worker would stay, until the end.
      pool.close()
      throw TesseraError(.workers, error.description)
    }
    return pool
  }

  private init(_ settings: WorkerSettings, _ queue: JobQueue, _ capabilities: WorkerCapabilities) {
    self.settings = settings
    self.queue = queue
    self.capabilities = capabilities
  }

  private var threadCount: Int { max(1, settings.count) }

  package var statistics: WorkerStatistics { queue.statistics }

  /// Waits for a free worker and has it do the job.
  ///
  /// - Throws: ``TesseraError`` if workers cannot be started any more.
  package func perform(
    _ job: TranscodeJob, of source: JobSource, watch: JobWatch?
  ) async throws(TesseraError) -> TranscodeAnswer {
    let split = SplitJob(job, among: queue.room)
    let answers = await withTaskGroup { group in
      for (part, job) in split.jobs.enumerated() {
        group.addTask { (part, await self.answer(to: job, of: source, watch)) }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    let inOrder = answers.sorted { $0.0 < $1.0 }
    return split.joined(
      try inOrder.map { answer throws(TesseraError) in
        TranscodeAnswer(try answer.1.get())
      })
  }

  package func perform(
    _ job: TableJob, of source: JobSource
  ) async throws(TesseraError) -> TableAnswer {
    let outcome = try await answer(to: job, of: source).get()
    guard case .table(let result) = outcome.reply, let made = outcome.made else {
      return .failed(outcome.reply.failure)
    }
    do throws(SystemError) {
      let known = result.leftOut.filter(job.entries.indices.contains)
      return .made(try made.read(result.length, at: 0), leftOut: Set(known).sorted())
    } catch {
      return .failed(TranscodeFailure(.local, error.description))
    }
  }

  /// Has two images compared.
  ///
  /// - Throws: ``TesseraError`` if no worker can be started any more.
  package func perform(
    _ job: ComparisonJob, of source: JobSource
  ) async throws(TesseraError) -> Result<Likeness, TranscodeFailure> {
    let reply = try await answer(to: job, of: source).get().reply
    return if case .comparison(let likeness) = reply { .success(likeness) } else {
      .failure(reply.failure)
    }
  }

  package func expectLastJobs() { queue.beginLast() }

  private func answer(
    to job: any WorkerJob, of source: JobSource, _ watch: JobWatch? = nil
  ) async -> JobQueue.Answer {
    await withCheckedContinuation { continuation in
      queue.add(
        .init(job: job, source: source, watch: watch) { continuation.resume(returning: $0) })
    }
  }

  /// Has jobs in progress finished, and cancels those that wait for a worker, or come later.
  package func drain() { queue.drain() }

  /// Ends all workers at once; jobs that are waiting or in progress fail as cancelled.
  package func close() { queue.close(lanes: threadCount) }

  /// Runs a body on a thread of its own, or reports why there is none.
  static func startThread(
    orFail fail: (TesseraError) -> Void, body: @escaping @Sendable () -> Void
  ) {
    do throws(SystemError) {
      try BackgroundThread.start(body)
    } catch {
      fail(TesseraError(.workers, error.description))
    }
  }
}

/// How many workers a run has, and how much memory each of them may use. A pure value.
package struct WorkerBudget: Sendable, Equatable {
  package let count: Int
  /// The address space of one worker, in bytes.
  package let memory: Int

  /// For the coordinator and the kernel's caches, in bytes.
  private static let reserve = 256_000_000
  /// With less, libvips and its codecs fail on ordinary photographs.
  private static let least = 512_000_000

  /// - Parameters:
  ///   - requested: the number of workers that the user named; nil for one per processor.
  ///   - memory: the limit that the user named for one worker, in bytes.
  ///   - available: the memory that all processes together may use, in bytes; nil if nothing limits
  ///     it.
  package init(requested: Int?, processors: Int, memory: Int, available: Int?) {
    guard let available else {
      (count, self.memory) = (requested ?? processors, memory)
      return
    }
    let shared = max(0, available - Self.reserve)
    let least = min(memory, Self.least)
    // Fewer workers rather than workers that can decode nothing, unless the user has decided.
    count = requested ?? max(1, min(processors, shared / least))
    self.memory = min(memory, max(least, shared / count))
  }
}
