import Synchronization
import TesseraTestSupport
import TesseraText
import Testing

@testable import TesseraNet

/// How many requests are sent in a time, to one host and to all: with a clock that is set, and to a server that counts.
@Suite struct RequestRateTests {
  private static let start = ContinuousClock.now

  private static func at(_ milliseconds: Double) -> ContinuousClock.Instant {
    start.advanced(by: .milliseconds(milliseconds))
  }

  private static func rate(_ text: String) throws -> RequestRate { try #require(RequestRate(text)) }

  // MARK: With a clock that is set

  /// Each request is as late as the clock was looked at, and the rate is kept all the same.
  @Test(arguments: [("5/s", 300), ("100/s", 6_000), ("30/m", 30), ("600/h", 10)])
  func aRateIsKeptOverAMinute(_ text: String, _ most: Int) throws {
    var random = SplitMix(seed: 5)
    let rate = try Self.rate(text)
    var pace = RatePace(rate)
    var sent: [Double] = []
    var time = 0.0
    while time < 60_000 {
      if pace.permits(now: Self.at(time)) {
        pace.sent(now: Self.at(time))
        sent.append(time)
      }
      // As late as a thread is woken: up to 9 ms.
      let next = pace.next.map { Self.start.duration(to: $0) / .milliseconds(1) } ?? 0
      time = max(time, next) + Double.random(in: 0.001..<9, using: &random)
    }
    #expect(Double(sent.count) >= Double(most) * 0.98 && sent.count <= most + 1)
    let interval = rate.interval / .milliseconds(1)
    for (one, next) in zip(sent, sent.dropFirst()) {
      #expect(next - one >= interval - max(10, min(100, interval / 10)))
    }
  }

  @Test func thereIsNoBurstAfterAPause() throws {
    var pace = RatePace(try Self.rate("10/s"))
    #expect(pace.permits(now: Self.at(0)) && pace.next == nil)
    pace.sent(now: Self.at(0))
    #expect(!pace.permits(now: Self.at(99)) && pace.permits(now: Self.at(100)))
    // A minute later there is one request at once, and no more.
    pace.sent(now: Self.at(60_000))
    #expect(!pace.permits(now: Self.at(60_089)) && pace.permits(now: Self.at(60_090)))
    // One that is a little late does not delay the next one.
    pace.sent(now: Self.at(60_095))
    #expect(pace.next == Self.at(60_190))
  }

  private static func limits(_ hosts: [HostSettings], _ rate: String? = nil) -> HostLimits {
    HostLimits(
      perHost: 2, patience: .seconds(120), rules: HostRules(hosts),
      rate: rate.flatMap { RequestRate($0) })
  }

  @Test func eachHostHasARateOfItsOwn() throws {
    var limits = Self.limits([
      HostSettings(host: "slow", rate: try Self.rate("1/s")),
      HostSettings(host: "wide", perHost: 3),
    ])
    for host in ["slow", "wide", "wide", "wide", "other", "other"] {
      #expect(limits.mayStart(host, now: Self.at(0)), "\(host)")
      limits.started(host, now: Self.at(0))
      limits.sent(to: host, now: Self.at(0))
    }
    for host in ["slow", "wide", "other"] { #expect(!limits.mayStart(host, now: Self.at(1))) }
    limits.ended("slow")
    limits.ended("other")
    #expect(
      limits.mayStart("other", now: Self.at(1)) && !limits.mayStart("slow", now: Self.at(999)))
    #expect(limits.mayStart("slow", now: Self.at(1_000)))
    #expect(limits.hasRate("slow") && !limits.hasRate("other") && !limits.hasRate("file:"))
    // The loop is woken for a host that is queued, and for no other.
    #expect(limits.nextStart(now: Self.at(1)) { $0 == "slow" } == Self.at(1_000))
    #expect(limits.nextStart(now: Self.at(1)) { $0 == "other" } == nil)
    // A redirect counts for the host that it leads to, and waits for it.
    #expect(!limits.mayContinue(to: "slow", now: Self.at(1)))
    #expect(limits.mayContinue(to: nil, now: Self.at(1)))
    #expect(!limits.mayContinue(to: "wide", now: Self.at(1)))
    limits.ended("wide")
    #expect(limits.mayContinue(to: "wide", now: Self.at(1)))
  }

  @Test func theRateOfAllIsForEveryRequest() throws {
    var limits = Self.limits([HostSettings(host: "a", rate: try Self.rate("1/s"))], "10/s")
    limits.sent(to: "a", now: Self.at(0))
    #expect(!limits.mayStart("b", now: Self.at(99)) && limits.mayStart("b", now: Self.at(100)))
    #expect(!limits.mayContinue(to: nil, now: Self.at(99)))
    #expect(limits.nextStart(now: Self.at(1)) { _ in true } == Self.at(100))
    limits.sent(to: nil, now: Self.at(100))
    #expect(!limits.mayStart("b", now: Self.at(199)) && !limits.mayStart("a", now: Self.at(999)))
    #expect(limits.mayStart("a", now: Self.at(1_000)))
    // Files and data need no server.
    for host in [HostLimits.files, HostLimits.noHost] {
      #expect(limits.mayStart(host, now: Self.at(100)) && !limits.hasRate(host))
    }
    #expect(limits.hasRate("b"))
  }

  /// What an item waits for a rate is not its time: a retry has as long as it would have without it.
  @Test func aRateTakesNothingOfTheDeadline() {
    var tries = Tries(RetryPolicy(retries: 3, deadline: .seconds(10)))
    tries.took(.seconds(4), now: Self.at(4_000))
    #expect(tries.end == Self.at(10_000))
    tries.took(.seconds(1), waited: .seconds(60), now: Self.at(65_000))
    #expect(tries.end == Self.at(70_000))
    let error = FetchError(.network, "", isRetryable: true)
    #expect(tries.pause(after: error, now: Self.at(65_000), chance: 0) != nil)
    #expect(tries.pause(after: error, now: Self.at(70_000), chance: 0) == nil)
  }

  // MARK: To a server that counts

  private final class Sink: BodyReceiving {
    func receive(_ bytes: RawSpan) -> BodyVerdict { .more }
  }

  /// Notes when requests come, by their paths.
  private final class Arrivals: Sendable {
    private let times = Mutex<[String: [ContinuousClock.Instant]]>([:])

    func note(_ path: String) { times.withLock { $0[path, default: []].append(.now) } }
    func count(_ path: String) -> Int { times.withLock { $0[path]?.count ?? 0 } }
    /// From the first to the last request.
    func span(_ path: String) -> Double {
      times.withLock { times in
        guard let all = times[path], let first = all.first, let last = all.last else { return 0 }
        return first.duration(to: last) / .seconds(1)
      }
    }
  }

  private static func server(_ arrivals: Arrivals) throws -> FaultServer {
    try FaultServer([
      "/a": { request, connection in
        arrivals.note("/a")
        connection.respond()
      }
    ])
  }

  private static func fetcher(
    _ hosts: [HostSettings], rate: String? = nil, _ change: (inout FetchSettings) -> Void = { _ in }
  ) throws -> Fetcher {
    var settings = FetchSettings(
      timeout: .seconds(20), addresses: AddressPolicy(allow: ["loopback"]))
    settings.hosts = HostRules(hosts)
    settings.rate = try rate.map { try Self.rate($0) }
    change(&settings)
    return try Fetcher(settings)
  }

  private static func fetch(
    _ fetcher: Fetcher, _ url: String, deadline: Duration = .seconds(60),
    end: ContinuousClock.Instant? = nil
  ) async -> FetchResult {
    var request = FetchRequest(url: url, deadline: deadline)
    request.end = end
    return await fetcher.fetch(request, host: SourceURL.hostAsWritten(of: url), into: Sink())
  }

  private static func error(_ result: FetchResult) -> FetchError? {
    if case .failure(let error) = result.result { error } else { nil }
  }

  /// 5 a second for a minute with `Tests/run --soak`; else 40 a second for five seconds.
  @Test(.faults(.n50)) func aHostGetsItsRateBesideOthersAtFullSpeed() async throws {
    let (rate, count) = isSoak ? (5, 300) : (40, 200)
    let (slow, fast) = (Arrivals(), Arrivals())
    let (slowServer, fastServer) = (try Self.server(slow), try Self.server(fast))
    defer {
      slowServer.stop()
      fastServer.stop()
    }
    // The waiting requests are more than there are transfers, and come first.
    let fetcher = try Self.fetcher([
      HostSettings(
        host: "127.0.0.1:\(slowServer.port)", rate: RequestRate(requests: rate, unit: .second))
    ]) { $0.concurrency = 4 }
    defer { fetcher.close() }
    let started = ContinuousClock.now
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0...count {
        group.addTask {
          // Far less than the last one waits.
          let result = await Self.fetch(fetcher, slowServer.url("/a"), deadline: .seconds(2))
          #expect(Self.error(result) == nil && result.time < .seconds(2))
        }
      }
      // All of them are in the queue.
      while slow.count("/a") == 0 { try await Task.sleep(for: .milliseconds(2)) }
      for _ in 0..<300 {
        group.addTask {
          #expect(Self.error(await Self.fetch(fetcher, fastServer.url("/a"))) == nil)
        }
      }
      try await group.waitForAll()
    }
    #expect(fast.count("/a") == 300 && slow.count("/a") == count + 1)
    #expect(fast.span("/a") < slow.span("/a") / 2)
    let measured = Double(count) / slow.span("/a")
    print("\(rate)/s: \(slow.count("/a")) requests in \(slow.span("/a")) s, \(measured)/s")
    // Never more. Less only if the loop was not woken in time: it would look five times a second by itself.
    #expect(measured <= Double(rate) * 1.02 && measured >= Double(rate) * (isSoak ? 0.98 : 0.5))
    #expect(started.duration(to: .now) >= .seconds(Double(count) / Double(rate) * 0.98))
  }

  @Test func allRequestsShareARate() async throws {
    let arrivals = Arrivals()
    let servers = try (0..<2).map { _ in try Self.server(arrivals) }
    defer { for server in servers { server.stop() } }
    let fetcher = try Self.fetcher([], rate: "40/s")
    defer { fetcher.close() }
    await withTaskGroup(of: Void.self) { group in
      for index in 0..<41 {
        group.addTask { _ = await Self.fetch(fetcher, servers[index % 2].url("/a")) }
      }
    }
    #expect(arrivals.count("/a") == 41 && arrivals.span("/a") >= 0.98)
  }

  /// The retry has half a second, of which the answer takes a part, and waits longer than that for its turn.
  @Test func aRetryThatWaitsForARateIsNotTooLate() async throws {
    let arrivals = Arrivals()
    let server = try FaultServer([
      "/a": { _, connection in
        arrivals.note("/a")
        connection.pause(0.1)
        connection.respond()
      }
    ])
    defer { server.stop() }
    let fetcher = try Self.fetcher([
      HostSettings(host: "127.0.0.1:\(server.port)", rate: try Self.rate("40/m"))
    ])
    defer { fetcher.close() }
    _ = await Self.fetch(fetcher, server.url("/a"))
    let result = await Self.fetch(
      fetcher, server.url("/a"), end: .now.advanced(by: .milliseconds(500)))
    #expect(Self.error(result) == nil && result.waited > .seconds(1))
    #expect(arrivals.span("/a") > 1.4)
  }

  // MARK: Redirects

  /// A redirect to a host with a rate waits for it, and holds no place meanwhile.
  @Test(.faults(.n50)) func redirectsCountForTheHostThatTheyLeadTo() async throws {
    let arrivals = Arrivals()
    let target = try Self.server(arrivals)
    let origin = try FaultServer([
      "/r": { $1.respond("302 Found", ["Location": target.url("/a")]) }, "/b": { $1.respond() },
    ])
    defer {
      origin.stop()
      target.stop()
    }
    let fetcher = try Self.fetcher([
      HostSettings(host: "127.0.0.1:\(target.port)", rate: try Self.rate("10/s"))
    ]) { ($0.concurrency, $0.perHost) = (2, 2) }
    defer { fetcher.close() }
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<21 {
        group.addTask {
          let result = await Self.fetch(fetcher, origin.url("/r"), deadline: .milliseconds(900))
          #expect(Self.error(result) == nil && result.requests == 2)
          #expect(result.time < .milliseconds(900))
        }
      }
      group.addTask {
        let start = ContinuousClock.now
        #expect(Self.error(await Self.fetch(fetcher, origin.url("/b"))) == nil)
        #expect(start.duration(to: .now) < .seconds(1.5))
      }
    }
    #expect(arrivals.count("/a") == 21 && arrivals.span("/a") >= 1.95)
  }

  /// The end of the run, a cancellation and the end of the fetcher reach a redirect that waits.
  @Test func aRedirectThatWaitsCanEnd() async throws {
    let arrivals = Arrivals()
    let target = try Self.server(arrivals)
    let origin = try FaultServer(["/r": { $1.respond("302 Found", ["Location": target.url("/a")]) }]
    )
    defer {
      origin.stop()
      target.stop()
    }
    let hosts = [HostSettings(host: "127.0.0.1:\(target.port)", rate: try Self.rate("1/h"))]
    for way in ["close", "cancel", "end"] {
      let fetcher = try Self.fetcher(hosts) {
        if way == "end" { $0.end = .now.advanced(by: .seconds(1)) }
      }
      #expect(Self.error(await Self.fetch(fetcher, origin.url("/r"))) == nil)
      let before = origin.count("/r")
      let waiting = Task { await Self.fetch(fetcher, origin.url("/r")) }
      while origin.count("/r") == before || fetcher.inFlight.count > 0 {
        try await Task.sleep(for: .milliseconds(2))
      }
      if way == "close" { fetcher.close() }
      if way == "cancel" { waiting.cancel() }
      let error = Self.error(await waiting.value)
      #expect(error?.code == (way == "end" ? .runDeadline : .cancelled), "\(way)")
      fetcher.close()
    }
    #expect(arrivals.count("/a") == 3)
  }
}
