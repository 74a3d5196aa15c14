import TesseraBytes
import TesseraCatalog
import TesseraImageHeader
import TesseraManifest
import TesseraPipelineFile
import TesseraPlan
import TesseraState
import TesseraSystem
import Testing

@testable import TesseraNet
@testable import TesseraPipeline

private typealias Confirmation = TesseraState.Confirmation

/// Layout runs: what they request of a source, and what they make of its first bytes.
@Suite struct ReadHeaderTests {
  private typealias Fetch = ScriptedFetcher

  private static let photo = TinyImage.webp(300, 200, "photo")
  private static let larger = TinyImage.webp(400, 200, "other")

  private static func context(_ run: RunInMemory) -> ItemContext {
    ItemContext(
      Item(ManifestEntry(line: 1, id: "a", url: Fetch.place), position: 5, run.file.fetch))
  }

  /// What earlier runs know of the source.
  enum Known: Sendable {
    case nothing
    /// The bytes of a WebP of 300 x 200, with this validator, and all files.
    case bytes(String?)
    case rejectedBytes(String?)
    case header(String?)
  }

  private static func confirmation(_ etag: String?) -> Confirmation {
    Confirmation(
      etag: etag, lastModified: nil, checked: FakeClock.start - 3_600,
      freshUntil: FakeClock.start - 1_800, run: 0)
  }

  private static func source(_ known: Known) -> KnownSource {
    var source = KnownSource()
    switch known {
    case .nothing: break
    case .header(let etag):
      source.header = HeaderRecord(
        format: "webp", width: 300, height: 200, hasAlpha: false, isAnimated: false,
        confirmation: confirmation(etag), place: Fetch.place)
    case .bytes(let etag), .rejectedBytes(let etag):
      source = .ready(confirmation(etag))
      source.record?.url = Fetch.place
      source.content = ContentRecord(
        format: "webp", facts: SourceFacts(size: Size(300, 200), hasAlpha: false, frames: 1))
      if case .rejectedBytes = known { source.rejection = .example() }
    }
    return source
  }

  private struct Result {
    var outcome: String
    var reasons: [Reason]
    var change: StateStore.SourceChange
    var requests: [FetchRequest]
    var retries: Int
  }

  private static func read(
    _ known: Known, _ answers: [ScriptedFetcher.Answer],
    _ change: (inout RunInMemory) -> Void = { _ in }
  ) async throws -> Result {
    var run = try RunInMemory()
    change(&run)
    let fetcher = ScriptedFetcher(answers)
    let recorder = RunRecorder()
    let runContext = RunContext(
      run.file, .layout, run: 1, onlyFailed: false, clock: run.clock.wallClock, state: run.state,
      fetcher: fetcher, transcoder: run.transcoder, memory: 1, output: run.output,
      workspace: run.workspace, cache: nil, recorder: recorder, lines: try run.lines())
    let context = context(run)
    let source = source(known)
    var stale = source
    stale.record?.confirmation.freshUntil = nil
    stale.header?.confirmation.freshUntil = nil
    let verdict = UseKnownSize(runContext).outcome(stale, Self.context(run)).0
    let outcome = try await ReadHeader(runContext).outcome(source, verdict, context)
    #expect(context.fetching == .milliseconds(10 * fetcher.requests.count))
    return Result(
      outcome: outcome.summary, reasons: context.reasons, change: context.change,
      requests: fetcher.requests, retries: recorder.current.retries)
  }

  @Test func aNewHeaderIsPending() async throws {
    let result = try await Self.read(.nothing, [Fetch.whole(Self.photo)])
    #expect((result.outcome, result.reasons) == ("pending", [.headerRead]))
    #expect(
      result.change.header
        == HeaderRecord(
          format: "webp", width: 300, height: 200, hasAlpha: false, isAnimated: false,
          bytes: Self.photo.count,
          confirmation: Confirmation(
            etag: "\"1\"", lastModified: nil, checked: FakeClock.start, freshUntil: nil, run: 1),
          place: Fetch.place))
    #expect(result.change.source == nil)
    #expect(result.requests.map(\.turn) == [5])
    #expect(result.requests[0].condition == nil)
    let last = try await Self.read(.nothing, [Fetch.whole(Self.photo)]) {
      $0.file.fetch.order = .newestFirst
    }
    #expect(last.requests.map(\.turn) == [-5])
  }

  /// The server has not changed what is known.
  @Test(arguments: [(Known.bytes("\"1\""), "shown"), (.header("\"1\""), "pending")])
  func aNotModifiedConfirmsWhatIsKnown(_ known: Known, _ outcome: String) async throws {
    let result = try await Self.read(known, [Fetch.notModified()])
    #expect((result.outcome, result.reasons) == (outcome, [.notModified]))
    #expect(result.requests[0].condition?.validators.etag == "\"1\"")
    let confirmation = result.change.source?.confirmation ?? result.change.header?.confirmation
    // It stays fresh for as long as before: half an hour.
    #expect(
      confirmation
        == Confirmation(
          etag: "\"1\"", lastModified: nil, checked: FakeClock.start,
          freshUntil: FakeClock.start + 1_800, run: 1))
    #expect((result.change.source == nil) == (result.change.header != nil))
  }

  @Test func aNotModifiedWithoutAConditionFails() async throws {
    let result = try await Self.read(.nothing, [Fetch.notModified()])
    #expect((result.outcome, result.reasons) == ("failed bad-response", []))
  }

  /// What is known, the version and the size that come, and what that results in.
  @Test(
    arguments: [
      (Known.bytes("\"1\""), "\"1\"", true, "shown"), (.bytes("\"1\""), "\"2\"", true, "pending"),
      // Without a validator the size decides.
      (.bytes(nil), "\"2\"", true, "shown"), (.bytes("\"1\""), nil, true, "shown"),
      (.bytes(nil), nil, false, "pending"),
      // After other bytes were rejected, it is not enough.
      (.rejectedBytes(nil), nil, true, "pending"),
      (.rejectedBytes("\"1\""), "\"1\"", true, "shown"),
      // A header alone is known by its version.
      (.header("\"1\""), "\"1\"", true, "pending"),
    ] as [(Known, String?, Bool, String)])
  func aHeaderIsComparedWithWhatIsKnown(
    _ known: Known, _ etag: String?, _ isSameSize: Bool, _ outcome: String
  ) async throws {
    let result = try await Self.read(
      known, [Fetch.whole(isSameSize ? Self.photo : Self.larger, etag: etag)])
    #expect(result.outcome == outcome)
    let isKnown = if case .header = known { true } else { outcome == "shown" }
    #expect(result.reasons == [isKnown ? .sameHeader : .headerRead])
    #expect((result.change.source != nil) == (outcome == "shown"))
    #expect((result.change.header != nil) == (outcome == "pending"))
    // The validators of what only looks the same do not belong to it.
    if case .bytes(let old) = known, outcome == "shown" {
      #expect(result.change.source?.confirmation.etag == old)
    }
  }

  @Test(arguments: [
    (ScriptedFetcher.failure(.httpStatus, status: 404), "failed http-status"),
    (ScriptedFetcher.whole(Array("<!DOCTYPE html><title>x</title>".utf8)), "failed not-image"),
    (ScriptedFetcher.whole(photo), "failed too-many-pixels"),
  ])
  func whatIsRejectedFails(_ answer: @escaping ScriptedFetcher.Answer, _ outcome: String)
    async throws
  {
    let result = try await Self.read(.bytes(nil), [answer, answer]) {
      $0.file.limits.pixels = 300 * 200 - 1
    }
    #expect((result.outcome, result.reasons) == (outcome, []))
    #expect(result.change.header == nil && result.change.source == nil)
  }

  /// A whole run would not fetch it either.
  @Test func aSourceThatIsTooLongFails() async throws {
    for (limit, outcome) in [
      (Self.photo.count, "pending"), (Self.photo.count - 1, "failed too-large"),
    ] {
      let result = try await Self.read(.nothing, [Fetch.whole(Self.photo)]) {
        $0.file.fetch.maximumBytes = limit
      }
      #expect(result.outcome == outcome)
    }
  }

  @Test func errorsOfTheMachineEndTheRun() async throws {
    let error = await #expect(throws: TesseraError.self) {
      _ = try await Self.read(.nothing, [Fetch.failure(.local)])
    }
    #expect(error?.description == "the request failed")
    await #expect(throws: CancellationError.self) {
      _ = try await Self.read(.nothing, [Fetch.failure(.cancelled)])
    }
  }

  @Test func retriesAreCounted() async throws {
    let result = try await Self.read(
      .nothing, [Fetch.failure(.timeout, isRetryable: true), Fetch.whole(Self.photo)]
    ) { $0.file.fetch.retries = 2 }
    #expect((result.outcome, result.retries, result.requests.count) == ("pending", 1, 2))
  }

  // MARK: Sizes that need no request

  private func use(
    _ known: Known, until: Double?, onlyFailed: Bool = false, status: CatalogImage.Status? = nil,
    _ change: (inout PipelineFile) -> Void = { _ in }
  ) throws -> (String?, [Reason]) {
    let run = try RunInMemory()
    var file = run.file
    change(&file)
    let runContext = RunContext(
      file, .layout, run: 1, onlyFailed: onlyFailed, clock: run.clock.wallClock,
      state: run.state, fetcher: run.fetcher, transcoder: run.transcoder, memory: 1,
      output: run.output, workspace: run.workspace, cache: nil, recorder: RunRecorder(),
      lines: try run.lines())
    var source = Self.source(known)
    source.record?.confirmation.freshUntil = until.map { FakeClock.start + $0 }
    source.header?.confirmation.freshUntil = until.map { FakeClock.start + $0 }
    source.lastStatus = status
    let context = Self.context(run)
    let outcome = UseKnownSize(runContext).outcome(source, context).1
    return (outcome?.summary, context.reasons)
  }

  @Test func aKnownSizeIsUsedWhileItIsFresh() throws {
    #expect(try use(.nothing, until: nil) == (nil, [.layoutRun]))
    #expect(try use(.bytes(nil), until: 60) == ("shown", [.layoutRun, .knownSizeFresh]))
    #expect(try use(.header(nil), until: 60) == ("pending", [.layoutRun, .knownSizeFresh]))
    #expect(try use(.bytes(nil), until: -60) == (nil, [.layoutRun]))
    // What is not accepted any more is requested, and rejected.
    #expect(try use(.bytes(nil), until: 60) { $0.accept = [.jpeg] } == (nil, [.layoutRun]))
    #expect(try use(.header(nil), until: 60) { $0.limits.pixels = 1 } == (nil, [.layoutRun]))
    for (status, isLeft) in [
      (CatalogImage.Status.ok, true), (.pending, true), (.stale, false), (.failed, false),
      (nil, false),
    ] as [(CatalogImage.Status?, Bool)] {
      let expected: (String?, [Reason]) =
        isLeft ? ("shown", [.layoutRun, .onlyFailedRequested]) : (nil, [.layoutRun])
      #expect(try use(.bytes(nil), until: -60, onlyFailed: true, status: status) == expected)
      #expect(try use(.bytes(nil), until: -60, status: status) == (nil, [.layoutRun]))
    }
    // For an image service, which makes the variants, the files count for nothing.
    let service = try DeliveredImageTests.pipeline().delivery
    let delivered = try use(.bytes(nil), until: 60) { $0.delivery = service }
    #expect(delivered == ("pending", [.layoutRun, .knownSizeFresh]))
  }
}
