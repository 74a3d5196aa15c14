import TesseraBytes
import TesseraImageHeader
import TesseraManifest
import TesseraOutput
import TesseraPipelineFile
import TesseraSystem
import TesseraWorkers
import Testing

@testable import TesseraNet
@testable import TesseraPipeline

/// The attempts at one source: what is requested after what.
@Suite struct SourceTransferTests {
  typealias Fetch = ScriptedFetcher

  private static let bytes = TinyImage.webp(300, 200, "a photo with some bytes")
  private static let count = bytes.count
  private static let rest = Array(bytes[20...])
  private static let other = TinyImage.webp(300, 200, "other photo with the same")

  private struct Result {
    /// What came of it, in words.
    var outcome = ""
    var requests: [String] = []
    var retries = 0
    var fetching = Duration.zero
    /// Whether a file is left in the spool.
    var hasSpool = false
  }

  private static func words(_ request: FetchRequest) -> String {
    let range = request.range.map { "\($0.lowerBound)-\($0.upperBound)" } ?? "all"
    return [range, request.ifRange, request.condition.map { "if \($0.validators.etag ?? "")" }]
      .compactMap(\.self).joined(separator: " ")
  }

  private static func transfer(
    _ answers: [Fetch.Answer], retries: Int = 3, condition: Condition? = nil,
    order: PipelineFile.Order = .manifest
  ) async throws -> (result: Result, fetcher: ScriptedFetcher) {
    var run = try RunInMemory()
    run.file.fetch.retries = retries
    run.file.fetch.order = order
    let fetcher = ScriptedFetcher(answers)
    let recorder = RunRecorder()
    let context = ItemContext(
      Item(
        ManifestEntry(line: 1, id: "a", url: "https://images.example/photo"), position: 5,
        run.file.fetch))
    let spool = run.workspace.spool("5")
    let transfer = SourceTransfer(
      fetcher: fetcher, settings: run.file.fetch, acceptance: Acceptance(run.file),
      recorder: recorder)
    var result = Result()
    switch try await transfer.fetch(context, condition, to: spool) {
    case .failed(let error): result.outcome = "failed \(error.code.rawValue) \(error.status)"
    case .notModified: result.outcome = "not modified"
    case .arrived(_, let receiver, .rejected(let rejection)):
      result.outcome = "rejected \(rejection.code)"
      receiver.discard()
    case .arrived(let response, let receiver, .image(let header, let bytes)):
      let isWhole = bytes.digest == SHA256.of(Self.bytes) && bytes.count == count
      result.outcome =
        "\(header.width)x\(header.height) \(isWhole ? "whole" : "other") \(response.bytes)"
      receiver.discard()
    }
    result.requests = fetcher.requests.map(words)
    result.retries = recorder.current.retries
    result.fetching = context.fetching
    result.hasSpool = spool.size != nil
    return (result, fetcher)
  }

  /// The answers, the requests and the outcome.
  private struct Case: Sendable {
    var answers: [Fetch.Answer]
    var requests: [String]
    var outcome = "300x200 whole \(count)"
    var retries = 1
  }

  private static let brokenOff = Fetch.whole(bytes, breaksAfter: 20)
  private static let rangeRequest = "20-\(count) \"1\""

  private static let cases: [Case] = [
    Case(answers: [Fetch.whole(bytes)], requests: ["all"], retries: 0),
    // A transfer that breaks off is resumed.
    Case(
      answers: [brokenOff, Fetch.part(rest, 20..<count, of: count)],
      requests: ["all", rangeRequest], outcome: "300x200 whole \(count - 20)"),
    Case(
      answers: [brokenOff, Fetch.part(rest, 20..<count, of: nil)],
      requests: ["all", rangeRequest], outcome: "300x200 whole \(count - 20)"),
    // And once more, from where it then was.
    Case(
      answers: [
        brokenOff, Fetch.part(Array(rest.prefix(10)), 20..<count, of: count),
        Fetch.part(Array(rest[10...]), 30..<count, of: count),
      ], requests: ["all", rangeRequest, "30-\(count) \"1\""],
      outcome: "300x200 whole \(count - 30)", retries: 2),
    // The server has another version by now, and sends all of it.
    Case(
      answers: [brokenOff, Fetch.whole(other, etag: "\"2\"")],
      requests: ["all", rangeRequest], outcome: "300x200 other \(other.count)"),
    // Nothing shows that a part would belong to the same version.
    Case(
      answers: [Fetch.whole(bytes, etag: nil, breaksAfter: 20), Fetch.whole(bytes)],
      requests: ["all", "all"]),
    Case(
      answers: [Fetch.whole(bytes, etag: "W/\"1\"", breaksAfter: 20), Fetch.whole(bytes)],
      requests: ["all", "all"]),
    Case(
      answers: [Fetch.whole(bytes, breaksAfter: 0), Fetch.whole(bytes)], requests: ["all", "all"]),
    // A part that does not fit is not a failure: the whole is requested at once.
    Case(
      answers: [brokenOff, Fetch.part(rest, 21..<count, of: count), Fetch.whole(bytes)],
      requests: ["all", rangeRequest, "all"]),
    Case(
      answers: [brokenOff, Fetch.part(rest, 20..<count - 1, of: count), Fetch.whole(bytes)],
      requests: ["all", rangeRequest, "all"]),
    Case(
      answers: [brokenOff, Fetch.part(rest, 20..<count, of: count + 1), Fetch.whole(bytes)],
      requests: ["all", rangeRequest, "all"]),
    Case(
      answers: [
        brokenOff, Fetch.part(rest, 20..<count, of: count, etag: "\"2\""), Fetch.whole(bytes),
      ], requests: ["all", rangeRequest, "all"]),
    Case(
      answers: [brokenOff, Fetch.part(rest + [0], 20..<count, of: count), Fetch.whole(bytes)],
      requests: ["all", rangeRequest, "all"]),
    // Another place may have another version under the same validator.
    Case(
      answers: [
        brokenOff, Fetch.part(rest, 20..<count, of: count, at: "https://cdn.example/"),
        Fetch.whole(bytes),
      ], requests: ["all", rangeRequest, "all"]),
  ]

  @Test func anInterruptedTransferIsResumed() async throws {
    for (index, test) in Self.cases.enumerated() {
      let (result, fetcher) = try await Self.transfer(test.answers)
      #expect(result.outcome == test.outcome, "case \(index)")
      #expect(result.requests == test.requests, "case \(index)")
      #expect(result.retries == test.retries, "case \(index)")
      #expect(result.fetching == .milliseconds(10 * test.answers.count), "case \(index)")
      #expect(!result.hasSpool, "case \(index)")
      // All attempts share one deadline, which begins with the first.
      #expect(fetcher.requests[0].end == nil, "case \(index)")
      #expect(fetcher.requests.dropFirst().allSatisfy { $0.end != nil }, "case \(index)")
      #expect(fetcher.requests.allSatisfy { $0.turn == 5 && $0.deadline == .seconds(120) })
    }
  }

  /// A server that rejects ranges gets a request for the whole, and that is not a retry.
  @Test(arguments: [
    (FetchError.Code.badRange, 0, true), (.httpStatus, 400, true), (.httpStatus, 416, true),
    (.httpStatus, 501, true), (.httpStatus, 403, false), (.httpStatus, 404, false),
  ])
  func aRejectedRangeIsNoFailure(
    _ code: FetchError.Code, _ status: Int, _ isRepeated: Bool
  ) async throws {
    let (result, _) = try await Self.transfer([
      Self.brokenOff, Fetch.failure(code, status: status), Fetch.whole(Self.bytes),
    ])
    #expect(
      result.outcome
        == (isRepeated ? "300x200 whole \(Self.count)" : "failed \(code.rawValue) \(status)"))
    #expect(result.requests == ["all", Self.rangeRequest] + (isRepeated ? ["all"] : []))
    #expect(result.retries == 1)
    // For a whole source it is one.
    let (first, _) = try await Self.transfer([
      Fetch.failure(code, status: status), Fetch.whole(Self.bytes),
    ])
    #expect(first.outcome == "failed \(code.rawValue) \(status)")
    #expect((first.requests.count, first.retries, first.hasSpool) == (1, 0, false))
  }

  @Test func attemptsEndWithTheRetries() async throws {
    let busy = Fetch.failure(.httpStatus, status: 503, isRetryable: true)
    let (result, _) = try await Self.transfer([busy, busy, busy, busy], retries: 2)
    #expect(result.outcome == "failed http-status 503")
    #expect((result.requests.count, result.retries) == (3, 2))
    let (spooled, _) = try await Self.transfer([Self.brokenOff], retries: 0)
    #expect((spooled.outcome, spooled.hasSpool) == ("failed network 0", false))
  }

  @Test func aConditionIsDroppedOncePartOfTheSourceIsHere() async throws {
    let condition = Condition(Validators(etag: "\"0\"", lastModified: nil), at: Fetch.place)
    let (same, _) = try await Self.transfer([Fetch.notModified()], condition: condition)
    #expect((same.outcome, same.requests) == ("not modified", ["all if \"0\""]))
    let busy = Fetch.failure(.timeout, isRetryable: true)
    let (late, _) = try await Self.transfer([busy, Fetch.notModified()], condition: condition)
    #expect(late.requests == ["all if \"0\"", "all if \"0\""])
    let (resumed, _) = try await Self.transfer(
      [Self.brokenOff, Fetch.part(Self.rest, 20..<Self.count, of: Self.count)],
      condition: condition)
    #expect(resumed.requests == ["all if \"0\"", Self.rangeRequest])
  }

  @Test func theNewestItemsComeFirst() async throws {
    let (_, fetcher) = try await Self.transfer([Fetch.whole(Self.bytes)], order: .newestFirst)
    #expect(fetcher.requests.map(\.turn) == [-5])
  }

  @Test func whatIsNotTheSourcesFaultEndsTheRun() async throws {
    await #expect(throws: CancellationError.self) {
      _ = try await Self.transfer([Fetch.failure(.cancelled)])
    }
    let error = await #expect(throws: TesseraError.self) {
      _ = try await Self.transfer([Fetch.failure(.local)])
    }
    #expect(error?.description == "the request failed")
  }

  @Test func whatIsNoImageIsRejected() async throws {
    let page = Array("<!DOCTYPE html><title>Maintenance</title>".utf8)
    let (result, _) = try await Self.transfer([Fetch.whole(page)])
    #expect(result.outcome == "rejected not-image")
  }
}
