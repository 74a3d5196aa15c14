import TesseraBytes
import TesseraFetch
import TesseraManifest
import TesseraOutput
import TesseraPipelineFile
import TesseraPlaceholder
import TesseraPlan
import TesseraState
import TesseraSystem
import TesseraWire
import Testing

@testable import TesseraPipeline

/// Each step by itself, on work that was put together by hand.
@Suite struct StepTests {
  private static let url = "https://images.example/photo"
  private static let photo = TinyImage.webp(300, 200, "photo")
  private static let digest = SHA256.of(photo)

  /// Parts with a cache for sources, which is empty.
  private static func begun() async throws -> (RunInMemory, RunParts) {
    var run = try RunInMemory()
    run.file.fetch.cache = 1_000_000
    return (run, try await run.parts())
  }

  private static func work(
    _ run: RunInMemory, slots: [String]? = nil, finding: ItemFailure? = nil,
    isRemembered: Bool = false
  ) -> Work {
    let entry = ManifestEntry(line: 1, id: "a", url: url, slots: slots)
    return Work(
      Item(entry, position: 0, run.file.fetch),
      sharedFailure: finding.map { SharedFailure(failure: $0, isRemembered: isRemembered) })
  }

  // MARK: What is known of a source

  /// What the cases of a table differ in.
  private struct Known: Sendable {
    var etag: String? = "\"1\""
    /// In hours from now.
    var checked = -1.0
    var freshUntil: Double? = 1
    var run = 0
    /// The URL after redirects; records of early versions have none.
    var place: String? = StepTests.url
    /// Whether all files are there.
    var isReady = true
    /// Whether the cache has the bytes.
    var isCached = false
    var hasNewerHeader = false
  }

  private static func source(_ known: Known, _ run: RunInMemory, _ parts: RunParts) throws
    -> KnownSource
  {
    let hour = 3_600.0
    let facts = SourceFacts(size: Size(300, 200), hasAlpha: false, frames: 1)
    let plan = Plan(for: facts.planned("webp", focus: nil), settings: run.file.plan)
    let confirmation = Confirmation(
      etag: known.etag, lastModified: nil, checked: FakeClock.start + known.checked * hour,
      freshUntil: known.freshUntil.map { FakeClock.start + $0 * hour }, run: known.run)
    let file = VariantRecord(path: "variants/x", width: 1, height: 1, bytes: 1)
    var source = KnownSource()
    source.record = SourceRecord(content: digest, confirmation: confirmation, url: known.place)
    source.content = ContentRecord(
      format: "webp", width: 300, height: 200, hasAlpha: false, frames: 1, warnings: [])
    source.filePlan = FilePlan(
      content: digest, facts: facts, decode: plan.decode(of: facts.size), plan: plan,
      keys: plan.files.map(\.recipe), records: plan.files.map { _ in known.isReady ? file : nil },
      placeholderKey: "placeholder",
      placeholder: Placeholders(color: nil, thumbHash: "", blurHash: "", lqip: ""))
    source.isReady = known.isReady
    if known.hasNewerHeader {
      source.header = HeaderRecord(
        format: "webp", width: 300, height: 200, hasAlpha: false, isAnimated: false,
        confirmation: confirmation)
    }
    if known.isCached {
      let spool = run.workspace.spool("cached")
      try spool.open(.write).write(photo)
      parts.copies.cache?.keep(spool, as: digest)
    }
    return source
  }

  /// A rejection that two runs agreed on a day ago.
  private static func rejection(etag: String?) -> RejectionRecord {
    var record = RejectionRecord(
      settings: "", kind: .undecodable, code: "decode", details: #"["worker","it is damaged"]"#,
      content: digest, etag: etag, place: url,
      seen: FakeClock.start - 86_400)
    record.repeats = 1
    return record
  }

  // MARK: Steps

  @Test(
    arguments: [
      (nil, "next"), ([], "next"), (["card"], "next"), (["hero", "card"], "next"),
      (["poster"], "failed unknown-slot"), (["card", "poster"], "failed unknown-slot"),
      (["Card"], "failed unknown-slot"),
    ] as [([String]?, String)])
  func checkSlots(_ slots: [String]?, _ expected: String) async throws {
    let (run, parts) = try await Self.begun()
    let decision = try await CheckItem(parts).perform(Self.work(run, slots: slots))
    #expect(decision.summary == expected)
  }

  @Test func useKnown() async throws {
    let table: [(Known, String)] = [
      (Known(), "shown"),
      (Known(freshUntil: -0.5), "next"),
      (Known(freshUntil: nil), "next"),
      // The last moment of freshness is the one before.
      (Known(freshUntil: 0), "next"),
      // Checked in the future: the clock was set back.
      (Known(checked: 1, freshUntil: 2), "next"),
      // Another item of this run has just asked.
      (Known(freshUntil: nil, run: 1), "shown"),
      (Known(isReady: false), "next"),
      (Known(isReady: false, isCached: true), "go to plan"),
      (Known(freshUntil: -0.5, isReady: false, isCached: true), "next"),
      (Known(hasNewerHeader: true), "next"),
      (Known(isCached: true, hasNewerHeader: true), "next"),
    ]
    for (index, (known, expected)) in table.enumerated() {
      let (run, parts) = try await Self.begun()
      let work = Self.work(run)
      work.source = try Self.source(known, run, parts)
      #expect(try await UseKnown(parts).perform(work).summary == expected, "case \(index)")
      #expect((work.bytes != nil) == (expected == "go to plan"), "case \(index)")
      #expect(work.bytes?.isCopy ?? true, "case \(index)")
      work.close()
    }
  }

  @Test func useKnownKnowsNothingOfANewSource() async throws {
    let (run, parts) = try await Self.begun()
    #expect(try await UseKnown(parts).perform(Self.work(run)).summary == "next")
  }

  @Test func useKnownDoesNotRepeatADecodeThatFailed() async throws {
    let failures: [(ItemFailure, String)] = [
      (.undecodable(TranscodeFailure(.decode, "it is damaged"), nil), "next"),
      // A copy is as good as ever when the server cannot be reached.
      (.unreachable(.status(500)), "go to plan"),
    ]
    for (finding, expected) in failures {
      let (run, parts) = try await Self.begun()
      let work = Self.work(run, finding: finding)
      work.source = try Self.source(Known(isReady: false, isCached: true), run, parts)
      #expect(try await UseKnown(parts).perform(work).summary == expected)
      work.close()
    }
  }

  @Test(
    arguments: [
      (nil, "next", "next"),
      (.unreachable(.status(404)), "failed http-status", "failed http-status"),
      (.refused(.notAnImage), "failed not-image", "failed not-image"),
      // A layout run decodes nothing.
      (.undecodable(TranscodeFailure(.decode, "it is damaged"), nil), "failed decode", "next"),
    ] as [(ItemFailure?, String, String)])
  func shareFinding(_ finding: ItemFailure?, _ whole: String, _ layout: String) async throws {
    let run = try RunInMemory()
    for (includesBytes, expected) in [(true, whole), (false, layout)] {
      let work = Self.work(run, finding: finding)
      let step = ShareFailure(includesBytes: includesBytes)
      #expect(try await step.perform(work).summary == expected)
      #expect(work.reasons == (expected == "next" ? [] : [.sharedResult]))
    }
  }

  /// The ETag that is asked with, and whether a "not modified" would confirm a rejection.
  @Test func ask() async throws {
    let table:
      [(known: Known?, rejected: String??, needsBytes: Bool, etag: String?, confirms: Bool)] =
        [
          (nil, .none, false, nil, false),
          (Known(), .none, false, "\"1\"", false),
          (Known(etag: nil), .none, false, nil, false),
          // A validator of an unknown place may be another image's.
          (Known(place: nil), .none, false, nil, false),
          // Without files or bytes to make them from, a "not modified" is of no use.
          (Known(isReady: false), .none, false, nil, false),
          (Known(isReady: false, isCached: true), .none, false, "\"1\"", false),
          // The rejected answer is the newer one.
          (nil, "\"2\"", false, "\"2\"", true),
          (Known(), "\"2\"", false, "\"2\"", true),
          (Known(isReady: false), "\"2\"", false, "\"2\"", true),
          // It has no ETag, so that the server is asked about the bytes that are shown.
          (Known(), .some(nil), false, "\"1\"", true),
          (nil, .some(nil), false, nil, true),
          // The last "not modified" was useless.
          (Known(), "\"2\"", true, nil, false),
          (Known(), .none, true, nil, false),
        ]
    for (index, row) in table.enumerated() {
      let (run, parts) = try await Self.begun()
      let work = Self.work(run)
      if let known = row.known { work.source = try Self.source(known, run, parts) }
      if let etag = row.rejected { work.source.rejection = Self.rejection(etag: etag) }
      work.needsBytes = row.needsBytes
      #expect(try await Ask(parts).perform(work).summary == "next", "case \(index)")
      #expect(work.question.condition?.validators.etag == row.etag, "case \(index)")
      #expect((work.question.rejection != nil) == row.confirms, "case \(index)")
    }
  }

  @Test func askForgetsARejectionAfterAWeek() async throws {
    for (day, isBelieved) in [(0, true), (6, true), (6.01, false), (-1.01, false), (-400, false)] {
      let (run, parts) = try await Self.begun()
      let work = Self.work(run)
      // It was made a day before day 0.
      work.source.rejection = Self.rejection(etag: "\"2\"")
      run.clock.set(day: day)
      _ = try await Ask(parts).perform(work)
      #expect((work.question.rejection != nil) == isBelieved, "day \(day)")
      #expect((work.question.condition != nil) == isBelieved, "day \(day)")
    }
  }

  @Test func askDoesNotBelieveASingleExamination() async throws {
    let (run, parts) = try await Self.begun()
    let work = Self.work(run)
    work.source.rejection = Self.rejection(etag: "\"2\"")
    work.source.rejection?.repeats = 0
    _ = try await Ask(parts).perform(work)
    #expect(work.question.condition == nil)
  }

  /// What a "not modified" results in.
  @Test func revalidate() async throws {
    let table: [(known: Known?, rejected: RejectionRecord?, expected: String, confirms: Bool)] = [
      (Known(), nil, "shown", true),
      (Known(isReady: false, isCached: true), nil, "go to plan", true),
      (Known(isReady: false), nil, "go to ask", true),
      (nil, Self.rejection(etag: "\"1\""), "failed decode", false),
      (Known(), Self.rejection(etag: "\"1\""), "failed decode", false),
      // The question was about the bytes that are shown.
      (Known(), Self.rejection(etag: nil), "shown", true),
    ]
    for (index, row) in table.enumerated() {
      let (run, parts) = try await Self.begun()
      let work = Self.work(run)
      if let known = row.known { work.source = try Self.source(known, run, parts) }
      work.question.rejection = row.rejected
      work.response = FakeFetcher.response(etag: "\"1\"", place: Self.url)
      let decision = try await Revalidate(parts).perform(work)
      #expect(decision.summary == row.expected, "case \(index)")
      #expect(work.needsBytes == (row.expected == "go to ask"), "case \(index)")
      #expect((work.change.source != nil) == row.confirms, "case \(index)")
      if let record = work.change.source {
        #expect(record.confirmation.checked == FakeClock.start, "case \(index)")
        // The answer did not say how long it is fresh: as long as the one before, two hours.
        #expect(record.confirmation.freshUntil == FakeClock.start + 7_200, "case \(index)")
        #expect(record.confirmation.run == parts.run, "case \(index)")
      }
      #expect(work.reasons.first == .notModified, "case \(index)")
      work.close()
    }
  }

  @Test func revalidateNeedsSomethingThatIsKnown() async throws {
    let (run, parts) = try await Self.begun()
    let work = Self.work(run)
    let step = Revalidate(parts)
    await #expect(throws: PipelineError.self) { _ = try await step.perform(work) }
    work.response = FakeFetcher.response(etag: nil, place: Self.url)
    await #expect(throws: PipelineError.self) { _ = try await step.perform(work) }
  }

  @Test func cleanUpsRunOnceAndTheLastOneFirst() throws {
    let work = Self.work(try RunInMemory())
    var order: [Int] = []
    for number in 1...3 { work.atEnd { order.append(number) } }
    work.close()
    work.close()
    #expect(order == [3, 2, 1])
  }
}
