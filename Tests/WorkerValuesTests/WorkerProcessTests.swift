import Foundation
import TesseraPlan
import TesseraSystem
import Testing

@testable import TesseraWorkers

/// The conversation with a worker, over sockets at whose other ends the test has already said
/// everything.
@Suite struct WorkerProcessTests {
  /// The other ends: what the worker and the fork server have.
  private final class Peer: Sendable {
    let process: WorkerProcess
    private let jobs: Int32
    private let control: Int32

    init() throws {
      let ours = try SocketPair()
      let other = try SocketPair()
      (jobs, control) = (dup(ours.theirs), dup(other.theirs))
      process = WorkerProcess(jobs: ours.keepOurs(), control: other.keepOurs())
    }

    deinit {
      close(jobs)
      close(control)
    }

    func say(_ line: [UInt8]) { _ = LineChannel(descriptor: jobs).send(line) }
    func report(_ end: WorkerEnd) { _ = LineChannel(descriptor: control).send(WireLine.line(end)) }
    func endJobs() { shutdown(jobs, Int32(SHUT_RDWR)) }
    /// The worker has ended, and what is sent to it is not lost at once.
    func endJobsForReading() { shutdown(jobs, Int32(SHUT_WR)) }
    func reportNoise() { _ = LineChannel(descriptor: control).send(Array("noise\n".utf8)) }
    func endControl() { shutdown(control, Int32(SHUT_RDWR)) }

    /// Whether the fork server is to kill the worker.
    var isToBeKilled: Bool { isAtEnd(control) }
    /// Whether the worker has no more jobs to expect.
    var hasNoMoreJobs: Bool { isAtEnd(jobs) }

    private func isAtEnd(_ descriptor: Int32) -> Bool {
      var byte: UInt8 = 0
      return recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT)) == 0
    }

    /// The next request, and the descriptors that came with it.
    func request() throws -> (WorkerRequest, job: Int, [Int32]) {
      var channel = LineChannel(descriptor: jobs, acceptsDescriptors: true)
      let end = ContinuousClock.now.advanced(by: .seconds(60))
      guard case .line(let line) = channel.receive(maximumLength: 1 << 20, until: end) else {
        throw SystemError("receive", "a request")
      }
      let (message, job) = try WireLine.message(WorkerRequest.self, line)
      return (message, job, channel.takeDescriptors())
    }

    func requestWithBytes() throws -> (WorkerRequest, [UInt8]) {
      var channel = LineChannel(descriptor: jobs, acceptsDescriptors: true)
      guard let line = channel.receive(maximumLength: 1 << 20) else {
        throw SystemError("receive", "a request")
      }
      let frame = try WireFrame(line)
      #expect(channel.takeDescriptors().isEmpty)
      guard case .line(let bytes) = channel.receive(bytes: frame.bytes, until: nil) else {
        throw SystemError("receive", "bytes")
      }
      return (try frame.message(WorkerRequest.self), bytes)
    }

    func perform(
      until end: ContinuousClock.Instant = .now.advanced(by: .seconds(60))
    ) throws -> JobEnding {
      let files = try JobFiles(JobSource(.memory([]), host: "h"))
      return process.perform(WorkerProcessTests.job, files, until: end).0
    }

    /// A job whose bytes go with it.
    func performSmall(
      _ bytes: [UInt8], until end: ContinuousClock.Instant = .now.advanced(by: .seconds(60))
    ) throws -> (JobEnding, received: [UInt8]) {
      let files = try JobFiles(JobSource(.memory(bytes), host: "h"), isSmall: true)
      return process.perform(WorkerProcessTests.job, files, until: end)
    }
  }

  private static let job = ComparisonJob(
    size: Size(4, 3), reference: .init(length: 1, format: "png"),
    candidate: .init(length: 1, format: "png"))
  private static let reply = WorkerReply.comparison(
    Likeness(score: 90.5, worstTile: .init(score: 80, x: 0, y: 0, size: Size(4, 3))))

  @Test func aJobIsSentWithItsDescriptorsAndHasAReply() throws {
    let peer = try Peer()
    peer.say(Self.reply.line(for: 1))
    #expect(try peer.perform() == .reply(Self.reply))
    let (request, job, descriptors) = try peer.request()
    defer { for descriptor in descriptors { close(descriptor) } }
    #expect(request == .compare(Self.job))
    #expect(job == 1)
    #expect(descriptors.count == 2)
    #expect(!peer.isToBeKilled && !peer.process.isGivenUp)
    // The worker has its next job.
    peer.say(Self.reply.line(for: 2))
    #expect(try peer.perform() == .reply(Self.reply))
  }

  @Test func bytesFollowAJobAndItsReply() throws {
    let peer = try Peer()
    peer.say(Self.reply.line(for: 1, bytes: 3) + [0x0A, 7, 0x0A])
    peer.say(Self.reply.line(for: 2))
    let (ending, received) = try peer.performSmall([1, 0x0A, 2])
    #expect(ending == .reply(Self.reply) && received == [0x0A, 7, 0x0A])
    #expect(try peer.requestWithBytes() == (.compare(Self.job), [1, 0x0A, 2]))
    // The next line begins behind them.
    #expect(try peer.performSmall([3]).0 == .reply(Self.reply))
  }

  /// The rest of the bytes does not arrive.
  @Test func aWorkerThatEndsWithinItsBytesIsLost() throws {
    let peer = try Peer()
    peer.say(Self.reply.line(for: 1, bytes: 3) + [1, 2])
    peer.endJobsForReading()
    peer.report(.ended(status: 9))
    let (ending, received) = try peer.performSmall([1])
    #expect(ending == .lost(.signalled(9)) && received == [] && !peer.isToBeKilled)
  }

  @Test func aWorkerThatIsTooSlowWithItsBytesIsKilled() throws {
    let peer = try Peer()
    peer.say(Self.reply.line(for: 1, bytes: 3) + [1, 2])
    peer.report(.ended(status: 9))
    let end = ContinuousClock.now.advanced(by: .milliseconds(20))
    #expect(try peer.performSmall([1], until: end).0 == .timedOut)
    #expect(peer.isToBeKilled)
  }

  /// Nothing is received that would fill this process's memory.
  @Test func aWorkerThatHasTooManyBytesIsKilled() throws {
    let peer = try Peer()
    peer.say(Self.reply.line(for: 1, bytes: WireLine.maximumLength + 1) + [1, 2])
    peer.report(.ended(status: 9))
    // To wait for them would end otherwise.
    let end = ContinuousClock.now.advanced(by: .seconds(60))
    #expect(try peer.performSmall([1], until: end).0 == .garbage)
    #expect(peer.isToBeKilled)
  }

  /// A worker that sends anything but a reply to its job is killed.
  @Test(arguments: [
    Array("noise\n".utf8), reply.line(for: 2), WireLine.line(WorkerEnd.ended(status: 0), job: 1),
    WorkerReply.failed(TranscodeFailure(.cancelled, "no")).line(for: 1), [0x0A],
  ])
  func anInvalidReplyEndsTheWorker(_ line: [UInt8]) throws {
    let peer = try Peer()
    peer.say(line)
    peer.report(.ended(status: 9))
    #expect(try peer.perform() == .garbage)
    #expect(peer.isToBeKilled)
    #expect(peer.process.end() == .signalled(9))
  }

  @Test func aReplyWithoutAnEndEndsTheWorker() throws {
    let peer = try Peer()
    peer.report(.ended(status: 9))
    Thread.detachNewThread {
      peer.say([UInt8](repeating: UInt8(ascii: "x"), count: WireLine.maximumLength + 100_000))
    }
    #expect(try peer.perform() == .garbage)
    #expect(peer.isToBeKilled)
    peer.process.finish()
  }

  @Test func aWorkerThatIsTooSlowIsKilled() throws {
    let peer = try Peer()
    peer.report(.ended(status: 9))
    #expect(try peer.perform(until: .now.advanced(by: .milliseconds(20))) == .timedOut)
    #expect(peer.isToBeKilled)
  }

  /// A worker that ended: how the fork server reports it.
  @Test(
    arguments: [
      (WorkerEnd.ended(status: 0x300), JobEnding.lost(.exited(3))),
      (.ended(status: 11), .lost(.signalled(11))), (.notStarted(code: 12), .unsent),
      (nil, .serverLost),
    ] as [(WorkerEnd?, JobEnding)])
  func aWorkerThatEndsDuringAJobIsLost(_ end: WorkerEnd?, _ ending: JobEnding) throws {
    let peer = try Peer()
    peer.endJobsForReading()
    if let end { peer.report(end) } else { peer.endControl() }
    #expect(try peer.perform() == ending)
    #expect(end == nil || !peer.isToBeKilled)
  }

  /// Whatever became of a worker that took no job, it had not seen it.
  @Test(
    arguments: [
      (WorkerEnd.ended(status: 0x300), JobEnding.unsent), (.notStarted(code: 12), .unsent),
      (nil, .serverLost),
    ] as [(WorkerEnd?, JobEnding)])
  func aWorkerThatEndsBeforeAJobHasNotSeenIt(_ end: WorkerEnd?, _ ending: JobEnding) throws {
    let peer = try Peer()
    peer.endJobs()
    if let end { peer.report(end) } else { peer.endControl() }
    #expect(try peer.perform() == ending)
  }

  @Test func anEndIsReportedOnce() throws {
    let peer = try Peer()
    peer.report(.ended(status: 0x100))
    peer.report(.ended(status: 0x200))
    #expect(peer.process.end() == .exited(1))
    #expect(peer.process.end() == .exited(1))
    // A fork server of another version is as good as none.
    let other = try Peer()
    other.reportNoise()
    #expect(other.process.end() == .serverEnded)
    #expect(!other.process.isGivenUp)
  }

  @Test func theEndOfAWorkerIsToldByItsChannel() throws {
    let peer = try Peer()
    peer.report(.ended(status: 0))
    #expect(!peer.hasNoMoreJobs)
    peer.process.finish()
    #expect(peer.hasNoMoreJobs)
    #expect(peer.process.end() == .exited(0))
  }

  @Test func librariesAreExamined() throws {
    let checks = [ExaminationCheck(.write, "avif", problem: "no encoder")]
    let end = ContinuousClock.now.advanced(by: .seconds(60))
    let peer = try Peer()
    peer.say(WorkerReply.examination(checks).line(for: 0))
    #expect(peer.process.examine(until: end) == checks)
    let (request, job, descriptors) = try peer.request()
    #expect(request == .examine && job == 0 && descriptors.isEmpty)
    peer.say(Self.reply.line(for: 0))
    #expect(peer.process.examine(until: end) == nil)
    peer.say(WorkerReply.examination(checks).line(for: 1))
    #expect(peer.process.examine(until: end) == nil)
    peer.endJobs()
    #expect(peer.process.examine(until: end) == nil)
  }
}
