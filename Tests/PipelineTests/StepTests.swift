import TesseraBytes
import TesseraManifest
import TesseraNet
import TesseraOutput
import TesseraPipelineFile
import TesseraPlan
import TesseraState
import TesseraSystem
import TesseraWorkers
import Testing

@testable import TesseraPipeline

/// Each step by itself, at stages that were put together by hand.
@Suite struct StepTests {
  private static let url = "https://images.example/photo"
  private static let photo = TinyImage.webp(300, 200, "photo")
  private static let digest = SHA256.of(photo)

  /// Parts with a cache for sources, which is empty.
  private static func begun() async throws -> (RunInMemory, RunContext) {
    var run = try RunInMemory()
    run.file.fetch.cache = 1_000_000
    return (run, try await run.runContext())
  }

  private static func context(
    _ run: RunInMemory, slots: [String]? = nil, failure: ItemFailure? = nil
  ) -> ItemContext {
    let entry = ManifestEntry(line: 1, id: "a", url: url, slots: slots)
    return ItemContext(
      Item(entry, position: 0, run.file.fetch),
      sharedFailure: failure.map { SharedFailure(failure: $0) })
  }

  // MARK: What is known of a source

  /// What the cases of a table differ in.
  private struct Case: Sendable {
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

  private static func source(_ known: Case, _ run: RunInMemory, _ runContext: RunContext) throws
    -> KnownSource
  {
    let hour = 3_600.0
    let facts = SourceFacts(size: Size(300, 200), hasAlpha: false, frames: 1)
    let plan = Plan(for: facts.planned("webp", focus: nil), settings: run.file.plan)
    let confirmation = Confirmation(
      etag: known.etag, lastModified: nil, checked: FakeClock.start + known.checked * hour,
      freshUntil: known.freshUntil.map { FakeClock.start + $0 * hour }, run: known.run)
    let file = VariantRecord(path: "variants/x", width: 1, height: 1, bytes: 1, sha256: "s")
    var source = KnownSource()
    source.record = SourceRecord(content: digest, confirmation: confirmation, url: known.place)
    source.content = ContentRecord(
      format: "webp", facts: SourceFacts(size: Size(300, 200), hasAlpha: false, frames: 1),
      warnings: [])
    source.filePlan = FilePlan(
      source: ContentKeys(
        content: digest, format: "webp", facts: facts, decode: plan.decode(of: facts.size),
        runContext.names), plan: plan,
      keys: plan.files.map(\.recipe), records: plan.files.map { _ in known.isReady ? file : nil },
      placeholder: Placeholders())
    source.isReady = known.isReady
    if known.hasNewerHeader {
      source.header = HeaderRecord(
        format: "webp", width: 300, height: 200, hasAlpha: false, isAnimated: false,
        confirmation: confirmation)
    }
    if known.isCached {
      let spool = run.workspace.spool("cached")
      try spool.open(.write).write(photo)
      runContext.copies.cache?.keep(spool, as: digest)
    }
    return source
  }

  /// - Parameters:
  ///   - case: nil if nothing is known.
  ///   - rejection: why the last answer could not be shown.
  private static func known(
    _ case: Case?, rejection: RejectionRecord? = nil, _ run: RunInMemory, _ runContext: RunContext
  ) throws -> Known {
    var source = try `case`.map { try Self.source($0, run, runContext) } ?? KnownSource()
    source.rejection = rejection
    return self.known(source, context(run), runContext)
  }

  private static func known(
    _ source: KnownSource, _ context: ItemContext, _ runContext: RunContext
  ) -> Known {
    let now = runContext.clock.now()
    let hasCopy = !source.isFinished && runContext.copies.has(source, of: context.item)
    return Known(source, runContext.verdicts.verdict(source, hasCopy: hasCopy, now: now), now: now)
  }

  /// The question of an item whose source is not fresh.
  private static func conditions(_ known: Known, _ runContext: RunContext) -> Conditions {
    var stale = known.source
    stale.record?.confirmation.freshUntil = nil
    return runContext.verdicts.verdict(
      stale, hasCopy: runContext.copies.cache?.has(digest) == true, now: known.now
    ).conditions
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
      (nil, nil), ([], nil), (["card"], nil), (["hero", "card"], nil),
      (["poster"], "poster"), (["card", "poster"], "poster"), (["Card"], "Card"),
    ] as [([String]?, String?)])
  func checkSlots(_ slots: [String]?, _ unknown: String?) async throws {
    let (run, runContext) = try await Self.begun()
    let failure = CheckItem(runContext).failure(of: Self.context(run, slots: slots).item)
    #expect(failure == unknown.map { .unknownSlot($0, known: run.file.plan.slots.map(\.name)) })
  }

  @Test func useKnown() async throws {
    let table: [(Case, String?)] = [
      (Case(), "shown"),
      (Case(freshUntil: -0.5), nil),
      (Case(freshUntil: nil), nil),
      // The last moment of freshness is the one before.
      (Case(freshUntil: 0), nil),
      // Checked in the future: the clock was set back.
      (Case(checked: 1, freshUntil: 2), nil),
      // Another item of this run has just asked.
      (Case(freshUntil: nil, run: 1), "shown"),
      (Case(isReady: false), nil),
      (Case(isReady: false, isCached: true), "received"),
      (Case(freshUntil: -0.5, isReady: false, isCached: true), nil),
      (Case(hasNewerHeader: true), nil),
      (Case(isCached: true, hasNewerHeader: true), nil),
    ]
    for (index, (known, expected)) in table.enumerated() {
      let (run, runContext) = try await Self.begun()
      let context = Self.context(run)
      let stage = UseKnown(runContext).perform(try Self.known(known, run, runContext), context)
      #expect(stage?.summary == expected, "case \(index)")
      // A copy comes with no answer.
      #expect(stage?.bytes?.response == nil, "case \(index)")
      context.close()
    }
  }

  @Test func useKnownKnowsNothingOfANewSource() async throws {
    let (run, runContext) = try await Self.begun()
    let stage = UseKnown(runContext).perform(
      try Self.known(nil, run, runContext), Self.context(run))
    #expect(stage == nil)
  }

  @Test func useKnownDoesNotRepeatADecodeThatFailed() async throws {
    let failures: [(ItemFailure, String?)] = [
      (.undecodable(TranscodeFailure(.decode, "it is damaged"), nil), nil),
      // A copy is as good as ever when the server cannot be reached.
      (.unreachable(.status(500)), "received"),
    ]
    for (failure, expected) in failures {
      let (run, runContext) = try await Self.begun()
      let context = Self.context(run, failure: failure)
      let known = try Self.known(Case(isReady: false, isCached: true), run, runContext)
      #expect(UseKnown(runContext).perform(known, context)?.summary == expected)
      context.close()
    }
  }

  @Test(
    arguments: [
      (nil, nil, nil),
      (.unreachable(.status(404)), "failed http-status", "failed http-status"),
      (.rejected(.notAnImage), "failed not-image", "failed not-image"),
      // A layout run decodes nothing.
      (.undecodable(TranscodeFailure(.decode, "it is damaged"), nil), "failed decode", nil),
    ] as [(ItemFailure?, String?, String?)])
  func shareFailure(_ failure: ItemFailure?, _ whole: String?, _ layout: String?) async throws {
    let run = try RunInMemory()
    for (includesBytes, expected) in [(true, whole), (false, layout)] {
      let context = Self.context(run, failure: failure)
      let outcome = ShareFailure(includesBytes: includesBytes).outcome(context)
      #expect(outcome?.summary == expected)
      #expect(context.reasons == (expected == nil ? [] : [.sharedResult]))
    }
  }

  /// The ETag that is asked with, and whether a "not modified" would confirm a rejection.
  @Test func ask() async throws {
    let table: [(known: Case?, rejected: String??, etag: String?, confirms: Bool)] = [
      (nil, .none, nil, false),
      (Case(), .none, "\"1\"", false),
      (Case(etag: nil), .none, nil, false),
      // A validator of an unknown place may be another image's.
      (Case(place: nil), .none, nil, false),
      // Without files or bytes to make them from, a "not modified" is of no use.
      (Case(isReady: false), .none, nil, false),
      (Case(isReady: false, isCached: true), .none, "\"1\"", false),
      // The rejected answer is the newer one.
      (nil, "\"2\"", "\"2\"", true),
      (Case(), "\"2\"", "\"2\"", true),
      (Case(isReady: false), "\"2\"", "\"2\"", true),
      // It has no ETag, so that the server is asked about the bytes that are shown.
      (Case(), .some(nil), "\"1\"", false),
      (nil, .some(nil), nil, false),
    ]
    for (index, row) in table.enumerated() {
      let (run, runContext) = try await Self.begun()
      let known = try Self.known(
        row.known, rejection: row.rejected.map { Self.rejection(etag: $0) }, run, runContext)
      let conditions = Self.conditions(known, runContext)
      #expect(conditions.condition?.validators.etag == row.etag, "case \(index)")
      #expect((conditions.rejection != nil) == row.confirms, "case \(index)")
    }
  }

  @Test func askForgetsARejectionAfterAWeek() async throws {
    for (day, isBelieved) in [(0, true), (6, true), (6.01, false), (-1.01, false), (-400, false)] {
      let (run, runContext) = try await Self.begun()
      // It was made a day before day 0.
      run.clock.set(day: day)
      let known = try Self.known(nil, rejection: Self.rejection(etag: "\"2\""), run, runContext)
      let conditions = Self.conditions(known, runContext)
      #expect((conditions.rejection != nil) == isBelieved, "day \(day)")
      #expect((conditions.condition != nil) == isBelieved, "day \(day)")
    }
  }

  @Test func askDoesNotBelieveASingleExamination() async throws {
    let (run, runContext) = try await Self.begun()
    var rejection = Self.rejection(etag: "\"2\"")
    rejection.repeats = 0
    let known = try Self.known(nil, rejection: rejection, run, runContext)
    #expect(Self.conditions(known, runContext).condition == nil)
  }

  /// What a source is used for and what is asked about it agree, whatever the time is meanwhile.
  @Test func oneMomentDecides() async throws {
    let (run, runContext) = try await Self.begun()
    let known = try Self.known(Case(), rejection: Self.rejection(etag: "\"2\""), run, runContext)
    run.clock.set(day: 400)
    #expect(UseKnown(runContext).perform(known, Self.context(run))?.summary == "shown")
    #expect(Self.conditions(known, runContext).rejection != nil)
  }

  private static let notModified = Answer.notModified(
    FakeFetcher.response(etag: "\"1\"", place: url))

  /// What a "not modified" results in.
  @Test func takeNotModified() async throws {
    let pending = Condition(Validators(etag: "\"1\"", lastModified: nil), at: Self.url)
    let table: [(known: Case?, rejected: RejectionRecord?, expected: String, confirms: Bool)] = [
      (Case(), nil, "shown", true),
      (Case(isReady: false, isCached: true), nil, "received", true),
      (Case(isReady: false), nil, "asking for bytes", true),
      (nil, Self.rejection(etag: "\"1\""), "failed decode", false),
      (Case(), Self.rejection(etag: "\"1\""), "failed decode", false),
      // The question was about the bytes that are shown.
      (Case(), Self.rejection(etag: nil), "shown", true),
      // What is unknown is requested.
      (nil, nil, "asking for bytes", false),
    ]
    for (index, row) in table.enumerated() {
      let (run, runContext) = try await Self.begun()
      let context = Self.context(run)
      let known = try Self.known(row.known, rejection: row.rejected, run, runContext)
      let stage = TakeAnswer(runContext).perform(
        PendingRequest(
          known,
          Conditions(
            condition: pending, rejection: row.rejected.flatMap { $0.condition == nil ? nil : $0 })),
        Self.notModified, context)
      #expect(stage.summary == row.expected, "case \(index)")
      #expect((context.change.source != nil) == row.confirms, "case \(index)")
      if let record = context.change.source {
        #expect(record.confirmation.checked == FakeClock.start, "case \(index)")
        // The answer did not say how long it is fresh: as long as the one before, two hours.
        #expect(record.confirmation.freshUntil == FakeClock.start + 7_200, "case \(index)")
        #expect(record.confirmation.run == runContext.run, "case \(index)")
      }
      if case .done(let done) = stage, case .failed(_, let isRemembered) = done.outcome {
        #expect(isRemembered)
      }
      #expect(context.reasons.first == .notModified, "case \(index)")
      context.close()
    }
  }

  /// Otherwise a server that answers 304 to everything would get requests without end.
  @Test func aNotModifiedWithoutAConditionFails() async throws {
    for known in [nil, Case(), Case(isReady: false)] {
      let (run, runContext) = try await Self.begun()
      let context = Self.context(run)
      let stage = TakeAnswer(runContext).perform(
        PendingRequest(try Self.known(known, run, runContext), Conditions()), Self.notModified,
        context)
      #expect(stage.summary == "failed bad-response")
      #expect(context.change.source == nil)
    }
  }

  /// A line is kept if it would say the same.
  @Test(arguments: [
    ("\"1\"", url, "confirmed"), ("\"2\"", url, "doubted"), ("\"1\"", url + "2", "doubted"),
  ])
  func confirmLine(_ etag: String, _ place: String, _ expected: String) async throws {
    let (run, runContext) = try await Self.begun()
    let record = try #require(try Self.source(Case(), run, runContext).record)
    let line = LineReuse.Line(
      .confirmation(of: record), record, 0..<1, KeptLine(freshUntil: 0, places: 1, files: 1))
    let context = Self.context(run)
    let stage = ConfirmLine(SendRequest(runContext), runContext).stage(
      line, .notModified(FakeFetcher.response(etag: etag, place: place)), context)
    #expect(stage.summary == expected)
    #expect(context.reasons == (expected == "confirmed" ? [.notModified] : []))
    #expect((context.change.source != nil) == (expected == "confirmed"))
  }

  @Test func cleanUpsRunOnceAndTheLastOneFirst() throws {
    let context = Self.context(try RunInMemory())
    var order: [Int] = []
    for number in 1...3 { context.atEnd { order.append(number) } }
    context.close()
    context.close()
    #expect(order == [3, 2, 1])
  }
}
