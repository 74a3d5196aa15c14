import Synchronization
import TesseraTestSupport
import Testing

@testable import TesseraNet

/// When requests start, and what ends them.
@Suite struct FetchLoopTests {
  private final class Sink: BodyReceiving {
    func receive(_ bytes: RawSpan) -> BodyVerdict { .more }
  }

  private static func fetcher(_ change: (inout FetchSettings) -> Void = { _ in }) throws -> Fetcher
  {
    var settings = FetchSettings(
      timeout: .seconds(20), addresses: AddressPolicy(allow: ["loopback"]))
    change(&settings)
    return try Fetcher(settings)
  }

  private static func fetch(
    _ fetcher: Fetcher, _ url: String, host: String = "h", deadline: Duration = .seconds(20),
    end: ContinuousClock.Instant? = nil
  ) async -> FetchResult {
    var request = FetchRequest(url: url, deadline: deadline)
    request.end = end
    return await fetcher.fetch(request, host: host, into: Sink())
  }

  private static func error(_ result: FetchResult) -> FetchError? {
    if case .failure(let error) = result.result { error } else { nil }
  }

  /// Whether a condition holds within a minute.
  private static func eventually(_ condition: () -> Bool) async throws -> Bool {
    let end = ContinuousClock.now.advanced(by: .seconds(60))
    while !condition() {
      guard ContinuousClock.now < end else { return false }
      try await Task.sleep(for: .milliseconds(2))
    }
    return true
  }

  private static func hanging() throws -> FaultServer {
    try FaultServer(["/hang": { $1.hang() }, "/a": { $1.respond() }])
  }

  @Test func afterTheEndOfTheRunNothingStarts() async throws {
    let server = try Self.hanging()
    defer { server.stop() }
    let over = try Self.fetcher { $0.end = .now }
    defer { over.close() }
    #expect(over.end != nil)
    let late = await Self.fetch(over, server.url("/a"))
    #expect(Self.error(late) == .runDeadline)
    #expect(late.requests == 0 && late.time == .zero)
    #expect(server.total == 0)
    // A request in flight ends with the run.
    let soon = try Self.fetcher { $0.end = .now.advanced(by: .milliseconds(300)) }
    defer { soon.close() }
    let cut = await Self.fetch(soon, server.url("/hang"))
    #expect(Self.error(cut) == .runDeadline)
    #expect(soon.counts == FetchStatistics(requests: cut.requests, notModified: 0, bytes: 0))
  }

  /// A host that takes a tenth of a second for each answer, however many there are.
  @Test(arguments: [(nil, 24), (3, 3)] as [(Int?, Int)])
  func aDistantHostGetsMoreRequestsAtATimeIfItDecides(_ perHost: Int?, _ most: Int) async throws {
    let inFlight = Mutex((now: 0, most: 0))
    let server = try FaultServer([
      "/a": { _, connection in
        inFlight.withLock {
          $0.now += 1
          $0.most = max($0.most, $0.now)
        }
        connection.pause(0.1)
        inFlight.withLock { $0.now -= 1 }
        connection.respond()
      }
    ])
    defer { server.stop() }
    let fetcher = try Self.fetcher {
      $0.perHost = perHost
      $0.concurrency = 24
    }
    defer { fetcher.close() }
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<(perHost == nil ? 200 : 20) {
        group.addTask {
          let result = await Self.fetch(fetcher, server.url("/a"), deadline: .seconds(60))
          #expect(Self.error(result) == nil)
        }
      }
    }
    #expect(inFlight.withLock { $0.most } == most)
  }

  @Test func closingEndsWhatIsInFlightAndQueued() async throws {
    let server = try Self.hanging()
    defer { server.stop() }
    let fetcher = try Self.fetcher { $0.perHost = 1 }
    async let first = Self.fetch(fetcher, server.url("/hang"))
    #expect(try await Self.eventually { server.count("/hang") == 1 && fetcher.inFlight.count == 1 })
    // What the progress shows of it.
    let inFlight = fetcher.inFlight
    #expect(inFlight.bytes == 0 && inFlight.oldest?.host == "h")
    #expect(inFlight.oldest.map { $0.started <= .now } == true)
    async let second = Self.fetch(fetcher, server.url("/a"))
    fetcher.close()
    let stopped = FetchError(.cancelled, "the run was stopped")
    let results = await [first, second, Self.fetch(fetcher, server.url("/a"))]
    #expect(results.map(Self.error) == [stopped, stopped, stopped])
    #expect(results.map(\.requests) == [1, 0, 0])
    #expect(server.count("/a") == 0)
  }

  /// While fetched sources wait, only what was begun goes on.
  @Test func aFetcherThatIsHeldStartsNoSource() async throws {
    let server = try Self.hanging()
    defer { server.stop() }
    let fetcher = try Self.fetcher()
    defer { fetcher.close() }
    fetcher.hold(1, limit: 2)
    #expect(Self.error(await Self.fetch(fetcher, server.url("/a"))) == nil)
    fetcher.hold(1, limit: 2)
    async let held = Self.fetch(fetcher, server.url("/a?new"))
    let end = ContinuousClock.now.advanced(by: .seconds(20))
    for _ in 0..<3 {
      #expect(Self.error(await Self.fetch(fetcher, server.url("/a?old"), end: end)) == nil)
    }
    #expect(
      [server.count("/a"), server.count("/a?old"), server.count("/a?new")] == [1, 3, 0] as [Int])
    fetcher.hold(-1, limit: 2)
    #expect(Self.error(await held) == nil)
  }

  /// Only what continues an earlier request can be late in the queue.
  @Test func aContinuedRequestIsLateInTheQueue() async throws {
    let server = try Self.hanging()
    defer { server.stop() }
    let fetcher = try Self.fetcher { $0.perHost = 1 }
    defer { fetcher.close() }
    async let first = Self.fetch(fetcher, server.url("/hang"))
    #expect(try await Self.eventually { server.count("/hang") == 1 })
    let late = await Self.fetch(
      fetcher, server.url("/a"), end: .now.advanced(by: .milliseconds(20)))
    #expect(Self.error(late) == .timeLimit)
    #expect(late.requests == 0)
    // Another host has a place of its own.
    let other = try Self.hanging()
    defer { other.stop() }
    #expect(Self.error(await Self.fetch(fetcher, other.url("/a"), host: "other")) == nil)
    fetcher.close()
    _ = await first
  }

  /// What waits for a host that is down fails with the reason, not only with the time that is over.
  @Test func aContinuedRequestToADeadHostSaysWhy() async throws {
    let gone = try FaultServer()
    gone.stop()
    defer { withExtendedLifetime(gone) {} }
    let fetcher = try Self.fetcher()
    defer { fetcher.close() }
    for _ in 0..<3 {
      #expect(Self.error(await Self.fetch(fetcher, gone.url("/")))?.code == .network)
    }
    let late = await Self.fetch(
      fetcher, gone.url("/"), end: .now.advanced(by: .milliseconds(20)))
    let error = try #require(Self.error(late))
    #expect(error.code == .network && error.isRetryable && late.requests == 0)
    #expect(error.message.hasSuffix("Connection refused; \(FetchError.timeLimit.message)"))
  }

  /// A retry has what is left of its item's deadline.
  @Test func aContinuedRequestEndsWithItsItem() async throws {
    let server = try Self.hanging()
    defer { server.stop() }
    let fetcher = try Self.fetcher()
    defer { fetcher.close() }
    let result = await Self.fetch(
      fetcher, server.url("/hang"), end: .now.advanced(by: .milliseconds(50)))
    #expect(Self.error(result)?.code == .timeout)
    #expect(result.time < .seconds(10))
  }

  @Test func aCancelledRequestLeavesTheQueue() async throws {
    let server = try Self.hanging()
    defer { server.stop() }
    let fetcher = try Self.fetcher { $0.perHost = 1 }
    defer { fetcher.close() }
    async let first = Self.fetch(fetcher, server.url("/hang"))
    #expect(try await Self.eventually { server.count("/hang") == 1 })
    let queued = Task { await Self.fetch(fetcher, server.url("/a")) }
    queued.cancel()
    #expect(Self.error(await queued.value)?.code == .cancelled)
    #expect(server.count("/a") == 0)
    fetcher.close()
    #expect(Self.error(await first)?.code == .cancelled)
  }

  /// The start of a pause is reported once, with its cause.
  @Test func aBusyHostIsReported() async throws {
    let server = try FaultServer([
      "/busy": { $1.respond("429 Too Many Requests", ["Retry-After": "7"]) },
      "/moved": { $1.respond("302 Found", ["Location": "/busy"]) },
    ])
    defer { server.stop() }
    let slowed = Mutex<[(String, FetchError, Duration)]>([])
    let fetcher = try Self.fetcher {
      $0.hostSlowed = { host, error, pause in slowed.withLock { $0.append((host, error, pause)) } }
    }
    defer { fetcher.close() }
    // A redirect is an answer of the host that was asked, wherever it leads.
    for index in 0..<4 { _ = await Self.fetch(fetcher, server.url("/moved?\(index)")) }
    #expect(slowed.withLock { $0.isEmpty })
    for index in 0..<3 {
      _ = await Self.fetch(fetcher, server.url("/busy?\(index)"), host: "busy")
    }
    let found = slowed.withLock { $0 }
    #expect(found.map(\.0) == ["busy"])
    #expect(
      found.first?.1
        == FetchError(
          .httpStatus, "the server answered 429 Too Many Requests", isRetryable: true, status: 429,
          retryAfter: .seconds(7)))
    #expect(found.first?.2 == .seconds(7))
    let waiting = Task { await Self.fetch(fetcher, server.url("/busy?4"), host: "busy") }
    #expect(Self.error(await Self.fetch(fetcher, server.url("/none"), host: "free"))?.status == 404)
    #expect(server.count("/busy?4") == 0)
    waiting.cancel()
    _ = await waiting.value
  }

  /// Files take turns of their own, whatever host they are queued for; bytes in a URL need none.
  @Test func sourcesWithoutAServerAreDelivered() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("hello", to: "a")
    let fetcher = try Self.fetcher {
      ($0.perHost, $0.concurrency) = (1, 2)
      $0.folders = [folder.path("")]
    }
    defer { fetcher.close() }
    let results = await withTaskGroup(of: FetchResult.self) { group in
      for index in 0..<20 {
        let url = index % 2 == 0 ? "file://\(path)" : "data:,hello"
        group.addTask { await Self.fetch(fetcher, url, host: "") }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(results.count == 20)
    #expect(results.allSatisfy { $0.bytes == 5 && $0.requests == 0 && Self.error($0) == nil })
    #expect(fetcher.counts == FetchStatistics(requests: 0, notModified: 0, bytes: 100))
    let missing = await Self.fetch(fetcher, "file://\(path)x", host: "")
    #expect(Self.error(missing) == FetchError(.notFound, "the file does not exist"))
  }
}
