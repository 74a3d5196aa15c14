import Foundation
import TesseraPlaceholder
import TesseraPlan
import TesseraTestSupport
import TesseraWire
import TesseraWorkers
import Testing

private func settings(_ executable: String, seconds: Int = 20, count: Int = 1) -> WorkerSettings {
  WorkerSettings(
    executable: executable, count: count, memory: 2_000_000_000, time: .seconds(seconds),
    sources: Places.root.path, results: FileManager.default.temporaryDirectory.path)
}

private func job(
  _ source: String, format: String, size: Size, frames: Int = 1, alpha: Bool = false,
  pixels: Int = 100_000_000, outputs: [TranscodeJob.Output]
) -> TranscodeJob {
  TranscodeJob(
    identifier: 1, source: source, format: format,
    expected: SourceFacts(size: size, hasAlpha: alpha, frames: frames),
    decode: DecodePlan(base: size, isAnimated: false, keepsProfile: false), failOn: .error,
    maximumPixels: pixels,
    maximumFrames: 100, outputs: outputs)
}

private func output(_ path: String, _ width: Int, _ height: Int, _ format: OutputFormat = .webp)
  -> TranscodeJob.Output
{
  .init(
    path: path,
    file: PlannedFile(
      crop: nil, size: Size(width, height),
      encoding: Encoding(
        format: format, quality: 80, effort: 4, background: nil, isAnimated: false),
      fallback: nil))
}

/// A program that plays a worker: a shell script with the channel on descriptor 3.
private func impostor(_ body: String, in folder: TemporaryFolder) throws -> String {
  let hello = #"printf '{"protocol":7,"libvips":"0.0.0","landlock":0,"seccomp":false}\n' >&3"#
  let path = try folder.write("#!/bin/sh\n\(hello)\n\(body)\n", to: "impostor")
  try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
  return path
}

@Suite struct WorkersTests {
  @Test func makesFilesAndTellsWhatItSaw() async throws {
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

  @Test func saysSoWhenTheSourceIsNotWhatThePlanWasMadeFor() async throws {
    let pool = try await WorkerPool.start(settings(Places.worker))
    defer { pool.close() }
    let reply = try await pool.perform(
      job(Places.fixture("animated.gif").path, format: "gif", size: Size(96, 64), outputs: []))
    #expect(
      reply
        == .differs(
          SourceFacts(size: Size(96, 64), hasAlpha: true, frames: 6, colourSpace: "rgb")))
  }

  @Test func refusesWhatIsOverALimitBeforeDecodingIt() async throws {
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

  /// A format's loader is called by name: bytes of another format are an error, not a guess.
  @Test(arguments: [
    ("plain.jpg", "png"), ("transparent.png", "gif"), ("animated.gif", "webp"),
    ("lossy.webp", "jpeg"),
  ])
  func neverGuessesAFormat(_ name: String, _ format: String) async throws {
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
    ("read line <&3; echo garbage >&3; sleep 30", .workerProtocol, "made no sense"),
    (#"read line <&3; echo '{"job":99}' >&3; sleep 30"#, .workerProtocol, "made no sense"),
    (
      #"read line <&3; echo '{"job":1,"differs":{"width":4611686018427387904,"height":1,"alpha":false,"frames":1}}' >&3; sleep 30"#,
      .workerProtocol, "made no sense"
    ),
    (
      #"read line <&3; echo '{"job":1,"failed":{"code":"cancelled","message":""}}' >&3; sleep 30"#,
      .workerProtocol, "made no sense"
    ),
    ("read line <&3; head -c 9000000 /dev/zero >&3; sleep 30", .workerProtocol, "made no sense"),
    ("read line <&3; sleep 30", .workerTimeout, "longer than 1 s"),
    ("read line <&3; exec 3>&-; sleep 30", .workerCrashed, "did not answer and was killed"),
    ("sleep 30", .workerTimeout, "longer than 1 s"),
    ("read line <&3; kill -STOP $$", .workerTimeout, "longer than 1 s"),
    ("read line <&3; kill -TRAP $$", .outOfMemory, "limits.memory"),
  ])
  func aWorkerThatMisbehavesCostsOneJobAndIsReplaced(
    _ script: String, _ code: TranscodeFailure.Code, _ sentence: String
  ) async throws {
    let folder = try TemporaryFolder()
    // The limit is short where it is what is looked at.
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

  /// Answers each job with one failure after the other, and notes its process on starting.
  private static func scripted(_ codes: [String], in folder: TemporaryFolder) throws -> String {
    let answers = codes.map { code in
      #"read line <&3; echo '{"job":1,"failed":{"code":"\#(code)","message":"no"}}' >&3"#
    }
    return try impostor(
      "echo $$ >> '\(folder.path("started"))'\n" + answers.joined(separator: "\n")
        + "\nread line <&3",
      in: folder)
  }

  /// Whatever a worker leaks ends with it: it is replaced after a number of jobs.
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

  /// A used worker that says it has no memory is not believed: a fresh one does the job again.
  @Test func whatIsSaidOfMemoryIsBelievedOfAFreshWorkerAlone() async throws {
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
    // One that is fresh is believed.
    let other = try TemporaryFolder()
    let second = try await WorkerPool.start(
      settings(try Self.scripted(["out-of-memory"], in: other)))
    defer { second.close() }
    let reply = try await second.perform(
      job("/nowhere", format: "jpeg", size: Size(1, 1), outputs: []))
    #expect(reply == .failed(TranscodeFailure(.outOfMemory, "no")))
    #expect(try other.text("started").split(separator: "\n").count == 1)
  }

  @Test func aWorkerThatNeverStartsEndsThePoolWithASentence() async throws {
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
  /// after some idle seconds, and took the first worker with them, in the middle of its job.
  @Test func workersOutliveTheThreadThatAskedForThem() async throws {
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
    // Libdispatch lets idle threads go after five seconds.
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

  @Test func workersThatCannotBeReplacedEndTheRunAndNotInAStorm() async throws {
    let folder = try TemporaryFolder()
    let path = try impostor("read line <&3; rm \"$0\"; kill -KILL $$", in: folder)
    let pool = try await WorkerPool.start(settings(path))
    defer { pool.close() }
    let empty = job("/nowhere", format: "jpeg", size: Size(1, 1), outputs: [])
    _ = try await pool.perform(empty)
    await #expect(throws: WorkerStartError.self) { try await pool.perform(empty) }
    await #expect(throws: WorkerStartError.self) { try await pool.perform(empty) }
  }

  @Test func closingEndsEverythingThatWaits() async throws {
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

  @Test func messagesSurviveTheWire() throws {
    var job = job(
      "/a \"b\"\n", format: "png", size: Size(3, 4), frames: 2, alpha: true,
      outputs: [output("/x", 1, 2, .png)])
    job.outputs[0].file.crop = Crop(x: 1, y: 2, size: Size(3, 4))
    job.outputs[0].file.encoding.background = Colour(red: 1, green: 2, blue: 255)
    #expect(try TranscodeJob(line: Array(job.line.dropLast())) == job)
    job.decode.isAnimated = true
    job.decode.keepsProfile = true
    job.failOn = .truncated
    job.outputs[0].file.encoding.metadata = [.icc, .exif, .location]
    job.outputs[0].file.crop = Crop(Size(3, 4), .found(.entropy))
    #expect(try TranscodeJob(line: Array(job.line.dropLast())) == job)
    let replies: [TranscodeReply] = [
      .done(
        job.expected, Placeholders(color: nil, thumbHash: "A", blurHash: "B", lqip: "C"),
        warnings: ["a", "b"]),
      .done(
        job.expected, Placeholders(color: "#010203", thumbHash: "A", blurHash: "B", lqip: "C"),
        warnings: []), .differs(job.expected),
      .failed(TranscodeFailure(.decode, "no")),
    ]
    for reply in replies {
      #expect(try TranscodeReply(line: Array(reply.line(for: 7).dropLast()), for: 7) == reply)
      #expect(throws: WireError.self) {
        try TranscodeReply(line: Array(reply.line(for: 7).dropLast()), for: 8)
      }
    }
  }
}
