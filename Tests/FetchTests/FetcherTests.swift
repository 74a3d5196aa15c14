import Foundation
import Synchronization
import TesseraNet
import TesseraTestSupport
import TesseraText
import Testing

/// Stores the bytes it receives.
private final class Bucket: BodyReceiving {
  private let bytes = Mutex<[UInt8]>([])
  private let limit: Int

  init(limit: Int = .max) { self.limit = limit }

  var content: [UInt8] { bytes.withLock { $0 } }

  func receive(_ more: RawSpan) -> BodyVerdict {
    let copy = more.withUnsafeBytes { Array($0) }
    return bytes.withLock { bytes in
      bytes += copy
      return bytes.count >= limit ? .enough : .more
    }
  }
}

@Suite struct FetcherTests {
  private static func settings(_ change: (inout FetchSettings) -> Void = { _ in }) -> FetchSettings
  {
    var settings = FetchSettings(
      timeout: .seconds(10), addresses: AddressPolicy(allow: ["loopback"]))
    change(&settings)
    return settings
  }

  private static func fetch(
    _ server: FaultServer, _ path: String, asking validators: Validators? = nil,
    deadline: Duration = .seconds(20), settings: FetchSettings = settings(),
    bucket: Bucket = Bucket()
  ) async throws -> Result<FetchResponse, FetchError> {
    let fetcher = try Fetcher(settings)
    defer { fetcher.close() }
    return await fetcher.fetch(
      FetchRequest(
        url: server.url(path), condition: Condition(validators, at: server.url(path)),
        deadline: deadline),
      host: "127.0.0.1:\(server.port)", into: bucket
    ).result
  }

  @Test func deliversTheBodyAndItsHeaders() async throws {
    let server = try FaultServer([
      "/a": { _, connection in
        connection.respond(
          "200 OK", ["ETag": "\"v1\"", "Cache-Control": "max-age=60"], Array("hello".utf8))
      }
    ])
    defer { server.stop() }
    let bucket = Bucket()
    let response = try await Self.fetch(server, "/a", bucket: bucket).get()
    #expect(bucket.content == Array("hello".utf8))
    #expect(response.validators == Validators(etag: "\"v1\"", lastModified: nil))
    #expect(response.freshness == .seconds(60))
    #expect(response.bytes == 5)
  }

  @Test(.faults(.n30)) func sendsValidatorsAndAcceptsNotModified() async throws {
    let server = try FaultServer([
      "/a": { request, connection in
        connection.respond(
          request.headers["if-none-match"] == "\"v1\"" ? "304 Not Modified" : "200 OK")
      },
      "/always304": { _, connection in connection.respond("304 Not Modified") },
    ])
    defer { server.stop() }
    let validators = Validators(etag: "\"v1\"", lastModified: nil)
    let response = try await Self.fetch(server, "/a", asking: validators).get()
    guard case .notModified = response.ending else {
      Issue.record("\(response.ending)")
      return
    }
    // The request was unconditional, so 304 is an error (N30).
    await #expect(
      throws: FetchError(.httpStatus, "the server answered 304 Not Modified", status: 304)
    ) {
      try await Self.fetch(server, "/always304").get()
    }
  }

  /// One route per fault, with the error that it must cause.
  @Test(
    .faults(.n4, .n6, .n10, .n17, .n25, .n32),
    arguments: [
      ("/404", FetchError.Code.httpStatus, false), ("/410", .httpStatus, false),
      ("/503", .httpStatus, true), ("/429", .httpStatus, true), ("/short", .truncated, true),
      ("/reset", .network, true), ("/none", .network, true), ("/loop", .redirect, false),
      ("/scheme", .redirect, false), ("/hang", .timeout, true), ("/endless", .tooLarge, false),
      ("/long", .tooLarge, false), ("/headers", .tooLarge, false),
      ("/gzipbad", .badEncoding, false),
      ("/gzipbomb", .tooLarge, false), ("/br", .badEncoding, false),
      ("/forbidden", .addressRejected, false),
    ])
  func eachFaultCausesItsError(_ path: String, _ code: FetchError.Code, _ isRetryable: Bool)
    async throws
  {
    let server = try FaultServer(Self.faults)
    defer { server.stop() }
    let settings = Self.settings {
      $0.maximumBytes = 100_000
      if code == .timeout { $0.timeout = .seconds(1) }
    }
    let result = try await Self.fetch(server, path, settings: settings)
    guard case .failure(let error) = result else {
      Issue.record("\(path) did not fail")
      return
    }
    #expect(error.code == code, "\(error.message)")
    #expect(error.isRetryable == isRetryable)
    #expect(!error.message.isEmpty)
  }

  private static let faults: [String: FaultServer.Route] = [
    "/410": { _, connection in connection.respond("410 Gone") },
    "/503": { _, connection in connection.respond("503 Service Unavailable", ["Retry-After": "7"])
    },
    "/429": { _, connection in connection.respond("429 Too Many Requests") },
    "/short": { _, connection in
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nonly this")
    },
    "/reset": { _, connection in
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nonly this")
      connection.reset()
    },
    "/none": { _, _ in },
    "/loop": { _, connection in connection.respond("302 Found", ["Location": "/loop"]) },
    "/scheme": { _, connection in
      connection.respond("302 Found", ["Location": "file:///etc/passwd"])
    },
    "/hang": { _, connection in connection.hang() },
    "/endless": { _, connection in
      connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
      while connection.send("1000\r\n" + String(repeating: "x", count: 4096) + "\r\n") {}
    },
    "/long": { _, connection in
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5000000000\r\n\r\n")
      connection.hang()
    },
    "/headers": { _, connection in
      connection.send("HTTP/1.1 200 OK\r\n")
      while connection.send(
        "X-\(Int.random(in: 0..<99)): \(String(repeating: "y", count: 2000))\r\n")
      {}
    },
    "/gzipbad": { _, connection in
      connection.respond("200 OK", ["Content-Encoding": "gzip"], Array("this is not gzip".utf8))
    },
    "/gzipbomb": { _, connection in
      connection.respond("200 OK", ["Content-Encoding": "gzip"], bomb)
    },
    "/br": { _, connection in
      connection.respond("200 OK", ["Content-Encoding": "br"], Array("whatever".utf8))
    },
    "/forbidden": { _, connection in
      connection.respond("302 Found", ["Location": "http://169.254.169.254/latest/meta-data"])
    },
  ]

  /// 50 MB of zeros in about 50 kB of gzip, compressed with the `gzip` command.
  private static let bomb: [UInt8] = {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", "head -c 50000000 /dev/zero | gzip -9"]
    let pipe = Pipe()
    process.standardOutput = pipe
    guard (try? process.run()) != nil else { return [] }
    let data = pipe.fileHandleForReading.readAll()
    process.waitUntilExit()
    return Array(data)
  }()

  /// Configured headers are sent to the requested origin only, not to one that it redirects to.
  /// The beginning of a source may be read, however large the whole is.
  @Test(arguments: [(true, nil), (false, .tooLarge)] as [(Bool, FetchError.Code?)])
  func onlyWholeSourcesMayBeTooLarge(_ isForBeginning: Bool, _ code: FetchError.Code?) async throws
  {
    let server = try FaultServer([
      "/large": { _, connection in
        connection.send(
          "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n" + String(repeating: "x", count: 999))
        connection.hang()
      }
    ])
    defer { server.stop() }
    let fetcher = try Fetcher(Self.settings { $0.maximumBytes = 100_000 })
    defer { fetcher.close() }
    var request = FetchRequest(url: server.url("/large"), deadline: .seconds(10))
    request.isForBeginning = isForBeginning
    let result = await fetcher.fetch(request, host: "one", into: Bucket(limit: 10)).result
    let found: FetchError.Code? = if case .failure(let error) = result { error.code } else { nil }
    #expect(found == code)
  }

  @Test func doesNotSendHeadersToAnotherOrigin() async throws {
    let other = try FaultServer([
      "/there": { request, connection in
        connection.respond("200 OK", [:], Array((request.headers["x-key"] ?? "none").utf8))
      }
    ])
    let server = try FaultServer([
      "/here": { request, connection in
        // A header for a host that this one is not never arrives.
        let key = request.headers["x-other"] ?? request.headers["x-key"] ?? "none"
        connection.respond("200 OK", [:], Array(key.utf8))
      },
      "/stay": { _, connection in connection.respond("302 Found", ["Location": "/here"]) },
      "/leave": { _, connection in
        connection.respond("307 Temporary Redirect", ["Location": other.url("/there")])
      },
      "/nowhere": { _, connection in connection.respond("302 Found") },
    ])
    defer {
      server.stop()
      other.stop()
    }
    let fetcher = try Fetcher(
      Self.settings {
        $0.headers = [
          .init(name: "X-Key", value: "secret"),
          .init(name: "X-Other", value: "other", host: "other.example"),
        ]
      })
    defer { fetcher.close() }
    func fetch(_ path: String) async -> (FetchResult, String) {
      let bucket = Bucket()
      let result = await fetcher.fetch(
        FetchRequest(url: server.url(path), deadline: .seconds(10)), host: "one", into: bucket)
      return (result, String(decoding: bucket.content, as: UTF8.self))
    }
    let stay = await fetch("/stay")
    #expect(stay.1 == "secret")
    #expect(stay.0.requests == 2)
    #expect(try stay.0.result.get().url == server.url("/here"))
    #expect(await fetch("/leave").1 == "none")
    guard case .failure(let error) = await fetch("/nowhere").0.result else {
      Issue.record("no error")
      return
    }
    #expect(error.code == .redirect)
  }

  @Test func readsRetryAfter() async throws {
    let server = try FaultServer(Self.faults)
    defer { server.stop() }
    guard case .failure(let error) = try await Self.fetch(server, "/503") else { return }
    #expect(error.retryAfter == .seconds(7))
    #expect(error.message == "the server answered 503 Service Unavailable")
  }

  @Test func endsASlowTransferAtItsDeadline() async throws {
    let server = try FaultServer([
      "/drip": { _, connection in
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        while connection.send("x") { connection.pause(0.2) }
      }
    ])
    defer { server.stop() }
    let result = try await Self.fetch(server, "/drip", deadline: .seconds(2))
    guard case .failure(let error) = result else {
      Issue.record("no error")
      return
    }
    // Only the deadline ends it so: the whole body takes 200 seconds.
    #expect(error.code == .timeout)
  }

  @Test func dropsTheTransferWhenTheReceiverHasEnough() async throws {
    let server = try FaultServer([
      "/big": { _, connection in
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 50000000\r\n\r\n")
        let part = [UInt8](repeating: 7, count: 100_000)
        for _ in 0..<500 { guard connection.send(part) else { return } }
      }
    ])
    defer { server.stop() }
    let response = try await Self.fetch(server, "/big", bucket: Bucket(limit: 1000)).get()
    guard case .stopped = response.ending else {
      Issue.record("\(response.ending)")
      return
    }
    #expect(response.bytes < 5_000_000)
  }

  @Test func rejectsLoopbackAndSaysHowToAllowIt() async throws {
    let server = try FaultServer()
    defer { server.stop() }
    let result = try await Self.fetch(server, "/", settings: FetchSettings())
    guard case .failure(let error) = result else {
      Issue.record("no error")
      return
    }
    #expect(error.code == .addressRejected)
    #expect(error.message.hasSuffix("add allow: [loopback] to the pipeline's \"fetch\""))
    #expect(server.total == 0)
  }

  /// Spellings that only the resolver understands are judged by the resulting address.
  @Test(
    .faults(.n19),
    arguments: [
      "2130706433", "0x7f.1", "0177.0.0.1", "127.1", "localhost", "[::ffff:127.0.0.1]", "0",
    ])
  func rejectsEverySpellingOfLoopback(_ host: String) async throws {
    let server = try FaultServer()
    defer { server.stop() }
    let fetcher = try Fetcher(FetchSettings(timeout: .seconds(10)))
    defer { fetcher.close() }
    let result = await fetcher.fetch(
      FetchRequest(url: "http://\(host):\(server.port)/", deadline: .seconds(20)), host: host,
      into: Bucket())
    guard case .failure(let error) = result.result else {
      Issue.record("no error")
      return
    }
    #expect(error.code == .addressRejected, "\(error.message)")
    #expect(server.total == 0)
  }

  @Test(.faults(.n42)) func limitsTransfersPerHost() async throws {
    // The requests in progress, and their maximum.
    let asked = Mutex((now: 0, most: 0))
    let server = try FaultServer([
      "/slow": { _, connection in
        asked.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
        connection.pause(0.1)
        asked.withLock { $0.now -= 1 }
        connection.respond()
      }
    ])
    defer { server.stop() }
    let fetcher = try Fetcher(Self.settings { $0.perHost = 3 })
    defer { fetcher.close() }
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<12 {
        group.addTask {
          _ = await fetcher.fetch(
            FetchRequest(url: server.url("/slow"), deadline: .seconds(20)), host: "one",
            into: Bucket())
        }
      }
    }
    #expect(server.count("/slow") == 12)
    #expect(asked.withLock(\.most) <= 3)
  }

  /// Slow answers to many requests for several hosts: as many at a time as allowed, altogether and for
  /// each host (N42).
  @Test(.faults(.n42)) func limitsAllTransfersTogether() async throws {
    let transfers = Mutex((now: [Int: Int](), most: 0, mostOfOne: 0))
    let servers = try (0..<4).map { host in
      try FaultServer([
        "/slow": { _, connection in
          transfers.withLock {
            $0.now[host, default: 0] += 1
            $0.most = max($0.most, $0.now.values.reduce(0, +))
            $0.mostOfOne = max($0.mostOfOne, $0.now[host, default: 0])
          }
          connection.pause(0.2)
          transfers.withLock { $0.now[host, default: 0] -= 1 }
          connection.respond()
        }
      ])
    }
    defer { for server in servers { server.stop() } }
    let fetcher = try Fetcher(
      Self.settings {
        $0.concurrency = 5
        $0.perHost = 2
      })
    defer { fetcher.close() }
    await withTaskGroup(of: Void.self) { group in
      for index in 0..<64 {
        let server = servers[index % servers.count]
        group.addTask {
          _ = await fetcher.fetch(
            FetchRequest(url: server.url("/slow"), deadline: .seconds(30)),
            host: "\(server.port)", into: Bucket())
        }
      }
    }
    #expect(servers.map(\.total) == [16, 16, 16, 16])
    let most = transfers.withLock { [$0.most, $0.mostOfOne] }
    #expect(most == [5, 2])
  }

  /// A host's pause applies to later requests, too, even if none was queued when it began.
  @Test func aPauseAppliesToLaterRequests() async throws {
    let server = try FaultServer([
      "/busy": { $1.respond("429 Too Many Requests", ["Retry-After": "1"]) },
      "/next": { $1.respond("200 OK", [:], [1]) },
    ])
    defer { server.stop() }
    let fetcher = try Fetcher(Self.settings())
    defer { fetcher.close() }
    let clock = ContinuousClock.now
    for path in ["/busy?1", "/busy?2", "/busy?3", "/next"] {
      _ = await fetcher.fetch(
        FetchRequest(url: server.url(path), deadline: .seconds(20)),
        host: "127.0.0.1:\(server.port)", into: Bucket())
    }
    #expect(clock.duration(to: .now) >= .seconds(1))
    #expect(server.count("/next") == 1)
  }

  @Test func endsWhenItsTaskIsCancelled() async throws {
    let server = try FaultServer(Self.faults)
    defer { server.stop() }
    let fetcher = try Fetcher(Self.settings { $0.timeout = .seconds(30) })
    defer { fetcher.close() }
    let task = Task {
      await fetcher.fetch(
        FetchRequest(url: server.url("/hang"), deadline: .seconds(60)), host: "one", into: Bucket())
    }
    try await Task.sleep(for: .milliseconds(200))
    task.cancel()
    guard case .failure(let error) = await task.value.result else {
      Issue.record("no error")
      return
    }
    #expect(error.code == .cancelled)
  }

  /// All requests are for one host, which has its only transfer: the free transfers stay unused.
  @Test func reportsWhenQueuedRequestsCannotStart() async throws {
    let server = try FaultServer(Self.faults)
    defer { server.stop() }
    let fetcher = try Fetcher(Self.settings { $0.perHost = 1 })
    let (calls, call) = AsyncStream.makeStream(of: Void.self)
    fetcher.whenBlocked { call.yield() }
    #expect(!fetcher.isBlocked)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<600 {
        group.addTask {
          _ = await fetcher.fetch(
            FetchRequest(url: server.url("/hang"), deadline: .seconds(60)), host: "one",
            into: Bucket())
        }
      }
      var iterator = calls.makeAsyncIterator()
      await iterator.next()
      #expect(fetcher.isBlocked)
      // A function that is set while the fetcher is blocked is called at once.
      let late = Mutex(0)
      fetcher.whenBlocked { late.withLock { $0 += 1 } }
      #expect(late.withLock(\.self) == 1)
      fetcher.close()
    }
  }
}
