import Foundation
import Synchronization
import TesseraNet
import TesseraTestSupport
import Testing

/// Counts the bytes it receives.
private final class Counter: BodyReceiving {
  let count = Mutex(0)

  func receive(_ more: RawSpan) -> BodyVerdict {
    let size = more.byteCount
    count.withLock { $0 += size }
    return .more
  }
}

/// Servers that violate HTTP, or use it in unusual ways: group N of the faults, route by route.
@Suite(.timeLimit(.minutes(10))) struct ProtocolTests {
  /// The outcome of a fetch: `ok` and its bytes, or the error's code, with an asterisk if it is
  /// retryable.
  private static func outcome(
    _ url: String, deadline: Duration = .seconds(20), minimumSpeed: Int = 1, redirects: Int = 5,
    maximum: Int = 100_000
  ) async throws -> String {
    var settings = FetchSettings(
      timeout: .seconds(10), minimumSpeed: minimumSpeed, maximumBytes: maximum,
      redirects: redirects, addresses: AddressPolicy(allow: ["loopback"]))
    settings.patience = .seconds(3)
    let fetcher = try Fetcher(settings)
    defer { fetcher.close() }
    let counter = Counter()
    let answer = await fetcher.fetch(
      FetchRequest(url: url, deadline: deadline), host: "host", into: counter)
    switch answer.result {
    case .success: return "ok \(counter.count.withLock(\.self))"
    case .failure(let error):
      #expect(!error.message.isEmpty)
      return error.code.rawValue + (error.isRetryable ? "*" : "")
    }
  }

  private static let hello = "hello"

  /// Complete responses, byte for byte, with the outcomes that are allowed.
  @Test(
    .faults(.n8, .n9, .n10, .n11, .n34, .n35),
    arguments: [
      // Lengths.
      ("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello", ["bad-response", "ok 5", "network*"]),
      (
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 9\r\n\r\nhello",
        ["bad-response", "truncated*"]
      ),
      (
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nhello",
        ["too-large", "bad-response"]
      ),
      ("HTTP/1.1 200 OK\r\n\r\nhello", ["ok 5"]),
      ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nhello", ["ok 3"]),
      ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello", ["truncated*"]),
      // Chunks.
      ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", ["ok 5"]),
      (
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\nX-After: 1\r\n\r\n",
        ["ok 5"]
      ),
      ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel", ["truncated*"]),
      (
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n",
        ["network*"]
      ),
      (
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nhello\r\n0\r\n\r\n",
        ["network*"]
      ),
      // Headers.
      (
        "HTTP/1.1 200 OK\r\nX-Nul: a\u{0}b\r\nContent-Length: 5\r\n\r\nhello",
        ["bad-response", "ok 5"]
      ),
      ("HTTP/1.1 200 OK\nContent-Length: 5\n\nhello", ["ok 5"]),
      (
        "HTTP/1.1 200 OK\r\nthis is no header\r\nContent-Length: 5\r\n\r\nhello",
        ["bad-response", "ok 5"]
      ),
      (
        "HTTP/1.1 200 OK\r\nX-Folded: a\r\n b\r\nContent-Length: 5\r\n\r\nhello",
        ["bad-response", "ok 5"]
      ),
      ("HTTP/1.1 200 OK\r\nX-Eight: \u{e9}\r\nContent-Length: 5\r\n\r\nhello", ["ok 5"]),
      ("HTTP/1.1 99 Low\r\nContent-Length: 5\r\n\r\nhello", ["bad-response", "http-status"]),
      ("HTTP/1.1 abc OK\r\nContent-Length: 5\r\n\r\nhello", ["bad-response", "http-status"]),
      ("HTTP/2 200 OK\r\nContent-Length: 5\r\n\r\nhello", ["bad-response", "ok 5"]),
      ("HTTP/1.0 200 OK\r\n\r\nhello", ["ok 5"]),
      ("hello, I am no HTTP server\r\n\r\n", ["bad-response"]),
      ("", ["network*"]),
      ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", ["ok 5"]),
      (
        "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-4/9\r\nContent-Length: 5\r\n\r\nhello",
        ["http-status", "bad-range"]
      ),
      ("HTTP/1.1 304 Not Modified\r\n\r\n", ["http-status"]),
      ("HTTP/1.1 300 Multiple Choices\r\nContent-Length: 0\r\n\r\n", ["http-status", "redirect"]),
    ])
  func unusualResponsesFailOrDeliverTheirBytes(_ answer: String, _ allowed: [String])
    async throws
  {
    let server = try FaultServer(["/": { $1.send(answer) }])
    defer { server.stop() }
    let outcome = try await Self.outcome(server.url("/"))
    #expect(allowed.contains(outcome), "\(outcome)")
  }

  @Test(
    .faults(.n29),
    arguments: [
      (400, false), (401, false), (403, false), (404, false), (405, false), (408, true),
      (410, false),
      (425, true), (429, true), (451, false), (500, true), (501, false), (502, true), (503, true),
      (504, true), (505, false), (599, false), (202, false), (206, false),
    ])
  func transientStatusesAreRetryable(_ status: Int, _ isRetryable: Bool) async throws {
    let server = try FaultServer(["/": { $1.respond("\(status) Whatever") }])
    defer { server.stop() }
    let outcome = try await Self.outcome(server.url("/"))
    #expect(outcome == (isRetryable ? "http-status*" : "http-status"))
  }

  /// Retry-After in both forms, and malformed.
  @Test(
    .faults(.n27),
    arguments: [
      ("7", 7...7), ("0", 0...0), ("-1", nil), ("soon", nil), ("99999999999999999999", nil),
      ("Fri, 31 Dec 2100 23:59:59 GMT", 86_400...4_000_000_000),
      ("Mon, 02 Nov 2015 10:00:00 GMT", 0...0),
    ] as [(String, ClosedRange<Int>?)])
  func readsRetryAfter(_ text: String, _ expected: ClosedRange<Int>?) async throws {
    let server = try FaultServer(["/": { $1.respond("503 Busy", ["Retry-After": text]) }])
    defer { server.stop() }
    let fetcher = try Fetcher(
      FetchSettings(timeout: .seconds(10), addresses: AddressPolicy(allow: ["loopback"])))
    defer { fetcher.close() }
    let answer = await fetcher.fetch(
      FetchRequest(url: server.url("/"), deadline: .seconds(20)), host: "h", into: Counter())
    guard case .failure(let error) = answer.result else {
      Issue.record("no error")
      return
    }
    let seconds = error.retryAfter.map { Int($0.components.seconds) }
    #expect(
      seconds.map { expected?.contains($0) ?? false } ?? (expected == nil), "\(seconds ?? -1)")
  }

  /// Redirects are followed up to the limit, and never to a scheme or an address that is not
  /// allowed.
  @Test(.faults(.n17, .n19)) func followsRedirectsToTheLimitAndToAllowedAddressesOnly() async throws
  {
    let server = try FaultServer(["/end": { $1.respond("200 OK", [:], Array("hello".utf8)) }])
    defer { server.stop() }
    for number in 1...50 {
      server.route("/\(number)") {
        $1.respond("302 Found", ["Location": number == 1 ? "/end" : "/\(number - 1)"])
      }
    }
    server.route("/grow") { request, connection in
      connection.respond(
        "302 Found", ["Location": request.path + "&" + String(repeating: "x", count: 500)])
    }
    #expect(try await Self.outcome(server.url("/5")) == "ok 5")
    #expect(try await Self.outcome(server.url("/6")) == "redirect")
    #expect(try await Self.outcome(server.url("/50"), redirects: 50) == "ok 5")
    #expect(try await Self.outcome(server.url("/grow?a")) == "redirect")
    // All hops share the budget for headers.
    #expect(try await Self.outcome(server.url("/grow?a"), redirects: 50) == "too-large")
    for target in [
      "file:///etc/passwd", "gopher://127.0.0.1/", "ftp://127.0.0.1/a", "data:,hello", "scp://a/b",
      "javascript:alert(1)", "//", "http://", "http:///path", "HTTP://[", "\u{7f}",
    ] {
      server.route("/to") { $1.respond("302 Found", ["Location": target]) }
      let outcome = try await Self.outcome(server.url("/to"))
      // libcurl reads "path" as a host, like browsers; it is resolved and checked like any other.
      let allowed = target == "http:///path" ? ["dns*"] : ["redirect", "http-status"]
      #expect(allowed.contains(outcome), "\(target): \(outcome)")
    }
    for address in [
      "10.0.0.1", "169.254.169.254", "0.0.0.0", "100.64.0.1", "[::ffff:10.0.0.1]", "[2002:a00:1::]",
      "[64:ff9b::a00:1]", "167772161", "012.0.0.1", "0xa.1", "0xA000001", "10.1", "[fe80::1]",
      "[::]", "224.0.0.1",
    ] {
      server.route("/in") { $1.respond("302 Found", ["Location": "http://\(address)/"]) }
      let outcome = try await Self.outcome(server.url("/in"))
      #expect(outcome == "address-rejected", "\(address): \(outcome)")
    }
  }

  /// Endless bodies, and endless headers.
  @Test(.faults(.n2, .n32)) func endsEndlessResponses() async throws {
    let server = try FaultServer([
      "/endless": { _, connection in
        connection.send("HTTP/1.1 200 OK\r\n\r\n")
        while connection.send([UInt8](repeating: 7, count: 10_000)) {}
      },
      "/slow-head": { _, connection in
        connection.send("HTTP/1.1 200 OK\r\n")
        while connection.send("X: y\r\n") { connection.pause(0.2) }
      },
    ])
    defer { server.stop() }
    #expect(try await Self.outcome(server.url("/endless")) == "too-large")
    #expect(try await Self.outcome(server.url("/slow-head"), deadline: .seconds(2)) == "timeout*")
  }

  /// A byte now and then, or none at all, for ten seconds: a stall.
  @Test(.faults(.n1, .n3), arguments: ["/drip", "/stall"])
  func reportsAStalledTransfer(_ path: String) async throws {
    let server = try FaultServer()
    defer { server.stop() }
    server.route(path) { _, connection in
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nbegin")
      if path == "/stall" { return connection.hang() }
      while connection.send("x") { connection.pause(0.05) }
    }
    let clock = ContinuousClock.now
    let outcome = try await Self.outcome(
      server.url(path), deadline: .seconds(60), minimumSpeed: 1000)
    #expect(outcome == "timeout*")
    #expect(clock.duration(to: .now) > .seconds(9))
  }

  @Test func reportsUnknownNamesAndClosedPorts() async throws {
    let gone = try FaultServer()
    gone.stop()
    defer { withExtendedLifetime(gone) {} }
    #expect(try await Self.outcome("http://no-such-name.invalid/") == "dns*")
    #expect(try await Self.outcome(gone.url("/")) == "network*")
  }

  /// Compressed bodies are decompressed, in every encoding that libcurl supports.
  @Test(.faults(.n25)) func decompressesBodies() async throws {
    let bytes = [UInt8]((0..<2_000).map { _ in UInt8(7) })
    let file = try TemporaryFolder()
    try Data(bytes).write(to: URL(filePath: file.path("a")))
    let packed = try await Tool.run("/bin/sh", ["-c", "gzip -c '\(file.path("a"))' | base64 -w0"])
    let gzip = [UInt8](try #require(Data(base64Encoded: packed.output)))
    let server = try FaultServer([
      "/gzip": { $1.respond("200 OK", ["Content-Encoding": "gzip"], gzip) },
      "/x-gzip": { $1.respond("200 OK", ["Content-Encoding": "x-gzip"], gzip) },
    ])
    defer { server.stop() }
    #expect(try await Self.outcome(server.url("/gzip")) == "ok 2000")
    #expect(try await Self.outcome(server.url("/x-gzip")) == "ok 2000")
  }

  @Test func reachesServersOnIPv6() async throws {
    let folder = try TemporaryFolder()
    try folder.write("hello", to: "a")
    let nginx = try await Nginx(
      serving: URL(filePath: folder.path("")), server: "listen [::1]:PORT;")
    #expect(try await Self.outcome("http://[::1]:\(nginx.port)/a") == "ok 5")
    await nginx.stop()
  }
}

/// TLS: only trusted certificates, and HTTP/2 if the server supports it.
@Suite struct TLSTests {
  /// A certificate authority and the certificates it signs.
  struct Certificates {
    let folder: TemporaryFolder

    init() async throws {
      folder = try TemporaryFolder()
      let script = """
        set -e
        cd '\(folder.path(""))'
        openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 30 -subj /CN=Test
        sign() {
          openssl req -newkey rsa:2048 -nodes -keyout $1.key -out $1.csr -subj "/CN=$2"
          printf 'subjectAltName=%s' "$3" > $1.ext
          openssl x509 -req -in $1.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out $1.pem \
            -extfile $1.ext $4
        }
        sign good localhost "DNS:localhost,IP:127.0.0.1" "-days 5"
        sign other other.example "DNS:other.example" "-days 5"
        openssl req -newkey rsa:2048 -nodes -keyout expired.key -out expired.csr -subj /CN=localhost
        touch index; echo 01 > serial
        printf '[ca]\\ndefault_ca=x\\n[x]\\ndatabase=index\\nserial=serial\\nnew_certs_dir=.\\ndefault_md=sha256\\npolicy=p\\nx509_extensions=e\\n[p]\\ncommonName=supplied\\n[e]\\nsubjectAltName=DNS:localhost,IP:127.0.0.1\\n' > ca.conf
        openssl ca -batch -config ca.conf -in expired.csr -out expired.pem -cert ca.pem -keyfile ca.key \
          -startdate 20200101000000Z -enddate 20200201000000Z
        openssl req -x509 -newkey rsa:2048 -nodes -keyout self.key -out self.pem -days 30 \
          -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1
        """
      let made = try await Tool.run("/bin/bash", ["-c", script])
      try #require(made.status == 0, "\(made.errors)")
    }

    func nginx(_ name: String, _ more: String = "") async throws -> Nginx {
      try await Nginx(
        serving: URL(filePath: folder.path("")), listen: "ssl http2",
        server: "ssl_certificate \(folder.path("\(name).pem")); "
          + "ssl_certificate_key \(folder.path("\(name).key")); \(more)")
    }
  }

  private static func fetch(
    _ nginx: Nginx, trusting certificates: String?
  ) async throws -> Result<FetchResponse, FetchError> {
    var settings = FetchSettings(
      timeout: .seconds(5), addresses: AddressPolicy(allow: ["loopback"]))
    settings.certificates = certificates
    let fetcher = try Fetcher(settings)
    defer { fetcher.close() }
    let url = nginx.url("/serial").replacing("http:", with: "https:")
    return await fetcher.fetch(
      FetchRequest(url: url, deadline: .seconds(10)), host: "h", into: Counter()
    ).result
  }

  /// Of as many requests as the host bears, all but the first share connections.
  @Test func aConnectionOfHTTP2CarriesManyRequests() async throws {
    let certificates = try await Certificates()
    let nginx = try await certificates.nginx("good", "keepalive_requests 10000;")
    var settings = FetchSettings(
      concurrency: 64, perHost: nil, timeout: .seconds(20),
      addresses: AddressPolicy(allow: ["loopback"]))
    settings.certificates = certificates.folder.path("ca.pem")
    let fetcher = try Fetcher(settings)
    defer { fetcher.close() }
    let url = nginx.url("/serial").replacing("http:", with: "https:")
    let good = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<400 {
        group.addTask {
          let request = FetchRequest(url: url, deadline: .seconds(60))
          let answer = await fetcher.fetch(request, host: "h", into: Counter())
          return (try? answer.result.get()) != nil
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(good == 400)
    #expect(try await nginx.connections(after: 400) <= 6)
    await nginx.stop()
  }

  @Test(.faults(.n37)) func acceptsOnlyValidTrustedCertificatesOfTheHost() async throws {
    let certificates = try await Certificates()
    let authority = certificates.folder.path("ca.pem")
    let good = try await certificates.nginx("good")
    _ = try await Self.fetch(good, trusting: authority).get()
    #expect(try await good.protocols(of: 1) == ["HTTP/2.0"])
    func expectRejection(
      _ result: Result<FetchResponse, FetchError>, _ text: String, isRetryable: Bool = false
    ) {
      guard case .failure(let error) = result else {
        Issue.record("\(text) was trusted")
        return
      }
      #expect(error.code == .tls, "\(text): \(error.message)")
      #expect(error.isRetryable == isRetryable, "\(text)")
    }
    // The system does not trust this authority.
    expectRejection(try await Self.fetch(good, trusting: nil), "an unknown authority")
    await good.stop()
    for (name, more) in [
      ("other", ""), ("expired", ""), ("self", ""),
      ("good", "ssl_protocols TLSv1; ssl_ciphers ALL:@SECLEVEL=0;"),
    ] {
      let nginx = try await certificates.nginx(name, more)
      // A failed handshake may be a server that is restarting, so it is retryable; a bad
      // certificate is not.
      expectRejection(
        try await Self.fetch(nginx, trusting: authority), "\(name) \(more)",
        isRetryable: !more.isEmpty)
      await nginx.stop()
    }
  }
}
