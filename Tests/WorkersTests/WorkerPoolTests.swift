import Foundation
import TesseraPlan
import TesseraSystem
import TesseraTestSupport
import TesseraWorkers
import Testing

@Suite struct WorkerPoolTests {
  @Test func makesFilesAndReportsTheSource() async throws {
    let folder = try TemporaryFolder()
    let pool = try await WorkerPool.start(settings(Places.worker))
    defer { pool.close() }
    #expect(pool.capabilities.libvips.hasPrefix("8."))
    let answer = try await pool.perform(
      job(
        format: "jpeg", size: Size(240, 160), files: [file(120, 80), file(60, 40, .jpeg)],
        placeholders: [.css]),
      of: fixture("plain.jpg"))
    guard case .made(let made) = answer else {
      Issue.record("\(answer)")
      return
    }
    #expect(
      made.result.facts
        == SourceFacts(size: Size(240, 160), hasAlpha: false, frames: 1, colourSpace: "rgb"))
    #expect(made.result.warnings.isEmpty)
    let placeholders = made.result.placeholders
    #expect(placeholders[.css].flatMap { Int($0) } != nil)
    // Nothing that was not requested, but the colour.
    #expect(placeholders[.color] != nil)
    #expect(placeholders[.thumbhash] == nil && placeholders[.blurhash] == nil)
    try Data(try made.bytes(of: 0)).write(to: URL(filePath: folder.path("a.webp")))
    try Data(try made.bytes(of: 1)).write(to: URL(filePath: folder.path("b.jpg")))
    #expect(try Pixels(folder.path("a.webp")).width == 120)
    #expect(try Pixels(folder.path("b.jpg")).height == 40)
  }

  @Test func reportsASourceThatDiffersFromThePlan() async throws {
    let pool = try await WorkerPool.start(settings(Places.worker))
    defer { pool.close() }
    let reply = try await pool.perform(
      job(format: "gif", size: Size(96, 64)), of: fixture("animated.gif"))
    guard case .differs(let facts) = reply else {
      Issue.record("\(reply)")
      return
    }
    #expect(
      facts == SourceFacts(size: Size(96, 64), hasAlpha: true, frames: 6, colourSpace: "rgb"))
  }

  @Test func rejectsASourceOverALimitBeforeDecoding() async throws {
    let pool = try await WorkerPool.start(settings(Places.worker))
    defer { pool.close() }
    let reply = try await pool.perform(
      job(
        format: "gif", size: Size(96, 64), frames: 6, alpha: true, pixels: 96 * 64 * 6 - 1),
      of: fixture("animated.gif"))
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
      job(format: format, size: Size(1, 1)), of: fixture(name))
    guard case .failed(let failure) = reply else {
      Issue.record("\(reply)")
      return
    }
    #expect(failure.code == .decode)
  }

  @Test(
    .faults(.w1, .w2, .w3, .w4, .w5, .w6, .w8, .w15),
    arguments: [
      ("read line <&3; kill -SEGV $$", TranscodeFailure.Code.workerCrashed, "signal 11"),
      ("read line <&3; kill -ABRT $$", .workerCrashed, "signal 6"),
      ("read line <&3; kill -KILL $$", .workerCrashed, "signal 9"),
      ("read line <&3; exit 0", .workerCrashed, "exited with status 0"),
      ("read line <&3; echo garbage >&3; sleep 30", .workerProtocol, "was invalid"),
      (#"read line <&3; echo '{"job":99}' >&3; sleep 30"#, .workerProtocol, "was invalid"),
      (
        #"read line <&3; echo '{"job":1,"message":{"differs":{"_0":{"size":{"width":4611686018427387904,"height":1},"hasAlpha":false,"frames":1}}}}' >&3; sleep 30"#,
        .workerProtocol, "was invalid"
      ),
      (
        #"read line <&3; echo '{"job":1,"message":{"failed":{"_0":{"code":"cancelled","message":""}}}}' >&3; sleep 30"#,
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
      let reply = try await pool.perform(anyJob, of: anySource)
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
    let answers = codes.enumerated().map { index, code in
      #"read line <&3; echo '{"job":\#(index + 1),"message":{"failed":{"_0":{"code":"\#(code)","message":"no"}}}}' >&3"#
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
      let reply = try await pool.perform(anyJob, of: anySource)
      #expect(reply.failure == TranscodeFailure(.decode, "no"))
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
      let reply = try await pool.perform(anyJob, of: anySource)
      #expect(reply.failure == TranscodeFailure(.decode, "no"))
    }
    #expect(try folder.text("started").split(separator: "\n").count == 2)
    // A fresh worker's report is final.
    let other = try TemporaryFolder()
    let second = try await WorkerPool.start(
      settings(try Self.scripted(["out-of-memory"], in: other)))
    defer { second.close() }
    let reply = try await second.perform(anyJob, of: anySource)
    #expect(reply.failure == TranscodeFailure(.outOfMemory, "no"))
    #expect(try other.text("started").split(separator: "\n").count == 1)
  }

  @Test(.faults(.w12)) func aWorkerThatCannotStartIsAnError() async throws {
    await #expect(throws: TesseraError.self) {
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
      job(format: "jpeg", size: Size(240, 160), files: [file(120, 80)]), of: fixture("plain.jpg"))
    guard case .made = reply else {
      Issue.record("\(reply)")
      return
    }
    #expect(pool.statistics.replaced == 0)
  }

  @Test(.faults(.w12)) func aForkServerThatCannotBeReplacedEndsThePool() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("impostor")
    let pool = try await WorkerPool.start(
      settings(
        try impostor("read line <&3; rm '\(path)'; kill -KILL $PPID; exec sleep 30", in: folder)))
    defer { pool.close() }
    for _ in 0..<3 {
      await #expect(throws: TesseraError.self) { try await pool.perform(anyJob, of: anySource) }
    }
  }

  /// The fork server's end is not the image's fault, unless it happens again.
  @Test func aLostForkServerCostsNoJob() async throws {
    let folder = try TemporaryFolder()
    let once = folder.path("once")
    let pool = try await WorkerPool.start(
      settings(
        try impostor(
          """
          read line <&3
          if [ ! -e '\(once)' ]; then touch '\(once)'; kill -KILL $PPID; exec sleep 30; fi
          echo '{"job":1,"message":{"failed":{"_0":{"code":"decode","message":"no"}}}}' >&3
          read line <&3; kill -KILL $PPID; exec sleep 30
          """, in: folder)))
    defer { pool.close() }
    let first = try await pool.perform(anyJob, of: anySource)
    #expect(first.failure == TranscodeFailure(.decode, "no"))
    // The worker of the second server has one job left before it kills that server, too; the third
    // server's worker answers.
    let second = try await pool.perform(anyJob, of: anySource)
    #expect(second.failure == TranscodeFailure(.decode, "no"))
  }

  /// W17: a worker in an uninterruptible system call cannot be ended. A fork server that does not
  /// report looks the same.
  @Test(.faults(.w17)) func aForkServerThatDoesNotReportIsGivenUp() async throws {
    let folder = try TemporaryFolder()
    let once = folder.path("once")
    let pool = try await WorkerPool.start(
      settings(
        try impostor(
          """
          read line <&3
          if [ ! -e '\(once)' ]; then touch '\(once)'; kill -STOP $PPID; sleep 1000; fi
          echo '{"job":1,"message":{"failed":{"_0":{"code":"decode","message":"no"}}}}' >&3
          """, in: folder), seconds: 1))
    defer { pool.close() }
    let start = ContinuousClock.now
    let first = try await pool.perform(anyJob, of: anySource)
    #expect(first.failure?.code == .workerTimeout)
    let second = try await pool.perform(anyJob, of: anySource)
    #expect(second.failure == TranscodeFailure(.decode, "no"))
    // The worker would sleep for 1,000 seconds; the machine may be busy.
    #expect(start.duration(to: .now) < .seconds(300))
  }

  /// W18: what is published is what the worker had made when it replied.
  @Test(.faults(.w18)) func aWorkerCannotChangeFilesAfterItsReply() async throws {
    let folder = try TemporaryFolder()
    let outcome = folder.path("outcome")
    let done = String(
      decoding: WorkerReply.files(
        TranscodeResult(
          facts: anyJob.expected,
          placeholders: Placeholders(),
          warnings: [], lengths: [3])
      ).line(for: 1).dropLast(), as: UTF8.self)
    let pool = try await WorkerPool.start(
      settings(
        try impostor(
          """
          read line <&3
          printf abc >&5
          echo '\(done)' >&3
          sleep 0.5
          printf xyz >&5 || echo denied > '\(outcome)'
          sleep 30
          """, in: folder)))
    defer { pool.close() }
    let answer = try await pool.perform(
      job(format: "jpeg", size: Size(1, 1), files: [file(1, 1)]), of: anySource)
    guard case .made(let files) = answer else {
      Issue.record("\(answer)")
      return
    }
    let end = ContinuousClock.now.advanced(by: .seconds(10))
    // The shell makes the file before it writes to it.
    while (try? folder.text("outcome"))?.isEmpty != false, ContinuousClock.now < end {
      try await Task.sleep(for: .milliseconds(20))
    }
    #expect(try folder.text("outcome") == "denied\n")
    #expect(try files.bytes(of: 0) == Array("abc".utf8))
  }

  /// The reported lengths must be those of the memory, and one for each file of the job.
  @Test(arguments: ["[2]", "[4]", "[]", "[1,2]"])
  func filesThatAreNotThereAreAnInvalidReply(_ lengths: String) async throws {
    let folder = try TemporaryFolder()
    let facts = #"{"size":{"width":1,"height":1},"hasAlpha":false,"frames":1}"#
    let result =
      #"{"facts":\#(facts),"placeholders":{},"warnings":[],"lengths":\#(lengths),"qualities":[]}"#
    let done = #"{"job":1,"message":{"files":{"_0":\#(result)}}}"#
    let pool = try await WorkerPool.start(
      settings(
        try impostor("read line <&3; printf abc >&5; echo '\(done)' >&3; sleep 30", in: folder)))
    defer { pool.close() }
    let answer = try await pool.perform(
      job(format: "jpeg", size: Size(1, 1), files: [file(1, 1)]), of: anySource)
    #expect(answer.failure?.code == .workerProtocol)
  }

  /// Images of one host may share a worker; those of different hosts never do.
  @Test func eachHostHasItsOwnWorker() async throws {
    let folder = try TemporaryFolder()
    let pool = try await WorkerPool.start(
      settings(
        try impostor(
          """
          while read line <&3; do
            job=${line#*'"job":'}; job=${job%%,*}
            echo '{"job":'$job',"message":{"failed":{"_0":{"code":"decode","message":"'$$'"}}}}' >&3
          done
          """, in: folder)))
    defer { pool.close() }
    var workers: [String] = []
    for host in ["a", "a", "b", "a"] {
      let answer = try await pool.perform(
        anyJob, of: JobSource(.file(path: "/dev/null"), host: host))
      workers.append(answer.failure?.message ?? "")
    }
    #expect(workers[0] == workers[1])
    #expect(Set(workers).count == 3)
    #expect(pool.statistics.replaced == 0)
  }

  @Test func closingCancelsAllJobs() async throws {
    let folder = try TemporaryFolder()
    let pool = try await WorkerPool.start(
      settings(try impostor("sleep 1000", in: folder), seconds: 1_000))
    let tasks = (0..<3).map { _ in Task { try await pool.perform(anyJob, of: anySource) } }
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
    // Each job takes 1,000 seconds; the machine may be busy.
    #expect(clock.duration(to: .now) < .seconds(300))
  }

  /// A job that waits for another worker is cancelled, too: its worker no longer starts, which once
  /// ended runs at their deadline with an error and no catalog.
  @Test func closingCancelsAJobWhoseWorkerIsBeingReplaced() async throws {
    let folder = try TemporaryFolder()
    // Another host needs another worker, and this one takes a second to end.
    let pool = try await WorkerPool.start(
      settings(
        try impostor(
          """
          read line <&3
          # Only the first one answers: on a busy machine another may have started before the end.
          mkdir '\(folder.path("first"))' &&
            echo '{"job":1,"message":{"failed":{"_0":{"code":"decode","message":"no"}}}}' >&3
          exec sleep 30
          """, in: folder)))
    let first = try await pool.perform(
      anyJob, of: JobSource(.file(path: "/dev/null"), host: "a"))
    #expect(first.failure?.code == .decode)
    let task = Task {
      try await pool.perform(anyJob, of: JobSource(.file(path: "/dev/null"), host: "b"))
    }
    try await Task.sleep(for: .milliseconds(100))
    pool.close()
    #expect(try await task.value.failure?.code == .cancelled)
  }
}

extension TranscodeAnswer {
  /// Nil unless it failed.
  var failure: TranscodeFailure? {
    guard case .failed(let failure) = self else { return nil }
    return failure
  }
}
