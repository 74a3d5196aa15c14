import TesseraBytes
import TesseraJSON
import TesseraManifest
import TesseraMemoryOutput
import TesseraNet
import TesseraOutput
import TesseraPipelineFile
import TesseraPlan
import TesseraState
import TesseraTestSupport
import TesseraWorkers
import Testing

@testable import TesseraPipeline

/// What an item is when its source cannot be fetched, is not accepted or cannot be decoded.
@Suite struct SourceFailureTests {
  private static let photo = TinyImage.webp(300, 200, "photo")
  private static let other = TinyImage.webp(400, 200, "other")
  private static let page = Array("<!DOCTYPE html><title>Maintenance</title>".utf8)
  private static let url = RunInMemory.url("photo")

  /// A run in which the item "a" with the source "photo" has become `ok`. Its answer is fresh for an
  /// hour.
  private static func begun() async throws -> (RunInMemory, RunInMemory.Outcome) {
    let run = try RunInMemory()
    run.serve("photo", .image(photo, etag: "\"1\"", freshFor: 3_600))
    return (run, try await run.run(["a": "photo"]))
  }

  // MARK: Sources that fail

  /// What a source does after its first good run, what the item then is, and for how long.
  @Test(arguments: [
    ("no connection", FakeFetcher.Answer.unreachable, "stale network", "failed network"),
    ("status 500", .status(500), "stale http-status", "failed http-status"),
    ("status 404", .status(404), "failed http-status", "failed http-status"),
    ("status 410", .status(410), "failed http-status", "failed http-status"),
    ("status 451", .status(451), "failed http-status", "failed http-status"),
    ("a page", .image(page), "stale not-image", "failed not-image"),
    (
      "a forbidden address", .failure(FetchError(.addressRejected, "the address is private")),
      "failed address-rejected", "failed address-rejected"
    ),
  ])
  func aFailureLeavesTheLastFilesForAWhile(
    _ name: String, _ answer: FakeFetcher.Answer, _ soon: String, _ late: String
  ) async throws {
    let (run, first) = try await Self.begun()
    run.serve("photo", answer)
    for (day, expected) in [(1, soon), (30, soon), (30.01, late), (400, late)] {
      run.clock.set(day: day)
      let outcome = try await run.run(["a": "photo"])
      #expect(outcome.items == ["a \(expected)"], "\(name), day \(day)")
      #expect(outcome.decodes == [], "\(name), day \(day)")
      let isStale = expected.hasPrefix("stale")
      #expect(try outcome.paths(0) == (isStale ? first.paths(0) : []), "\(name), day \(day)")
    }
    // The source is back, and its files were never lost.
    run.serve("photo", .image(Self.photo, etag: "\"1\"", freshFor: 3_600))
    let last = try await run.run(["a": "photo"])
    #expect(last.lines == first.lines)
    #expect(last.decodes == [])
  }

  @Test func anotherImageThatIsRejectedReplacesTheLastOne() async throws {
    var (run, _) = try await Self.begun()
    run.file.limits.pixels = 70_000
    run.clock.set(day: 1)
    // Long enough that its header arrives before the rest, which is not read.
    run.serve("photo", .image(TinyImage.webp(400, 200, String(repeating: "x", count: 9_000))))
    let outcome = try await run.run(["a": "photo"])
    #expect(outcome.items == ["a failed too-many-pixels"])
    #expect(outcome.requests == ["\(Self.url) if \"1\" 200 stopped"])
    #expect(try outcome.image(0)["width"]?.intValue == 400)
  }

  @Test func itemsWithOneURLShareAFailure() async throws {
    let run = try RunInMemory()
    run.serve("photo", .unreachable)
    let outcome = try await run.run(["a": "photo", "b": "photo"])
    #expect(outcome.items == ["a failed network", "b failed network"])
    #expect(outcome.requests.count == 1)
    #expect(outcome.reasons["b"]?.prefix(2) == [.unknownSource, .sharedResult])
  }

  @Test func aSlotThatThePipelineLacksIsNotRequested() async throws {
    let run = try RunInMemory()
    let outcome = try await run.run(
      lines: [#"{"id":"a","url":"\#(Self.url)","slots":["poster"]}"#])
    #expect(outcome.items == ["a failed unknown-slot"])
    #expect(outcome.requests == [])
  }

  @Test func retryFailedLeavesGoodItemsAlone() async throws {
    let run = try RunInMemory()
    run.serve("photo", .image(Self.photo, etag: "\"1\""))
    run.serve("stale", .image(Self.other, etag: "\"1\""))
    run.serve("failed", .unreachable)
    _ = try await run.run(["good": "photo", "failed": "failed", "stale": "stale"])
    run.clock.set(day: 1)
    run.serve("stale", .unreachable)
    let second = try await run.run(["good": "photo", "failed": "failed", "stale": "stale"])
    #expect(second.items == ["good ok", "failed failed network", "stale stale network"])
    run.clock.set(day: 2)
    run.serve("stale", .image(Self.other, etag: "\"1\""))
    run.serve("failed", .image(TinyImage.webp(100, 100)))
    let third = try await run.run(
      ["good": "photo", "failed": "failed", "stale": "stale", "new": "photo?2"], onlyFailed: true)
    #expect(third.items.prefix(3) == ["good ok", "failed ok", "stale ok"])
    #expect(
      third.requests.sorted() == [
        RunInMemory.url("failed") + " 200", RunInMemory.url("photo?2") + " 404",
        RunInMemory.url("stale") + " if \"1\" 304",
      ])
    #expect(third.reasons["good"] == [.onlyFailedRequested])
  }

  @Test func theRunsDeadlineFailsNewItemsAndLeavesOthersStale() async throws {
    let (run, _) = try await Self.begun()
    run.clock.set(day: 1)
    run.fetcher.setEnd(.now - .seconds(1))
    let outcome = try await run.run(["a": "photo", "b": "new"])
    #expect(outcome.items == ["a stale run-deadline", "b failed run-deadline"])
    // These failures say nothing about the sources, so however many they are, the run ends well.
    let many = (0..<300).map { #"{"id":"\#($0)","url":"\#(RunInMemory.url("\($0)"))"}"# }
    let second = try await run.run(lines: many)
    #expect(second.report.errors == ["run-deadline": 300])
  }

  @Test func theRunsDeadlineEndsADecode() async throws {
    let run = try RunInMemory()
    run.serve("photo", .image(Self.photo))
    // The workers are closed in the middle of a decode; by then the deadline has passed.
    run.fetcher.setEnd(.now + .milliseconds(200))
    run.transcoder.always(.fail(TranscodeFailure(.cancelled, "the pool was closed")))
    let runContext = try await run.runContext()
    let item = Item(.init(line: 1, id: "a", url: Self.url), position: 0, run.file.fetch)
    let context = ItemContext(item)
    defer { context.close() }
    let known = Known(
      KnownSource(), Verdict(need: .bytes, reason: .unknownSource), now: FakeClock.start)
    let answer = try await SendRequest(runContext).answer(nil, context)
    guard
      case .received(let received) = TakeAnswer(runContext).perform(
        PendingRequest(known, Conditions()), answer, context),
      case .planned(let planned) = try await PlanFiles(runContext).perform(received, context)
    else {
      Issue.record("nothing was planned")
      return
    }
    #expect(received.bytes.digest == SHA256.of(Self.photo))
    run.fetcher.setEnd(.now - .seconds(1))
    let stage = try await Make(try await run.runContext()).perform(planned, context)
    #expect(stage.summary == "failed run-deadline")
    // Without a deadline, closed workers mean that the run was stopped.
    run.fetcher.setEnd(nil)
    let make = Make(try await run.runContext())
    await #expect(throws: CancellationError.self) {
      _ = try await make.perform(planned, context)
    }
  }

  // MARK: Decoders that disagree

  private static let seen = SourceFacts(size: Size(200, 300), hasAlpha: false, frames: 1)

  @Test(arguments: [FakeTranscoder.Behaviour.differ(seen), .makeButSee(seen)])
  func aDecoderCorrectsTheHeaderOnce(_ behaviour: FakeTranscoder.Behaviour) async throws {
    let run = try RunInMemory()
    run.serve("photo", .image(Self.photo))
    run.transcoder.script(behaviour)
    let outcome = try await run.run(["a": "photo"])
    #expect(outcome.items == ["a ok"])
    #expect(outcome.decodes.count == 2)
    #expect(outcome.requests.count == 1)
    #expect(try outcome.image(0)["width"]?.intValue == 200)
    #expect(try outcome.image(0)["height"]?.intValue == 300)
    // The files of the first decode are not published.
    #expect(try outcome.paths(0).sorted() == run.output.paths)
    // The next run plans with what the decoder saw.
    #expect(try await run.run(["b": "photo"]).decodes == [])
  }

  @Test func aDecoderThatDisagreesTwiceFails() async throws {
    let run = try RunInMemory()
    run.serve("photo", .image(Self.photo))
    let third = SourceFacts(size: Size(10, 10), hasAlpha: false, frames: 1)
    run.transcoder.script(.differ(Self.seen), .differ(third))
    let outcome = try await run.run(["a": "photo"])
    #expect(outcome.items == ["a failed worker-protocol"])
    #expect(outcome.decodes.count == 2)
    #expect(run.output.paths == [])
  }

  /// What a worker made is read before it is published (I24): empty files, no images, and images of
  /// another size or with half a header do not belong to the plan.
  @Test(
    .faults(.i24),
    arguments: [
      [], Array("not an image".utf8), TinyImage.webp(1, 1), Array(TinyImage.webp(1, 1).prefix(20)),
    ])
  func aWorkerThatPretendsFailsTheItem(_ bytes: [UInt8]) async throws {
    let run = try RunInMemory()
    run.serve("photo", .image(Self.photo))
    run.transcoder.script(.pretend(bytes))
    #expect(try await run.run(["a": "photo"]).items == ["a failed worker-protocol"])
    #expect(try await run.run(["a": "photo"]).items == ["a ok"])
  }

  /// Sizes and formats are those of the plan, to the pixel.
  @Test func aFileMustBeTheOneOfThePlan() async throws {
    let line = #"{"id":"a","url":"\#(RunInMemory.url("photo"))","slots":["card"]}"#
    func run(_ bytes: [UInt8]?) async throws -> (outcome: RunInMemory.Outcome, paths: [String]) {
      let run = try RunInMemory()
      run.serve("photo", .image(Self.photo))
      if let bytes { run.transcoder.script(.pretend(bytes)) }
      return (try await run.run(lines: [line]), run.output.paths)
    }
    let planned = try await run(nil).outcome.image(0)["variants"]?.arrayValue?.first
    let width = try #require(planned?["width"]?.intValue)
    let height = try #require(planned?["height"]?.intValue)
    let exact = try await run(TinyImage.webp(width, height))
    #expect(exact.outcome.items == ["a ok"])
    #expect(exact.paths.count == 1)
    for bytes in [
      TinyImage.webp(width + 1, height), TinyImage.webp(width, height + 1),
      TinyImage.webp(height, width), TinyImage.png(UInt8(width), UInt8(height)),
    ] {
      let (outcome, paths) = try await run(bytes)
      #expect(outcome.items == ["a failed worker-protocol"])
      #expect(paths == [])
    }
  }

  /// Damage that is accepted under `truncated` is rejected again under `error`, although its files are
  /// there, and accepted again without a decode.
  @Test func aStricterPipelineRejectsAcceptedDamage() async throws {
    var (run, _) = try await Self.begun()
    run.serve("photo", .image(Self.other, etag: "\"2\"", freshFor: 3_600))
    run.clock.set(day: 1)
    run.file.failOn = .truncated
    run.transcoder.always(.makeButWarn([.damaged(.truncated, detail: "odd")]))
    let lax = try await run.run(["a": "photo"])
    #expect(lax.items == ["a ok"])
    #expect(try lax.image(0)["warnings"]?.arrayValue?.count == 1)
    run.file.failOn = .error
    run.transcoder.always(.fail(TranscodeFailure(.decode, "it is damaged")))
    let strict = try await run.run(["a": "photo"])
    #expect(strict.items == ["a failed decode"])
    // It has no files to make, but they would not be made any more.
    #expect(strict.decodes == [0])
    #expect(try strict.paths(0) == [])
    run.file.failOn = .truncated
    let again = try await run.run(["a": "photo"])
    #expect(again.lines == lax.lines)
    #expect(again.decodes == [])
  }

  @Test func aCrashLeavesTheLastFiles() async throws {
    let (run, first) = try await Self.begun()
    run.serve("photo", .image(Self.other, etag: "\"2\""))
    run.transcoder.always(.fail(TranscodeFailure(.workerCrashed, "the worker crashed")))
    for (day, request, decodes) in [
      (1, "if \"1\" 200", [2]), (1.5, "if \"2\" 304", []), (2.5, "if \"1\" 200", [2]),
    ] {
      run.clock.set(day: day)
      let outcome = try await run.run(["a": "photo"])
      #expect(outcome.items == ["a stale worker-crashed"])
      #expect(outcome.requests == ["\(Self.url) \(request)"])
      #expect(outcome.decodes == decodes)
      #expect(try outcome.paths(0) == first.paths(0))
    }
  }
}
