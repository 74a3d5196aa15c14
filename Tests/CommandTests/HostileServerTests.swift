import Foundation
import Synchronization
import TesseraCatalog
import TesseraTestSupport
import Testing

/// Servers and name servers that try to make a run do what it must not do.
@Suite struct HostileServerTests {
  /// Redirects lead to http and https only: no file is opened, no other protocol is spoken (N18).
  /// Not even to a folder from which the manifest itself may name files.
  @Test(.faults(.n18)) func redirectsLeaveNoOtherSchemeIn() async throws {
    let folder = try TemporaryFolder()
    try Data(Places.bytes("plain.jpg")).write(to: URL(filePath: folder.path("canary.jpg")))
    let canary = try FaultServer()
    let server = try FaultServer()
    defer {
      canary.stop()
      server.stop()
    }
    let file = folder.path("canary.jpg")
    let place = "127.0.0.1:\(canary.port)/a"
    let targets = [
      "file://\(file)", "file:\(file)", "FILE://\(file)", "file://localhost\(file)",
      "file:/\(file)",
      " file://\(file)", "gopher://\(place)", "ftp://\(place)", "ftps://\(place)", "scp://\(place)",
      "sftp://\(place)", "dict://\(place)", "telnet://\(place)", "ldap://\(place)",
      "smb://\(place)",
      "tftp://\(place)", "imap://\(place)", "ws://\(place)", "data:image/png;base64,AAAA",
    ]
    for (index, target) in targets.enumerated() {
      server.route("/\(index)") { $1.respond("302 Found", ["Location": target]) }
    }
    let fixture = try RunFixture(
      manifest: targets.indices.map { server.url("/\($0)") + "\n" }.joined(),
      keys: "fail-above: 100%\nshrink-above: 100%\n"
        + "fetch: {allow: [loopback, \"files:\(folder.path(""))\"], retries: 0}")
    let watch = try OpenWatch(folder.path(""))
    #expect(try await fixture.run().status == 1)
    #expect(!watch.hasNoticed())
    #expect(try fixture.catalog.images.map { $0.error?.code } == targets.map { _ in "redirect" })
    #expect(canary.connections == 0)
    // The watch works: the manifest may name the file.
    try fixture.folder.write("file://\(file)\n", to: "manifest")
    #expect(try await fixture.run().status == 0)
    #expect(watch.hasNoticed())
  }

  /// A name server's answers, and what they must lead to.
  struct Rebinding {
    var answers: [String]
    var path = "/image"
    var connectError: Int32?
    var expected = "address-rejected"
    /// The requests that arrive at the public address.
    var requests = 0
  }

  private static let publicAddress = ResolverShim.publicAddress
  private static let rebindings: [Rebinding] = [
    // The name leads here at once, or beside a public address that does not respond.
    Rebinding(answers: ["127.0.0.1"]),
    Rebinding(answers: ["\(publicAddress)+127.0.0.1"], connectError: ECONNREFUSED),
    Rebinding(answers: ["127.0.0.1+\(publicAddress)"], expected: "ok", requests: 1),
    Rebinding(answers: [publicAddress], expected: "ok", requests: 1),
    // After the first hop: another port needs another query.
    Rebinding(answers: [publicAddress, "127.0.0.1"], path: "/moved", requests: 1),
    Rebinding(answers: [publicAddress, "::ffff:127.0.0.1"], path: "/moved", requests: 1),
    Rebinding(answers: [publicAddress, "169.254.169.254"], path: "/moved", requests: 1),
    Rebinding(answers: [publicAddress], path: "/moved", expected: "ok", requests: 1),
  ]

  /// A name that leads to another address the second time does not lead into this machine (N20).
  @Test(.faults(.n20), arguments: rebindings)
  func namesThatChangeTheirAddressAreRejected(_ rebinding: Rebinding) async throws {
    let canary = try FaultServer(["/image": { $1.fixture("one-pixel.png") }])
    let server = try FaultServer(["/image": { $1.fixture("one-pixel.png") }])
    defer {
      canary.stop()
      server.stop()
    }
    server.route("/moved") {
      $1.respond(
        "302 Found", ["Location": "http://\(ResolverShim.name):\(canary.port)/image"])
    }
    let fixture = try RunFixture(
      manifest: "http://\(ResolverShim.name):\(server.port)\(rebinding.path)\n",
      keys: "fetch: {retries: 0}")
    let shim = try await ResolverShim(in: fixture.folder)
    _ = try await fixture.run(
      environment: shim.environment(
        answers: rebinding.answers, connectError: rebinding.connectError))
    let image = try fixture.catalog.images[0]
    #expect(image.error?.code ?? image.status.rawValue == rebinding.expected, "\(image)")
    #expect(server.total == rebinding.requests)
    let isThere = rebinding.expected == "ok" && rebinding.path == "/moved"
    #expect(canary.connections == (isThere ? 1 : 0))
  }

  /// The network or the host is unreachable, the name is unknown, or the port is closed: an error
  /// with its code, after all attempts (N36).
  @Test(.faults(.n36)) func unreachableHostsAreRetried() async throws {
    let gone = try FaultServer()
    gone.stop()
    defer { withExtendedLifetime(gone) {} }
    let unreachable = "http://\(ResolverShim.name):8080/a"
    let cases: [(String, Int32?, String)] = [
      (unreachable, ENETUNREACH, "network"), (unreachable, EHOSTUNREACH, "network"),
      (unreachable, ETIMEDOUT, "timeout"), ("http://no-such-name.invalid/", nil, "dns"),
      (gone.url("/a"), nil, "network"),
    ]
    let folder = try TemporaryFolder()
    let shim = try await ResolverShim(in: folder)
    for (url, error, code) in cases {
      let fixture = try RunFixture(
        manifest: url + "\n", keys: "fetch: {allow: loopback, retries: 2, deadline: 20s}")
      let result = try await fixture.run(
        environment: shim.environment(
          answers: [ResolverShim.publicAddress], connectError: error))
      #expect(result.status == 1, "\(result.errors)")
      let image = try fixture.catalog.images[0]
      #expect(image.error?.code == code, "\(url) \(error ?? 0)")
      #expect(image.error?.retryable == true)
      #expect(try fixture.report["fetch.retries"] == 2)
      #expect(try fixture.report["fetch.requests"] == 0)
    }
  }

  /// Cookies are never sent back, and a user's password not to another host (N22).
  @Test(.faults(.n22, .n55)) func cookiesAreForgotten() async throws {
    let seen = Mutex<[String]>([])
    let (server, other) = (try FaultServer(), try FaultServer())
    defer {
      server.stop()
      other.stop()
    }
    @Sendable func note(_ name: String, _ request: FaultServer.Request) {
      let cookie = request.headers["cookie"] ?? "none"
      let key = request.headers["authorization"] ?? "none"
      seen.withLock { $0.append("\(name)\(request.path) \(cookie) \(key)") }
    }
    let cookies = ["Set-Cookie": "session=1; Path=/; Domain=127.0.0.1; Max-Age=3600"]
    for path in ["/1", "/2"] {
      server.route(path) { request, connection in
        note("server", request)
        connection.fixture("one-pixel.png", cookies)
      }
    }
    for (path, target) in [("/stay", server.url("/2")), ("/leave", other.url("/3"))] {
      server.route(path) { request, connection in
        note("server", request)
        connection.respond("302 Found", cookies.merging(["Location": target]) { $1 })
      }
    }
    other.route("/3") { request, connection in
      note("other", request)
      connection.fixture("one-pixel.png")
    }
    let urls = [
      server.url("/1"), server.url("/stay"),
      server.url("/leave").replacing("http://", with: "http://u:p@"),
    ]
    let fixture = try RunFixture(
      manifest: urls.map { $0 + "\n" }.joined(),
      keys: "fetch: {allow: loopback, concurrency: 1, revalidate: always}")
    // The second run has the same URLs, and could have kept cookies.
    for _ in 0..<2 {
      #expect(try await fixture.run().status == 0)
      #expect(
        Set(seen.withLock(\.self)) == [
          "server/1 none none", "server/stay none none", "server/2 session=1 none",
          "server/leave none Basic dTpw", "other/3 none none",
        ])
    }
  }

  /// The content decides what an image is, not the declared type (N39), and no name that a server
  /// suggests is used (N40).
  @Test(.faults(.n39, .n40)) func declaredTypesAndNamesAreIgnored() async throws {
    let server = try FaultServer(["/plain": { $1.fixture("plain.jpg") }])
    defer { server.stop() }
    let types = [
      "text/html", "text/html; charset=utf-8", "text/plain", "application/json", "image/png",
      "image/svg+xml", "video/mp4", "application/octet-stream", "application/x-msdownload", "",
      "nonsense", "image/jpeg\u{e9}", "multipart/byteranges; boundary=x",
    ]
    let names = [
      "attachment; filename=\"../../escaped.webp\"", "attachment; filename=/tmp/escaped.webp",
      "inline; filename*=UTF-8''..%2F..%2Fescaped.webp", "attachment; filename=\"a.exe\"",
    ]
    let headers =
      types.map { ["Content-Type": $0] } + names.map { ["Content-Disposition": $0] }
    let page = Array("<!doctype html><title>Sign in</title>".utf8)
    for (index, headers) in headers.enumerated() {
      server.route("/image/\(index)") { $1.fixture("plain.jpg", headers) }
    }
    for (index, type) in ["image/png", "image/jpeg", "image/webp", "image/*"].enumerated() {
      server.route("/page/\(index)") { $1.respond("200 OK", ["Content-Type": type], page) }
    }
    let urls =
      ["/plain"] + headers.indices.map { "/image/\($0)" } + (0..<4).map { "/page/\($0)" }
    let fixture = try RunFixture(manifest: urls.map { server.url($0) + "\n" }.joined())
    #expect(try await fixture.run().status == 1)
    let images = try fixture.catalog.images
    for image in images[1...headers.count] {
      var first = images[0]
      (first.id, first.url) = (image.id, image.url)
      #expect(image == first)
    }
    #expect(
      images.suffix(4).map { $0.error?.code } == Array(repeating: "not-image", count: 4))
    // Only the variants of the one image, under their own names, and nothing beside the output.
    #expect(fixture.folder.files(below: "out/variants").count == images[0].variants.count)
    #expect(
      Set(fixture.folder.files(below: "").map { $0.split(separator: "/")[0] })
        == ["feed.yaml", "manifest", "out"])
    try await fixture.expectWhole()
  }

  /// Real Brotli is decoded; damaged Brotli is an error, and so is what only claims to be it (N26).
  @Test(.faults(.n26)) func brotliIsDecoded() async throws {
    // Made with `brotli -q 11` from one-pixel.png.
    let packed = try #require(Data(base64Encoded: Self.onePixelInBrotli)).map(\.self)
    let brotli = ["Content-Encoding": "br"]
    let server = try FaultServer([
      "/whole": { $1.respond("200 OK", brotli, packed) },
      "/cut": { $1.respond("200 OK", brotli, Array(packed.prefix(packed.count / 2))) },
      "/noise": { $1.respond("200 OK", brotli, Array("not Brotli at all".utf8)) },
      "/plain": { $1.fixture("one-pixel.png", brotli) },
    ])
    defer { server.stop() }
    let paths = ["/whole", "/cut", "/noise", "/plain"]
    let fixture = try RunFixture(manifest: paths.map { server.url($0) + "\n" }.joined())
    #expect(try await fixture.run().status == 1)
    let outcomes = try fixture.catalog.images.map { $0.error?.code ?? $0.status.rawValue }
    #expect(outcomes == ["ok", "decode", "bad-encoding", "bad-encoding"])
    try await fixture.expectWhole()
  }

  private static let onePixelInBrotli =
    "DyKAiVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mM4oaEBAALUARk7rVwIAAAAAElFTkSuQmCCAw=="

  /// Servers that answer HEAD with other headers than GET, or with an error, mislead no command: only
  /// GET counts (N38).
  @Test(
    .faults(.n38),
    arguments: [
      "200 OK\r\nContent-Type: text/html\r\nContent-Length: 7", "405 Method Not Allowed",
    ])
  func headersOfHEADAreNotBelieved(_ head: String) async throws {
    let methods = Mutex<Set<String>>([])
    let bytes = try Places.bytes("rotated-phone-shot.jpg")
    let server = try FaultServer()
    defer { server.stop() }
    server.route("/a") { request, connection in
      _ = methods.withLock { $0.insert(request.method) }
      guard request.method == "HEAD" else { return connection.file(bytes, for: request) }
      connection.send("HTTP/1.1 \(head)\r\nConnection: close\r\n\r\n")
    }
    let fixture = try RunFixture(manifest: server.url("/a") + "\n")
    let pipeline = fixture.folder.path("feed.yaml")
    let plan = try await Tool.tessera("plan", pipeline, "--probe")
    #expect(plan.output.contains("\n\n1 image in the manifest\n"), "\(plan.output)")
    let probe = try await Tool.tessera("probe", "--allow", "loopback", server.url("/a"))
    #expect(probe.output == "\(server.url("/a")): 600 x 800 jpeg\n")
    #expect(try await fixture.run("--layout-only").status == 0)
    #expect(try await fixture.run().status == 0)
    #expect(try fixture.catalog.images.map { [$0.width, $0.height] } == [[600, 800]])
    #expect(methods.withLock(\.self) == ["GET"])
  }
}
