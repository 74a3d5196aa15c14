import Glibc
import TesseraPlan
import TesseraTestSupport
import Testing

@testable import TesseraWorkers

/// Every decision about a worker, as a table: a history of endings, then the decision after the
/// last one.
@Suite struct SupervisionTests {
  private static let good = WorkerReply.differs(
    SourceFacts(size: Size(1, 1), hasAlpha: false, frames: 1))
  private static let noMemory = WorkerReply.failed(TranscodeFailure(.outOfMemory, "no"))
  private static let badImage = WorkerReply.failed(TranscodeFailure(.decode, "no"))
  private static let crash = ProcessEnding.signalled(SIGSEGV)
  private static let crashed = WorkerReply.failed(
    TranscodeFailure(
      .workerCrashed,
      "the worker crashed on this image: it was ended by signal 11 (Segmentation fault)"))
  private static let late = WorkerReply.failed(
    TranscodeFailure(.workerTimeout, "the image took longer than 1500 ms (limits.time)"))

  private static let two = [JobEnding.reply(good), .reply(good)]

  private static let serverless = WorkerReply.failed(
    TranscodeFailure(
      .workerCrashed,
      "the worker crashed on this image: the process that starts workers has ended"))

  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var endings: [JobEnding]
    var isClosed = false
    var decision: Supervision.Decision

    init(
      _ name: String, _ endings: [JobEnding], isClosed: Bool = false,
      _ decision: Supervision.Decision
    ) {
      testDescription = name
      self.endings = endings
      self.isClosed = isClosed
      self.decision = decision
    }
  }

  static let cases: [Case] = [
    // Replies.
    .init("a reply", [.reply(good)], .answer(good, .keep)),
    .init("a failure of the image", [.reply(good), .reply(badImage)], .answer(badImage, .keep)),
    .init(
      "the last job of a worker", [.reply(good), .reply(good), .reply(good)],
      .answer(good, .retire)),
    .init(
      "the first job of the next worker",
      [.reply(good), .reply(good), .reply(good), .reply(good)], .answer(good, .keep)),

    // The fork server: once may be chance.
    .init("its server is lost", [.serverLost], .retry(.replace)),
    .init("its server is lost twice", [.serverLost, .serverLost], .answer(serverless, .replace)),
    .init("its server was lost, two jobs", [.serverLost] + two, .answer(good, .keep)),
    .init(
      "its server was lost, three jobs", [.serverLost] + two + [.reply(good)],
      .answer(good, .retire)),
    .init("its server was lost, unsent", [.serverLost, .unsent, .unsent], .retry(.replace)),
    .init(
      "its server is lost at the end", [.serverLost], isClosed: true,
      .answer(.failed(.stopped), .replace)),
    .init(
      "its server is lost, on the job after a second attempt",
      [.serverLost, .reply(good), .serverLost], .retry(.replace)),

    .init(
      "its server is lost after giving up", [.serverLost, .unsent, .unsent, .unsent, .serverLost],
      .retry(.replace)),

    // Memory: only a fresh worker is believed.
    .init("no memory, fresh", [.reply(noMemory)], .answer(noMemory, .keep)),
    .init("no memory, used", [.reply(good), .reply(noMemory)], .retry(.retire)),
    .init(
      "no memory, on the second attempt", [.reply(good), .reply(noMemory), .reply(noMemory)],
      .answer(noMemory, .keep)),
    .init(
      "no memory, on the job after a second attempt",
      [.reply(good), .reply(noMemory), .reply(noMemory), .reply(noMemory)], .retry(.retire)),
    .init(
      "no memory, then two jobs", [.reply(good), .reply(noMemory)] + two, .answer(good, .keep)),
    .init(
      "no memory, then three jobs", [.reply(good), .reply(noMemory)] + two + [.reply(good)],
      .answer(good, .retire)),
    .init("a crash, fresh", [.lost(crash)], .answer(crashed, .replace)),
    .init("a crash, used", [.reply(good), .lost(crash)], .retry(.replace)),
    .init(
      "a crash, on the second attempt", [.reply(good), .lost(crash), .lost(crash)],
      .answer(crashed, .replace)),
    .init(
      "a crash, on the job after a crash", [.lost(crash), .lost(crash)],
      .answer(crashed, .replace)),

    // Ways to be lost.
    .init(
      "GLib's trap", [.lost(.signalled(SIGTRAP))],
      .answer(
        .failed(
          TranscodeFailure(.outOfMemory, "the image needed more memory than limits.memory allows")),
        .replace)),
    .init("processor time", [.lost(.signalled(SIGXCPU))], .answer(late, .replace)),
    .init(
      "a quiet exit", [.lost(.exited(0))],
      .answer(
        .failed(
          TranscodeFailure(
            .workerCrashed, "the worker crashed on this image: it exited with status 0")),
        .replace)),

    // Not about memory, so without a second attempt.
    .init("a timeout, then two jobs", [.timedOut] + two, .answer(good, .keep)),
    .init(
      "a timeout, then three jobs", [.timedOut] + two + [.reply(good)], .answer(good, .retire)),
    .init("a timeout on the last job", two + [.timedOut], .answer(late, .replace)),
    .init("a timeout, used", [.reply(good), .timedOut], .answer(late, .replace)),
    .init(
      "garbage, used", [.reply(good), .garbage],
      .answer(
        .failed(
          TranscodeFailure(
            .workerProtocol, "the worker's reply was invalid; the worker was replaced")),
        .replace)),

    // Workers that end before they get the job.
    .init("unsent", [.unsent], .retry(.replace)),
    .init("unsent twice", [.unsent, .unsent], .retry(.replace)),
    .init("unsent three times", [.unsent, .unsent, .unsent], .giveUp),
    .init(
      "unsent after a reply", [.unsent, .unsent, .reply(good), .unsent], .retry(.replace)),
    .init(
      "unsent after giving up", [.unsent, .unsent, .unsent, .unsent], .retry(.replace)),
    .init(
      "unsent twice after giving up", [.unsent, .unsent, .unsent, .unsent, .unsent],
      .retry(.replace)),
    .init(
      "unsent, then no memory", [.reply(good), .unsent, .reply(noMemory)],
      .answer(noMemory, .keep)),
    .init(
      "unsent on the second attempt", [.reply(good), .reply(noMemory), .unsent, .unsent],
      .retry(.replace)),

    // A closed pool kills its workers.
    .init("unsent, closed", [.unsent], isClosed: true, .answer(.failed(.stopped), .replace)),
    .init(
      "lost, closed", [.reply(good), .lost(crash)], isClosed: true,
      .answer(.failed(.stopped), .replace)),
    .init("a timeout, closed", [.timedOut], isClosed: true, .answer(late, .replace)),
    .init("a reply, closed", [.reply(good)], isClosed: true, .answer(good, .keep)),
  ]

  @Test(.faults(.w1, .w4, .w5), arguments: cases)
  func decides(_ row: Case) {
    var supervision = Supervision(jobsPerWorker: 3, timeLimit: .milliseconds(1500))
    for ending in row.endings.dropLast() {
      _ = supervision.decide(after: ending, isClosed: false)
    }
    #expect(
      row.endings.last.map { supervision.decide(after: $0, isClosed: row.isClosed) }
        == row.decision)
  }

  @Test(
    .faults(.w12),
    arguments: [(1, false, true), (2, false, true), (3, false, false), (1, true, false)])
  func startsAreAttemptedThreeTimes(_ failures: Int, _ isClosed: Bool, _ retries: Bool) {
    #expect(Supervision.retriesStart(after: failures, isClosed: isClosed) == retries)
  }

  /// Images of two hosts never share a worker; a worker without jobs has seen none.
  @Test func aWorkerHasImagesOfOneHost() {
    var supervision = Supervision(jobsPerWorker: 3, timeLimit: .seconds(1))
    func isOther(_ host: String) -> Bool { supervision.needsOther(for: host) }
    func reply() { _ = supervision.decide(after: .reply(Self.good), isClosed: false) }
    #expect(!isOther("a") && !isOther("b"))
    reply()
    #expect(!isOther("b"))
    #expect(isOther("c"))
    // The next worker is fresh.
    #expect(!isOther("d"))
    reply()
    reply()
    #expect(!isOther("d"))
    reply()
    // It had its last job.
    #expect(!isOther("e"))
    reply()
    #expect(isOther("d"))
    // It is fresh, so its lack of memory is believed.
    #expect(
      supervision.decide(after: .reply(Self.noMemory), isClosed: false)
        == .answer(Self.noMemory, .keep))
  }

  @Test(
    arguments: [
      (.reply(good), nil), (.unsent, "it ended before it received a job"),
      (.serverLost, "the process that starts workers has ended"),
      (.lost(.exited(3)), "it exited with status 3"), (.garbage, "its answer was not valid"),
      (.timedOut, "it took longer than the limit"),
    ] as [(JobEnding, String?)])
  func anEndingHasAReason(_ ending: JobEnding, _ reason: String?) {
    #expect(ending.reason == reason)
  }
}
