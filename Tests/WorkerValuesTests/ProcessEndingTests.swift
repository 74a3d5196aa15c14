import Glibc
import TesseraSystem
import Testing

@testable import TesseraWorkers

/// How a process ended, by the statuses of waitpid(2), and what is said of it.
@Suite struct ProcessEndingTests {
  @Test(
    arguments: [
      (0, ProcessEnding.exited(0)), (0x100, .exited(1)), (0x200, .exited(2)),
      (0xFF00, .exited(255)),
      (9, .signalled(9)), (11, .signalled(11)), (0x8B, .signalled(11)), (0x7F, .signalled(127)),
    ] as [(Int32, ProcessEnding)])
  func statusesAreRead(_ status: Int32, _ ending: ProcessEnding) {
    #expect(ProcessEnding(status: status) == ending)
  }

  @Test(arguments: [
    (ProcessEnding.exited(3), "it exited with status 3"),
    (.signalled(SIGKILL), "it was ended by signal 9 (Killed)"),
    (.killed, "it did not answer and was killed"),
    (.notStarted(EAGAIN), "it could not be started (Resource temporarily unavailable)"),
    (.serverEnded, "the process that starts workers has ended"),
    (.unreported, "it could not be ended"),
  ])
  func endingsHaveSentences(_ ending: ProcessEnding, _ sentence: String) {
    #expect(ending.sentence == sentence)
  }

  @Test(arguments: [
    (
      ProcessEnding.signalled(SIGXCPU), TranscodeFailure.Code.workerTimeout,
      "the image took longer than 2 s (limits.time)"
    ),
    (.signalled(SIGTRAP), .outOfMemory, "the image needed more memory than limits.memory allows"),
    (
      .signalled(SIGSEGV), .workerCrashed,
      "the worker crashed on this image: it was ended by signal 11 (Segmentation fault)"
    ),
    (
      .exited(0), .workerCrashed,
      "the worker crashed on this image: it exited with status 0"
    ),
    (
      .serverEnded, .workerCrashed,
      "the worker crashed on this image: the process that starts workers has ended"
    ),
  ])
  func aLostWorkerIsAFailure(
    _ ending: ProcessEnding, _ code: TranscodeFailure.Code, _ message: String
  ) {
    #expect(
      TranscodeFailure.lost(ending, limit: .seconds(2)) == TranscodeFailure(code, message))
  }

  @Test(arguments: [
    (1_000, "1 s"), (999, "999 ms"), (1_001, "1001 ms"), (60_000, "60 s"), (1, "1 ms"),
    (90_500, "90500 ms"),
  ])
  func aLimitIsWrittenInSecondsIfItIsWhole(_ milliseconds: Int, _ text: String) {
    #expect(
      TranscodeFailure.timeout(.milliseconds(milliseconds))
        == TranscodeFailure(
          .workerTimeout, "the image took longer than \(text) (limits.time)"))
  }

  // MARK: Sockets

  @Test func aSocketPairIsConnectedAndEndsWithItsValue() throws {
    let pair = try SocketPair()
    #expect(fcntl(pair.theirs, F_GETFD) & FD_CLOEXEC == FD_CLOEXEC)
    let theirs = dup(pair.theirs)
    defer { close(theirs) }
    let ours = pair.keepOurs()
    #expect(fcntl(ours, F_GETFD) & FD_CLOEXEC == FD_CLOEXEC)
    #expect(write(ours, "a", 1) == 1)
    var byte: UInt8 = 0
    #expect(read(theirs, &byte, 1) == 1 && byte == UInt8(ascii: "a"))
    close(ours)
    #expect(read(theirs, &byte, 1) == 0)
  }

  /// With a copy of it open, the other process's end would never show as closed.
  @Test func theEndThatIsKeptSeesTheOtherOneClose() throws {
    let ours = try SocketPair().keepOurs()
    defer { close(ours) }
    var byte: UInt8 = 0
    #expect(recv(ours, &byte, 1, Int32(MSG_DONTWAIT)) == 0)
  }

  @Test func aSocketPairThatIsDroppedIsClosed() throws {
    let theirs: Int32
    do {
      let pair = try SocketPair()
      theirs = dup(pair.theirs)
    }
    defer { close(theirs) }
    var byte: UInt8 = 0
    #expect(recv(theirs, &byte, 1, Int32(MSG_DONTWAIT)) == 0)
  }

  // MARK: Programs that cannot be started

  private static let missing = WorkerSettings(
    executable: "/nowhere/tessera-worker", count: 2, memory: 2_000_000_000, time: .seconds(1))
  private static let sentence =
    "could not start \"/nowhere/tessera-worker\": No such file or directory"

  @Test func aMissingProgramIsAnError() async {
    let pool = await #expect(throws: TesseraError.self) {
      _ = try await WorkerPool.start(Self.missing)
    }
    #expect(pool?.description == Self.sentence)
    let examination = await #expect(throws: TesseraError.self) {
      _ = try await WorkerExamination.perform(Self.missing)
    }
    #expect(examination?.description == Self.sentence)
  }
}
