import Foundation
import TesseraPlaceholder
import TesseraPlan
import TesseraTestSupport
import TesseraWire
import TesseraWorkers
import Testing

@Suite struct WorkerPoolTests {
  @Test func makesFilesAndReportsTheSource() async throws {
    let folder = try TemporaryFolder()
    let pool = try await WorkerPool.start(settings(Places.worker))
    defer { pool.close() }
    #expect(pool.hello.libvips.hasPrefix("8."))
    let reply = try await pool.perform(
      job(
        Places.fixture("plain.jpg").path, format: "jpeg", size: Size(240, 160),
        outputs: [
          output(folder.path("a.webp"), 120, 80), output(folder.path("b.jpg"), 60, 40, .jpeg),
        ]))
    guard case .done(let facts, let placeholders, let warnings) = reply else {
      Issue.record("\(reply)")
      return
    }
    #expect(
      facts
        == SourceFacts(size: Size(240, 160), hasAlpha: false, frames: 1, colourSpace: "rgb"))
    #expect(warnings.isEmpty)
    #expect(placeholders.lqip.hasPrefix("data:image/webp;base64,"))
    #expect(try Pixels(folder.path("a.webp")).width == 120)
    #expect(try Pixels(folder.path("b.jpg")).height == 40)
  }

  @Test func reportsASourceThatDiffersFromThePlan() async throws {
    let pool = try await WorkerPool.start(settings(Places.worker))
    defer { pool.close() }
    let reply = try await pool.perform(
      job(Places.fixture("animated.gif").path, format: "gif", size: Size(96, 64), outputs: []))
    #expect(
      reply
        == .differs(
          SourceFacts(size: Size(96, 64), hasAlpha: true, frames: 6, colourSpace: "rgb")))
  }

  @Test func rejectsASourceOverALimitBeforeDecoding() async throws {
    let pool = try await WorkerPool.start(settings(Places.worker))
    defer { pool.close() }
    let reply = try await pool.perform(
      job(
        Places.fixture("animated.gif").path, format: "gif", size: Size(96, 64), frames: 6,
        alpha: true,
        pixels: 96 * 64 * 6 - 1, outputs: []))
    guard case .failed(let failure) = reply else {
      Issue.record("\(reply)")
      return
    }
    #expect(failure.code == .tooManyPixels)
  }

  /// The format's loader is called by name: bytes of another format are an error.
  @Test(arguments: [
    ("plain.jpg", "png"), ("transparent.png", "gif"), ("animated.gif", "webp"),
    ("lossy.webp", "jpeg"),
  ])
  func neverGuessesTheFormat(_ name: String, _ format: String) async throws {
    let pool = try await WorkerPool.start(settings(Places.worker))
    defer { pool.close() }
    let reply = try await pool.perform(
      job(Places.fixture(name).path, format: format, size: Size(1, 1), outputs: []))
    guard case .failed(let failure) = reply else {
      Issue.record("\(reply)")
      return
    }
    #expect(failure.code == .decode)
  }

  @Test(arguments: [
    ("read line <&3; kill -SEGV $$", TranscodeFailure.Code.workerCrashed, "signal 11"),
    ("read line <&3; kill -ABRT $$", .workerCrashed, "signal 6"),
    ("read line <&3; kill -KILL $$", .workerCrashed, "signal 9"),
    ("read line <&3; exit 0", .workerCrashed, "exited with status 0"),
    ("read line <&3; echo garbage >&3; sleep 30", .workerProtocol, "was invalid"),
    (#"read line <&3; echo '{"job":99}' >&3; sleep 30"#, .workerProtocol, "was invalid"),
    (
      #"read line <&3; echo '{"job":1,"differs":{"width":4611686018427387904,"height":1,"alpha":false,"frames":1}}' >&3; sleep 30"#,
      .workerProtocol, "was invalid"
    ),
    (
      #"read line <&3; echo '{"job":1,"failed":{"code":"cancelled","message":""}}' >&3; sleep 30"#,
      .workerProtocol, "was invalid"
    ),
    ("read line <&3; head -c 9000000 /dev/zero >&3; sleep 30", .workerProtocol, "was invalid"),
    ("read line <&3; sleep 30", .workerTimeout, "longer than 1 s"),
    ("read line <&3; exec 3>&-; sleep 30", .workerCrashed, "did not answer and was killed"),
    ("sleep 30", .workerTimeout, "longer than 1 s"),
    ("read line <&3; kill -STOP $$", .workerTimeout, "longer than 1 s"),
    ("read line <&3; kill -TRAP $$", .outOfMemory, "limits.memory"),
  ])
  func aFaultyWorkerCostsOneJobAndIsReplaced(
    _ script: String, _ code: TranscodeFailure.Code, _ sentence: String
  ) async throws {
    let folder = try TemporaryFolder()
    // A short limit only in the cases that test it.
    let seconds = code == .workerTimeout ? 1 : 20
    let pool = try await WorkerPool.start(
      settings(try impostor(script, in: folder), seconds: seconds))
    defer { pool.close() }
    for _ in 0..<2 {
      let reply = try await pool.perform(
        job("/nowhere", format: "jpeg", size: Size(1, 1), outputs: []))
      guard case .failed(let failure) = reply else {
        Issue.record("\(reply)")
        return
      }
      #expect(failure.code == code)
      #expect(failure.message.contains(sentence), "\(failure.message)")
    }
    #expect(pool.statistics.replaced == 2)
  }

  /// Replies to each job with the next of these failures, and records each start of a worker.
  private static func scripted(_ codes: [String], in folder: TemporaryFolder) throws -> String {
    let answers = codes.map { code in
      #"read line <&3; echo '{"job":1,"failed":{"code":"\#(code)","message":"no"}}' >&3"#
    }
    return try impostor(
      "echo $$ >> '\(folder.path("started"))'\n" + answers.joined(separator: "\n")
        + "\nread line <&3",
      in: folder)
  }

  /// Whatever a worker leaks ends with it: it is replaced after its number of jobs.
  @Test func aWorkerIsReplacedAfterItsJobs() async throws {
    let folder = try TemporaryFolder()
    var settings = settings(try Self.scripted(["decode", "decode"], in: folder))
    settings.jobsPerWorker = 2
    let pool = try await WorkerPool.start(settings)
    defer { pool.close() }
    for _ in 0..<5 {
      let reply = try await pool.perform(
        job("/nowhere", format: "jpeg", size: Size(1, 1), outputs: []))
      #expect(reply == .failed(TranscodeFailure(.decode, "no")))
    }
    #expect(try folder.text("started").split(separator: "\n").count == 3)
    #expect(pool.statistics.replaced == 0)
  }

  /// If a used worker reports that memory ran out, a fresh one does the job again.
  @Test func onlyAFreshWorkersReportAboutMemoryIsFinal() async throws {
    let folder = try TemporaryFolder()
    let pool = try await WorkerPool.start(
      settings(try Self.scripted(["decode", "out-of-memory"], in: folder)))
    defer { pool.close() }
    for _ in 0..<2 {
      let reply = try await pool.perform(
        job("/nowhere", format: "jpeg", size: Size(1, 1), outputs: []))
      #expect(reply == .failed(TranscodeFailure(.decode, "no")))
    }
    #expect(try folder.text("started").split(separator: "\n").count == 2)
    // A fresh worker's report is final.
    let other = try TemporaryFolder()
    let second = try await WorkerPool.start(
      settings(try Self.scripted(["out-of-memory"], in: other)))
    defer { second.close() }
    let reply = try await second.perform(
      job("/nowhere", format: "jpeg", size: Size(1, 1), outputs: []))
    #expect(reply == .failed(TranscodeFailure(.outOfMemory, "no")))
    #expect(try other.text("started").split(separator: "\n").count == 1)
  }

  @Test func aWorkerThatCannotStartIsAnError() async throws {
    await #expect(throws: WorkerStartError.self) {
      _ = try await WorkerPool.start(settings("/bin/true"))
    }
    do {
      _ = try await WorkerPool.start(settings("/nowhere/tessera-worker"))
    } catch {
      #expect(
        error.description
          == "could not start \"/nowhere/tessera-worker\": No such file or directory")
    }
  }

  /// The kernel kills a worker when the thread that started it ends. Threads of Swift's pool end
  /// after some idle seconds; they once took the first worker with them, during its job.
  @Test func workersOutliveTheThreadThatStartedThePool() async throws {
    let folder = try TemporaryFolder()
    let pool: WorkerPool = try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread {
        let done = DispatchSemaphore(value: 0)
        Task {
          do {
            continuation.resume(returning: try await WorkerPool.start(settings(Places.worker)))
          } catch {
            continuation.resume(throwing: error)
          }
          done.signal()
        }
        done.wait()
      }
    }
    defer { pool.close() }
    // libdispatch ends idle threads after five seconds.
    try await Task.sleep(for: .seconds(7))
    let reply = try await pool.perform(
      job(
        Places.fixture("plain.jpg").path, format: "jpeg", size: Size(240, 160),
        outputs: [output(folder.path("a.webp"), 120, 80)]))
    guard case .done = reply else {
      Issue.record("\(reply)")
      return
    }
    #expect(pool.statistics.replaced == 0)
  }

  @Test func aWorkerThatCannotBeReplacedEndsThePool() async throws {
    let folder = try TemporaryFolder()
    let path = try impostor("read line <&3; rm \"$0\"; kill -KILL $$", in: folder)
    let pool = try await WorkerPool.start(settings(path))
    defer { pool.close() }
    let empty = job("/nowhere", format: "jpeg", size: Size(1, 1), outputs: [])
    _ = try await pool.perform(empty)
    await #expect(throws: WorkerStartError.self) { try await pool.perform(empty) }
    await #expect(throws: WorkerStartError.self) { try await pool.perform(empty) }
  }

  @Test func closingCancelsAllJobs() async throws {
    let folder = try TemporaryFolder()
    let pool = try await WorkerPool.start(
      settings(try impostor("sleep 60", in: folder), seconds: 60))
    let empty = job("/nowhere", format: "jpeg", size: Size(1, 1), outputs: [])
    let tasks = (0..<3).map { _ in Task { try await pool.perform(empty) } }
    try await Task.sleep(for: .milliseconds(300))
    let clock = ContinuousClock.now
    pool.close()
    for task in tasks {
      guard case .failed(let failure) = try await task.value else {
        Issue.record("not failed")
        continue
      }
      #expect(failure.code == .cancelled)
    }
    #expect(clock.duration(to: .now) < .seconds(5))
  }
}
