import Synchronization
import TesseraImageHeader
import Testing

@testable import TesseraNet

/// The requests with which a header is searched, one after the other.
@Suite struct HeaderSearchTests {
  /// Its size follows after 20 kB.
  private static let image = CameraJPEG.bytes()
  private static let deadline = Duration.seconds(60)

  private static func search(
    _ fetcher: ScriptedFetcher, retries: Int = 0, maximumBytes: Int = 64_000_000,
    condition: Condition? = nil, turn: Int? = nil, didRetry: @escaping @Sendable () -> Void = {}
  ) async throws -> HeaderFetch.Answer {
    try await HeaderFetch(
      fetcher: fetcher, policy: RetryPolicy(retries: retries, deadline: deadline),
      maximumBytes: maximumBytes, room: SearchRoom(bytes: 1 << 24), didRetry: didRetry
    ).fetch("http://u@H/a", condition: condition, turn: turn)
  }

  /// The sides of the image, or why there is none.
  private static func outline(_ answer: HeaderFetch.Answer) -> String {
    switch answer.outcome {
    case .told(.header(let header), _, _): "\(header.width)x\(header.height)"
    case .told(.rejected(let rejection), _, _): "\(rejection.kind.rawValue): \(rejection.reason)"
    case .told(.needs, _, _): "needs"
    case .notModified: "not modified"
    case .failed(let error): error.message
    }
  }

  @Test func aJumpLeadsToTheSize() async throws {
    let fetcher = try ScriptedFetcher([
      .part(0..<3584, of: Self.image) {
        ($0.url, $0.leftOrigin, $0.redirectFreshness) = ("http://i/b", true, [.seconds(9)])
      }, .part(20_000..<22_000, of: Self.image),
    ])
    let condition = Condition(Validators(etag: "\"0\"", lastModified: nil), at: "http://h/a")
    let before = ContinuousClock.now
    let answer = try await Self.search(fetcher, condition: condition, turn: 7)
    let after = ContinuousClock.now
    #expect(Self.outline(answer) == "3000x4000")
    guard case .told(_, let response, let length) = answer.outcome else { return }
    #expect(length == Self.image.count)
    // The redirect belongs to the answer: its target was requested without it.
    #expect(response.redirectFreshness == [.seconds(9)])
    #expect([answer.bytes, answer.requests] == [5584, 4] as [Int])
    #expect(answer.time == .seconds(2))
    #expect(fetcher.hosts == ["h", "i"])
    let (first, second) = (fetcher.requests[0], fetcher.requests[1])
    #expect([first.url, second.url] == ["http://u@H/a", "http://i/b"])
    #expect(first.range == 0..<3584)
    #expect((first.condition, second.condition) == (condition, nil))
    #expect([first.leftOrigin, second.leftOrigin] == [false, true])
    #expect([first.ifRange, second.ifRange] == [nil, "\"1\""])
    for request in [first, second] {
      #expect(request.turn == 7)
      #expect(request.isForBeginning)
      #expect(request.deadline == Self.deadline)
    }
    #expect(first.end == nil)
    // The deadline begins with the first attempt, which took a second.
    let end = try #require(second.end)
    let rest = Self.deadline - .seconds(1)
    #expect(end >= before.advanced(by: rest) && end <= after.advanced(by: rest))
    let range = try #require(second.range)
    #expect(range.count == 768)
    #expect((20_000..<21_000).contains(range.lowerBound))
  }

  /// Parts of two versions are not combined: the source is read from its start, at its own URL.
  @Test(arguments: [true, false])
  func anotherVersionStartsOver(_ isWeak: Bool) async throws {
    let fetcher = try ScriptedFetcher([
      .part(0..<3584, of: Self.image, etag: isWeak ? "W/\"1\"" : "\"1\"") {
        ($0.url, $0.leftOrigin, $0.redirectFreshness) = ("http://i/b", true, [nil])
      },
      .part(20_000..<22_000, of: Self.image, etag: "\"2\""), .whole(Self.image),
    ])
    let answer = try await Self.search(fetcher)
    #expect(Self.outline(answer) == "3000x4000")
    guard case .told(_, let response, _) = answer.outcome else { return }
    #expect(response.redirectFreshness == [])
    #expect(fetcher.requests[1].ifRange == (isWeak ? nil : "\"1\""))
    let last = fetcher.requests[2]
    #expect(last.url == "http://u@H/a")
    #expect(last.range == nil && last.ifRange == nil && last.condition == nil)
    #expect(!last.leftOrigin && last.isForBeginning)
  }

  @Test func whatIsKnownIsNotReadAgain() async throws {
    let answer = try await Self.search(try ScriptedFetcher([.notModified]))
    #expect(Self.outline(answer) == "not modified")
    let cancelled = try ScriptedFetcher([.failing(FetchError(.cancelled, "stopped"))])
    await #expect(throws: CancellationError.self) { try await Self.search(cancelled) }
  }

  /// An error of the first range, whether another request without it is sent, and the outcome.
  @Test(arguments: [
    (FetchError(.badRange, "x"), true), (FetchError(.httpStatus, "x", status: 400), true),
    (FetchError(.httpStatus, "x", status: 416), true),
    (FetchError(.httpStatus, "x", status: 501), true),
    (FetchError(.httpStatus, "x", status: 404), false),
    (FetchError(.httpStatus, "x", status: 500), false), (FetchError(.network, "x"), false),
    (FetchError(.timeout, "x", isRetryable: true), false),
  ])
  func aRangeMayBeTheCause(_ error: FetchError, _ isWorthAnother: Bool) async throws {
    let fetcher = try ScriptedFetcher([.failing(error), .whole(Self.image)])
    let answer = try await Self.search(fetcher)
    #expect(Self.outline(answer) == (isWorthAnother ? "3000x4000" : "x"))
    #expect(fetcher.requests.map(\.range) == (isWorthAnother ? [0..<3584, nil] : [0..<3584]))
    // Of a later range it is always worth another request, and the last error counts.
    let later = try ScriptedFetcher([
      .part(0..<3584, of: Self.image), .failing(error), .failing(FetchError(.dns, "y")),
    ])
    #expect(Self.outline(try await Self.search(later)) == "y")
    #expect(later.requests.count == 3)
  }

  @Test func transientErrorsAreRetried() async throws {
    let count = Mutex(0)
    let error = FetchError(.network, "reset", isRetryable: true)
    let fetcher = try ScriptedFetcher([
      .failing(error), .failing(error), .part(0..<3584, of: Self.image),
      .part(20_000..<22_000, of: Self.image),
    ])
    let answer = try await Self.search(fetcher, retries: 2) { count.withLock { $0 += 1 } }
    #expect(Self.outline(answer) == "3000x4000")
    #expect(count.withLock { $0 } == 2)
    #expect(fetcher.requests[2].range == 0..<3584)
    #expect(answer.time == .seconds(4))
    let last = try ScriptedFetcher([.failing(error), .failing(error)])
    #expect(Self.outline(try await Self.search(last, retries: 1)) == "reset")
    #expect(last.requests.count == 2)
  }

  /// What arrived before an error may be all that was needed.
  @Test func anErrorBehindTheSizeDoesNotMatter() async throws {
    let small = CameraJPEG.bytes(filler: 10)
    let error = FetchError(.truncated, "cut", isRetryable: true)
    let fetcher = try ScriptedFetcher([.part(0..<3584, of: small, error: error)])
    #expect(Self.outline(try await Self.search(fetcher, retries: 3)) == "3000x4000")
    #expect(fetcher.requests.count == 1)
  }

  /// At most as many bytes are read as the limit says.
  @Test func aLimitEndsTheSearch() async throws {
    let fetcher = try ScriptedFetcher([.part(0..<3000, of: Self.image)])
    #expect(
      Self.outline(try await Self.search(fetcher, maximumBytes: 3_000))
        == "malformed: an image that does not state its size in its first 3000 bytes")
    #expect(fetcher.requests.map(\.range) == [0..<3_000])
    // A source that is sent as a whole is read up to the limit, too.
    let whole = try ScriptedFetcher([
      .init(extent: .whole(length: Self.image.count), body: Array(Self.image[..<3_600]))
    ])
    #expect(
      Self.outline(try await Self.search(whole, maximumBytes: 3_000))
        == "malformed: an image without a size in its first 3000 bytes")
  }
}
