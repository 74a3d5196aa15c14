import Synchronization
import TesseraTestSupport
import Testing

@testable import TesseraNet

/// What the fetcher's thread notices soon, although it sleeps for ten seconds when it has nothing
/// to do.
@Suite struct PromptnessTests {
  /// Notes when a body begins, on the fetcher's thread: the tests' threads may be busy.
  private final class Sink: BodyReceiving {
    let beginning = Mutex<ContinuousClock.Instant?>(nil)

    func begin(_ extent: BodyExtent, _ validators: Validators?) -> BodyVerdict {
      beginning.withLock { $0 = .now }
      return .more
    }

    func receive(_ bytes: RawSpan) -> BodyVerdict { .more }
  }

  private static func fetcher(timeout: Duration = .seconds(60)) throws -> Fetcher {
    try Fetcher(FetchSettings(timeout: timeout, addresses: AddressPolicy(allow: ["loopback"])))
  }

  private static func fetch(
    _ fetcher: Fetcher, _ url: String, end: ContinuousClock.Instant? = nil, into sink: Sink = Sink()
  ) async -> (error: FetchError?, time: Duration) {
    var request = FetchRequest(url: url, deadline: .seconds(60))
    request.end = end
    let result = await fetcher.fetch(request, host: "h", into: sink)
    let error: FetchError? = if case .failure(let error) = result.result { error } else { nil }
    return (error, result.time)
  }

  @Test func aRequestWakesTheFetcher() async throws {
    let fetcher = try Self.fetcher()
    defer { fetcher.close() }
    for _ in 0..<2 {
      // Until it sleeps.
      try await Task.sleep(for: .milliseconds(30))
      let (sink, start) = (Sink(), ContinuousClock.now)
      let answer = await Self.fetch(fetcher, "data:,a", into: sink)
      #expect(answer.error == nil)
      let beginning = try #require(sink.beginning.withLock { $0 })
      #expect(start.duration(to: beginning) < .seconds(8))
    }
  }

  /// A file is read on another thread, which wakes the fetcher's: it would look again after 200 ms.
  @Test func aFileThatWasReadWakesTheFetcher() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("hello", to: "a")
    var settings = FetchSettings(timeout: .seconds(60))
    settings.folders = [folder.path("")]
    let fetcher = try Fetcher(settings)
    defer { fetcher.close() }
    var shortest = Duration.seconds(60)
    // One of them is quick however busy the machine is.
    for _ in 0..<100 where shortest > .milliseconds(100) {
      let start = ContinuousClock.now
      #expect(await Self.fetch(fetcher, "file://\(path)").error == nil)
      shortest = min(shortest, start.duration(to: .now))
    }
    #expect(shortest <= .milliseconds(100))
  }

  @Test func aSilentServerIsNoticed() async throws {
    let server = try FaultServer([
      "/hang": { $1.hang() },
      "/page": { _, connection in
        connection.send("HTTP/1.1 404 Not Found\r\nContent-Length: 9\r\n\r\n")
        connection.hang()
      },
    ])
    defer { server.stop() }
    let fetcher = try Self.fetcher(timeout: .seconds(1))
    defer { fetcher.close() }
    let silent = await Self.fetch(fetcher, server.url("/hang"))
    #expect(silent.error?.code == .timeout)
    #expect(silent.time < .seconds(8))
    // The page is not needed: half a second later its status is the answer.
    let patient = try Self.fetcher()
    defer { patient.close() }
    let page = await Self.fetch(patient, server.url("/page"))
    #expect(page.error == FetchError(.httpStatus, "the server answered 404 Not Found", status: 404))
    #expect(page.time < .seconds(8))
  }

  @Test func aCancellationEndsARequest() async throws {
    let server = try FaultServer(["/hang": { $1.hang() }])
    defer { server.stop() }
    let fetcher = try Self.fetcher()
    defer { fetcher.close() }
    let task = Task { await Self.fetch(fetcher, server.url("/hang")) }
    while server.count("/hang") == 0 { try await Task.sleep(for: .milliseconds(2)) }
    task.cancel()
    #expect(await task.value.error?.code == .cancelled)
  }

  /// Requests that wait because sources wait to be processed do not mean that hosts are the cause.
  @Test func aFetcherThatIsHeldIsNotBlocked() async throws {
    let fetcher = try Self.fetcher()
    defer { fetcher.close() }
    fetcher.hold(1, limit: 1)
    let calls = Mutex(0)
    fetcher.whenBlocked { calls.withLock { $0 += 1 } }
    let held = (0..<501).map { _ in Task { await Self.fetch(fetcher, "data:,a").error } }
    // Each of these takes a turn of the loop.
    let end = ContinuousClock.now.advanced(by: .seconds(60))
    for _ in 0..<5 { _ = await Self.fetch(fetcher, "data:,a", end: end) }
    #expect(!fetcher.isBlocked)
    #expect(calls.withLock { $0 } == 0)
    fetcher.hold(-1, limit: 1)
    for task in held { #expect(await task.value == nil) }
  }

  /// Nor do requests that wait because all transfers are taken.
  @Test func aFetcherThatIsBusyIsNotBlocked() async throws {
    let server = try FaultServer(["/hang": { $1.hang() }])
    defer { server.stop() }
    let fetcher = try Fetcher(
      FetchSettings(
        concurrency: 1, timeout: .seconds(60), addresses: AddressPolicy(allow: ["loopback"])))
    defer { fetcher.close() }
    let calls = Mutex(0)
    fetcher.whenBlocked { calls.withLock { $0 += 1 } }
    let first = Task { await Self.fetch(fetcher, server.url("/hang")).error }
    while server.count("/hang") == 0 { try await Task.sleep(for: .milliseconds(2)) }
    let queued = (0..<501).map { _ in Task { await Self.fetch(fetcher, "data:,a").error } }
    // Each end of one of these takes a turn of the loop.
    for _ in 0..<5 {
      let cancelled = Task { await Self.fetch(fetcher, "data:,a").error }
      cancelled.cancel()
      _ = await cancelled.value
    }
    #expect(!fetcher.isBlocked)
    #expect(calls.withLock { $0 } == 0)
    first.cancel()
    _ = await first.value
    for task in queued { #expect(await task.value == nil) }
  }
}
