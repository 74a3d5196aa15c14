import TesseraNet
import TesseraPipelineFile
import TesseraPlan
import TesseraState
import TesseraSystem
import TesseraTestSupport
import TesseraWorkers
import Testing

@testable import TesseraPipeline

/// What runs on later days believe of earlier ones.
@Suite struct CalendarTests {
  private static let url = RunInMemory.url("photo")
  private static let photo = TinyImage.webp(300, 200, "photo")
  private static let undecodable = FakeTranscoder.Behaviour.fail(
    TranscodeFailure(.decode, "the image data is damaged"))

  /// What a run does about a source: nothing, ask, fetch, or fetch and decode.
  private enum Effort: String {
    case nothing, asks, fetches, decodes
  }

  private static func effort(_ outcome: RunInMemory.Outcome) -> Effort? {
    let statuses = outcome.requests.map { $0.split(separator: " ").last.map(String.init) }
    switch (statuses, outcome.decodes.count) {
    case ([], 0): return .nothing
    case (["304"], 0): return .asks
    case (["200"], 0), (["stopped"], 0): return .fetches
    case (["200"], 1): return .decodes
    default: return nil
    }
  }

  /// Runs on some days in turn and compares each run's effort.
  private static func expect(
    _ days: [(day: Double, effort: Effort)], _ item: String, in run: RunInMemory,
    _ location: SourceLocation = #_sourceLocation
  ) async throws {
    for (day, effort) in days {
      run.clock.set(day: day)
      let outcome = try await run.run(["a": "photo"])
      #expect(outcome.items == [item], "day \(day)", sourceLocation: location)
      #expect(
        Self.effort(outcome) == effort, "day \(day): \(outcome.requests)",
        sourceLocation: location)
    }
  }

  @Test func bytesThatTwoRunsCouldNotDecodeAreBelievedForAWeek() async throws {
    let run = try RunInMemory()
    run.serve("photo", .image(Self.photo, etag: "\"1\""))
    run.transcoder.always(Self.undecodable)
    try await Self.expect(
      [
        (-1, .decodes), (0, .decodes), (0.01, .asks), (1, .asks), (6, .asks), (7, .asks),
        // The second examination is more than a week ago.
        (8, .decodes), (9, .asks), (15, .asks), (15.01, .decodes),
      ], "a failed decode", in: run)
    // The bytes can be decoded by now, as with another processor or more memory.
    run.transcoder.always(.make)
    try await Self.expect([(16, .asks)], "a failed decode", in: run)
    try await Self.expect([(23, .decodes)], "a ok", in: run)
  }

  @Test func believedBytesAreRequestedWithTheirETag() async throws {
    let run = try RunInMemory()
    run.serve("photo", .image(Self.photo, etag: "\"1\""))
    run.transcoder.always(Self.undecodable)
    try await Self.expect([(0, .decodes), (0, .decodes)], "a failed decode", in: run)
    let third = try await run.run(["a": "photo"])
    #expect(third.requests == ["\(Self.url) if \"1\" 304"])
    #expect(third.reasons["a"]?.prefix(2) == [.rejectedLastTime, .notModified])
    // Other bytes are examined at once.
    run.serve("photo", .image(TinyImage.webp(300, 200, "new"), etag: "\"2\""))
    run.transcoder.always(.make)
    let fourth = try await run.run(["a": "photo"])
    #expect(fourth.items == ["a ok"])
    #expect(fourth.requests == ["\(Self.url) if \"1\" 200"])
  }

  @Test func withoutAnETagBelievedBytesAreFetchedAndNotDecoded() async throws {
    let run = try RunInMemory()
    // A date is not enough to recognize bytes that were rejected.
    run.serve("photo", .image(Self.photo, lastModified: "Thu, 01 Jan 2026 00:00:00 GMT"))
    run.transcoder.always(Self.undecodable)
    try await Self.expect(
      [
        (-1, .decodes), (0, .decodes), (1, .fetches), (6, .fetches),
        // Recognized bytes are not examined, so their week does not begin again.
        (8, .decodes), (9, .fetches),
      ], "a failed decode", in: run)
  }

  @Test func anErrorPageWithAnETagIsBelievedForAWeek() async throws {
    let run = try RunInMemory()
    let page = Array("<!DOCTYPE html><title>Maintenance</title>".utf8)
    run.serve("photo", .image(page, etag: "\"page\""))
    try await Self.expect(
      [(-1, .fetches), (0, .fetches), (1, .asks), (6, .asks), (8, .fetches), (9, .asks)],
      "a failed not-image", in: run)
  }

  @Test func theETagOfAnotherPlaceConfirmsNothing() async throws {
    let run = try RunInMemory()
    run.serve("photo", .image(Self.photo, etag: "\"1\"", place: "https://one.example/"))
    run.transcoder.always(Self.undecodable)
    try await Self.expect([(0, .decodes), (0, .decodes), (1, .asks)], "a failed decode", in: run)
    // Now a redirect leads to another place, with another image under the same ETag.
    run.serve(
      "photo",
      .image(TinyImage.webp(100, 100), etag: "\"1\"", place: "https://two.example/"))
    run.transcoder.always(.make)
    let outcome = try await run.run(["a": "photo"])
    #expect(outcome.items == ["a ok"])
    #expect(outcome.requests == ["\(Self.url) 200"])
  }

  @Test func retryFailedExaminesBelievedBytesAgain() async throws {
    let run = try RunInMemory()
    run.serve("photo", .image(Self.photo, etag: "\"1\""))
    run.transcoder.always(Self.undecodable)
    try await Self.expect([(0, .decodes), (0, .decodes), (1, .asks)], "a failed decode", in: run)
    let outcome = try await run.run(["a": "photo"], onlyFailed: true)
    #expect(Self.effort(outcome) == .decodes)
  }

  // MARK: What may pass

  private static let crash = FakeTranscoder.Behaviour.fail(
    TranscodeFailure(.workerCrashed, "the worker crashed on this image"))
  private static let timeout = FakeTranscoder.Behaviour.fail(
    TranscodeFailure(.workerTimeout, "the image took longer than 60 s"))

  @Test(arguments: [
    ("worker-crashed", crash), ("worker-timeout", timeout),
    ("out-of-memory", .fail(TranscodeFailure(.outOfMemory, "the image needed more memory"))),
  ])
  func whatMayPassIsRetriedWithBackOff(
    _ code: String, _ behaviour: FakeTranscoder.Behaviour
  ) async throws {
    let run = try RunInMemory()
    run.serve("photo", .image(Self.photo, etag: "\"1\""))
    run.transcoder.always(behaviour)
    try await Self.expect(
      [
        (0, .decodes), (0.1, .asks), (1, .asks), (1.01, .decodes), (3, .asks), (3.02, .decodes),
        (7, .asks), (7.03, .decodes), (14, .asks), (14.04, .decodes), (21, .asks),
        (21.05, .decodes),
      ], "a failed \(code)", in: run)
    // The next attempt may succeed.
    run.transcoder.always(.make)
    try await Self.expect([(28, .asks)], "a failed \(code)", in: run)
    try await Self.expect([(28.06, .decodes), (28.07, .asks)], "a ok", in: run)
  }

  @Test func withoutAnETagBytesThatCrashedAreFetchedAndNotDecoded() async throws {
    let run = try RunInMemory()
    run.serve("photo", .image(Self.photo))
    run.transcoder.always(Self.crash)
    try await Self.expect(
      [(0, .decodes), (0.5, .fetches), (1, .fetches), (1.01, .decodes), (2, .fetches)],
      "a failed worker-crashed", in: run)
    // Other bytes are tried at once.
    run.serve("photo", .image(TinyImage.webp(300, 200, "new")))
    run.transcoder.always(.make)
    try await Self.expect([(2, .decodes)], "a ok", in: run)
  }

  @Test func theBackOffEndsWithTheBytesTheSettingsOrRetryFailed() async throws {
    var run = try RunInMemory()
    run.serve("photo", .image(Self.photo, etag: "\"1\""))
    run.transcoder.always(Self.timeout)
    try await Self.expect([(0, .decodes), (0.1, .asks)], "a failed worker-timeout", in: run)
    // What another limit allows is not known.
    run.file.limits.time = .seconds(90)
    try await Self.expect([(0.2, .decodes), (0.3, .asks)], "a failed worker-timeout", in: run)
    // Nor what more memory allows, though the limit of the pipeline is the same.
    run.workerMemory *= 2
    try await Self.expect([(0.4, .decodes), (0.5, .asks)], "a failed worker-timeout", in: run)
    let retried = try await run.run(["a": "photo"], onlyFailed: true)
    #expect(Self.effort(retried) == .decodes)
    // That was the second failure in a row.
    try await Self.expect([(2.4, .asks), (2.6, .decodes)], "a failed worker-timeout", in: run)
    run.serve("photo", .image(TinyImage.webp(300, 200, "new"), etag: "\"2\""))
    run.transcoder.always(.make)
    try await Self.expect([(2.7, .decodes)], "a ok", in: run)
  }

  @Test func whyNamesTheNextAttempt() async throws {
    let run = try RunInMemory()
    run.serve("photo", .image(Self.photo, etag: "\"1\""))
    run.transcoder.always(Self.crash)
    _ = try await run.run(["a": "photo"])
    let second = try await run.run(["a": "photo"])
    let until = FakeClock.start + 86_400
    #expect(
      second.reasons["a"]?.prefix(3)
        == [.rejectedLastTime, .notModified, .backOff(failures: 1, until: until)])
    run.serve("photo", .image(Self.photo))
    let third = try await run.run(["a": "photo"])
    #expect(
      third.reasons["a"]?.prefix(3)
        == [.rejectedLastTime, .sameRejectedBytes, .backOff(failures: 1, until: until)])
  }

  /// A kept copy that crashes a worker needs no request, so nothing but its bytes can be recognized.
  @Test func aKeptCopyThatCrashesIsRememberedToo() async throws {
    var run = try RunInMemory()
    run.file.fetch.cache = 1_000_000
    run.serve("photo", .image(Self.photo, etag: "\"1\"", freshFor: 2 * 86_400))
    try await Self.expect([(0, .decodes)], "a ok", in: run)
    run.file.plan.quality[.webp] = 50
    run.transcoder.always(Self.crash)
    for (day, decodes) in [(0.1, 1), (0.2, 0), (1, 0), (1.2, 1), (1.3, 0), (3, 0), (3.3, 1)] {
      run.clock.set(day: day)
      let outcome = try await run.run(["a": "photo"])
      #expect(outcome.items == ["a failed worker-crashed"], "day \(day)")
      #expect(outcome.decodes.count == decodes, "day \(day): \(outcome.requests)")
      #expect(outcome.requests.allSatisfy { $0.hasSuffix(" 304") }, "\(outcome.requests)")
    }
  }

  /// Remembered failures are not a reason to stop a run, however many there are.
  @Test func onlyNewFailuresStopARun() async throws {
    var run = try RunInMemory()
    let names = (0..<150).map { "\($0)" }
    for name in names { run.serve(name, .image(TinyImage.webp(300, 200, name), etag: "\"1\"")) }
    let lines = names.map { #"{"id":"\#($0)","url":"\#(RunInMemory.url($0))"}"# }
    run.transcoder.always(Self.crash)
    await #expect(throws: TesseraError.self) { try await run.run(lines: lines) }
    run.file.failAbove = 100
    _ = try await run.run(lines: lines)
    run.file.failAbove = 90
    let last = try await run.run(lines: lines)
    #expect(last.report.errors == ["worker-crashed": 150])
    #expect(last.decodes == [])
    // A day later they are tried again.
    run.clock.set(day: 3)
    await #expect(throws: TesseraError.self) { try await run.run(lines: lines) }
  }

  // MARK: A clock that was wrong

  /// Without a correction the item would be stale for as long as the clock was ahead, and a month.
  @Test(.faults(.f12)) func aSourceConfirmedInTheFutureIsNotStaleForever() async throws {
    let run = try RunInMemory()
    run.serve("photo", .image(Self.photo, etag: "\"1\"", freshFor: 3_600))
    try await Self.expect([(400, .decodes)], "a ok", in: run)
    run.serve("photo", .unreachable)
    for (day, item) in [
      (0.0, "a stale network"), (30, "a stale network"), (30.01, "a failed network"),
      (400, "a failed network"),
    ] {
      run.clock.set(day: day)
      #expect(try await run.run(["a": "photo"]).items == [item], "day \(day)")
    }
    run.serve("photo", .image(Self.photo, etag: "\"1\"", freshFor: 3_600))
    run.clock.set(day: 31)
    #expect(try await run.run(["a": "photo"]).items == ["a ok"])
  }

  @Test func aRejectionFromTheFutureIsNotBelieved() async throws {
    let run = try RunInMemory()
    run.serve("photo", .image(Self.photo, etag: "\"1\""))
    run.transcoder.always(Self.undecodable)
    try await Self.expect(
      [
        (0, .decodes), (0, .decodes), (1, .asks),
        // The clock was set back; a week of that calendar begins.
        (-400, .decodes), (-399, .asks), (-393, .asks), (-392, .decodes),
        // And it is right again.
        (2, .decodes), (3, .asks),
      ], "a failed decode", in: run)
  }

  @Test func anAnswerFromTheFutureIsNotFresh() async throws {
    let run = try RunInMemory()
    run.serve("photo", .image(Self.photo, etag: "\"1\"", freshFor: 30 * 86_400))
    try await Self.expect(
      [
        (0, .decodes), (29, .nothing),
        // The clock was set back.
        (-400, .asks), (-399, .nothing), (-371, .nothing), (-370, .asks),
        // And it is right again.
        (1, .asks), (30, .nothing), (31, .asks),
      ], "a ok", in: run)
  }

  @Test func withoutALifetimeEveryRunAsks() async throws {
    let run = try RunInMemory()
    run.serve("photo", .image(Self.photo, etag: "\"1\""))
    try await Self.expect([(0, .decodes), (0, .asks), (1, .asks), (-400, .asks)], "a ok", in: run)
  }
}
