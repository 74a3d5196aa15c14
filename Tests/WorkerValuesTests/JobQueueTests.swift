import Foundation
import Synchronization
import TesseraPlan
import TesseraSystem
import Testing

@testable import TesseraWorkers

/// The waiting jobs of a pool, without workers.
@Suite struct JobQueueTests {
  /// What became of jobs, by their identifiers, in order: `1 stopped`, `2 failed: no`.
  private final class Answers: Sendable {
    private let texts = Mutex<[String]>([])

    var all: [String] { texts.withLock { $0 } }

    func note(_ identifier: Int, _ answer: JobQueue.Answer) {
      let text =
        switch answer {
        case .success(let outcome):
          outcome.reply == JobOutcome.stopped.reply ? "stopped" : "\(outcome.reply)"
        case .failure(let error): "failed: \(error.description)"
        }
      texts.withLock { $0.append("\(identifier) \(text)") }
    }
  }

  private static func entry(
    _ identifier: Int, side: Int = 1, _ answers: Answers
  ) -> JobQueue.Entry {
    let job = ComparisonJob(
      size: Size(side, side), reference: .init(length: identifier, format: "png"),
      candidate: .init(length: 1, format: "png"))
    return .init(
      job: job, source: JobSource(.file(path: "/nowhere/source"), host: "h"), watch: nil
    ) { answers.note(identifier, $0) }
  }

  private static func statistics(
    jobs: Int, waiting: Int, working: Int, replaced: Int = 0
  ) -> WorkerStatistics {
    var statistics = WorkerStatistics()
    (statistics.jobs, statistics.waiting) = (jobs, waiting)
    (statistics.working, statistics.replaced) = (working, replaced)
    return statistics
  }

  @Test func jobsAreTakenInTheirOrder() {
    let (queue, answers) = (JobQueue(), Answers())
    #expect(queue.statistics == WorkerStatistics())
    for (identifier, side) in [(1, 5), (2, 9), (3, 1)] {
      queue.add(Self.entry(identifier, side: side, answers))
    }
    #expect(queue.statistics == Self.statistics(jobs: 0, waiting: 3, working: 0))
    #expect(queue.next()?.identifier == 1)
    #expect(queue.statistics == Self.statistics(jobs: 1, waiting: 2, working: 1))
    #expect(queue.next()?.identifier == 2)
    queue.endJob()
    queue.countReplaced()
    #expect(queue.statistics == Self.statistics(jobs: 2, waiting: 1, working: 1, replaced: 1))
    #expect(queue.next()?.identifier == 3)
    #expect(answers.all.isEmpty && !queue.isClosed && queue.server == nil)
  }

  /// So that no worker has it alone at the end.
  @Test func theLargestOfTheLastJobsIsNext() {
    let (queue, answers) = (JobQueue(), Answers())
    for (identifier, side) in [(1, 5), (2, 9), (3, 1), (4, 9)] {
      queue.add(Self.entry(identifier, side: side, answers))
    }
    queue.beginLast()
    #expect((0..<4).compactMap { _ in queue.next()?.identifier } == [2, 4, 1, 3])
  }

  @Test func drainingCancelsWhatWaitsAndWhatComesLater() {
    let (queue, answers) = (JobQueue(), Answers())
    queue.add(Self.entry(1, answers))
    queue.add(Self.entry(2, answers))
    queue.drain()
    #expect(answers.all == ["1 stopped", "2 stopped"])
    queue.add(Self.entry(3, answers))
    #expect(answers.all == ["1 stopped", "2 stopped", "3 stopped"])
    #expect(queue.statistics == Self.statistics(jobs: 0, waiting: 0, working: 0))
    #expect(!queue.isClosed)
  }

  @Test func closingEndsEveryCaller() {
    let (queue, answers) = (JobQueue(), Answers())
    queue.add(Self.entry(1, answers))
    _ = queue.next()
    queue.add(Self.entry(2, answers))
    queue.close(lanes: 2)
    #expect(queue.isClosed)
    queue.add(Self.entry(3, answers))
    #expect(answers.all == ["2 stopped", "3 stopped"])
    #expect(queue.next() == nil && queue.next() == nil)
  }

  /// The first reason is that of all jobs.
  @Test func withoutWorkersEveryJobFails() {
    let (queue, answers) = (JobQueue(), Answers())
    queue.add(Self.entry(1, answers))
    queue.fail(TesseraError(.workers, "no"))
    queue.fail(TesseraError(.workers, "other"))
    queue.add(Self.entry(2, answers))
    queue.close(lanes: 0)
    queue.add(Self.entry(3, answers))
    #expect(answers.all == ["1 failed: no", "2 failed: no", "3 failed: no"])
  }

  /// How many of the last jobs could start at once.
  @Test func theRoomIsThatOfCallersWithoutAJob() {
    let (queue, answers) = (JobQueue(), Answers())
    queue.add(Self.entry(1, answers))
    #expect(queue.room == 0)
    queue.beginLast()
    #expect(queue.room == 0)
    _ = queue.next()
    let taken = Mutex<[Int]>([])
    let ended = DispatchSemaphore(value: 0)
    for _ in 0..<3 {
      Thread.detachNewThread {
        while let entry = queue.next() { taken.withLock { $0.append(entry.identifier ?? 0) } }
        ended.signal()
      }
    }
    func wait(_ room: Int) { for _ in 0..<10_000 where queue.room != room { usleep(1_000) } }
    wait(3)
    #expect(queue.room == 3)
    queue.close(lanes: 3)
    for _ in 0..<3 { ended.wait() }
    #expect(taken.withLock { $0 } == [])
  }

  // MARK: A thread of the pool

  private static let settings = WorkerSettings(
    executable: "/nowhere/tessera-worker", count: 1, memory: 2_000_000_000, time: .seconds(1))

  /// A thread that does jobs until its last one has its answer. With the source of the first one
  /// missing, no
  /// worker is started.
  @Test func aMissingSourceIsAFaultOfThisMachine() {
    let (queue, answers) = (JobQueue(), Answers())
    queue.add(Self.entry(1, answers))
    let last = Self.entry(2, answers)
    queue.add(
      .init(job: last.job, source: last.source, watch: nil) {
        last.finish($0)
        queue.close(lanes: 1)
      })
    var thread = WorkerThread(Self.settings, queue)
    thread.run()
    let failure = "failed: could not open \"/nowhere/source\": No such file or directory"
    #expect(answers.all == ["1 \(failure)", "2 \(failure)"])
    #expect(queue.statistics == Self.statistics(jobs: 1, waiting: 0, working: 0))
  }

  /// Three attempts, with a pause before the second and the third.
  @Test func withoutAProgramAllJobsFail() throws {
    let (queue, answers) = (JobQueue(), Answers())
    let watch = JobWatch()
    for identifier in [1, 2] {
      let entry = Self.entry(identifier, answers)
      queue.add(
        .init(job: entry.job, source: JobSource(.memory([]), host: "h"), watch: watch) {
          entry.finish($0)
          if identifier == 2 { queue.close(lanes: 1) }
        })
    }
    let begin = ContinuousClock.now
    var thread = WorkerThread(Self.settings, queue)
    thread.run()
    let failure =
      "failed: could not start \"/nowhere/tessera-worker\": No such file or directory"
    #expect(answers.all == ["1 \(failure)", "2 \(failure)"])
    #expect(begin.duration(to: .now) >= .milliseconds(400))
    #expect(watch.time == .zero)
  }
}

extension JobQueue.Entry {
  /// The one that the test gave it.
  fileprivate var identifier: Int? { (job as? ComparisonJob)?.reference.length }
}
