import Foundation
import Synchronization
import TesseraCatalog
import TesseraTestSupport
import Testing

/// What a later run requests, whole runs against a real server: freshness and validators across
/// redirects.
@Suite struct CachingTests {
  /// A server on which `/a` redirects to a place that tests change. Each place has an image, under
  /// the same ETag as all others.
  private final class RedirectingServer: Sendable {
    let server: FaultServer
    private let target: Mutex<(path: String, headers: [String: String])>
    /// The conditional requests: the path of each.
    private let conditions = Mutex<[String]>([])

    init(to path: String, _ headers: [String: String] = [:]) throws {
      server = try FaultServer()
      target = Mutex((path, headers))
      server.route("/a") { [self] request, connection in
        let (path, headers) = target.withLock(\.self)
        note(request)
        connection.respond(
          "302 Found", headers.merging(["Location": path]) { $1 }, Array("Moved".utf8))
      }
    }

    /// - Parameter headers: of a full response, and of a "not modified".
    func place(_ path: String, _ fixture: String, _ headers: [String: String]) {
      server.route(path) { [self] request, connection in
        note(request)
        let isKnown =
          headers["ETag"].map { request.headers["if-none-match"] == $0 }
          ?? headers["Last-Modified"].map { request.headers["if-modified-since"] == $0 } ?? false
        if isKnown { return connection.respond("304 Not Modified", headers) }
        connection.fixture(fixture, headers)
      }
    }

    func redirect(to path: String, _ headers: [String: String] = [:]) {
      target.withLock { $0 = (path, headers) }
    }

    private func note(_ request: FaultServer.Request) {
      guard
        request.headers["if-none-match"] != nil || request.headers["if-modified-since"] != nil
      else { return }
      conditions.withLock { $0.append(String(request.path.prefix { $0 != "?" })) }
    }

    func takeConditions() -> [String] {
      conditions.withLock { conditions in
        defer { conditions = [] }
        return conditions
      }
    }
  }

  private static let forever = "immutable, max-age=31536000"

  // MARK: Freshness (N31, N43)

  /// The headers of the redirect and of its target, and the requests that a second run makes: for
  /// `/a`, and for the target.
  @Test(
    .faults(.n43),
    arguments: [
      (["Cache-Control": "no-store"], ["Cache-Control": forever], [1, 1]),
      ([:], ["Cache-Control": forever], [1, 1]),
      (["Cache-Control": "max-age=600"], ["Cache-Control": forever], [0, 0]),
      (["Cache-Control": "max-age=600"], ["Cache-Control": "no-store"], [1, 1]),
      (["Cache-Control": "max-age=600"], [:], [1, 1]),
      (["Cache-Control": "max-age=600", "Age": "600"], ["Cache-Control": forever], [1, 1]),
    ] as [([String: String], [String: String], [Int])])
  func freshnessIsTheLeastOfAllHops(
    _ redirect: [String: String], _ target: [String: String], _ requests: [Int]
  ) async throws {
    let places = try RedirectingServer(to: "/one", redirect)
    defer { places.server.stop() }
    places.place("/one", "plain.jpg", target)
    let fixture = try RunFixture(manifest: places.server.url("/a") + "\n")
    #expect(try await fixture.run().status == 0)
    #expect(try await fixture.run().status == 0)
    #expect([places.server.count("/a") - 1, places.server.count("/one") - 1] == requests)
  }

  /// The image behind a redirect is replaced, although its target is fresh for a year.
  @Test func aRedirectThatLeadsElsewhereIsNoticed() async throws {
    let places = try RedirectingServer(to: "/one", ["Cache-Control": "no-store"])
    defer { places.server.stop() }
    places.place("/one", "plain.jpg", ["Cache-Control": Self.forever])
    places.place("/two", "lossy.webp", ["Cache-Control": Self.forever])
    let fixture = try RunFixture(manifest: places.server.url("/a") + "\n")
    #expect(try await fixture.run().status == 0)
    places.redirect(to: "/two")
    #expect(try await fixture.run().status == 0)
    #expect(try fixture.catalog.images[0].format == "webp")
  }

  /// A layout run requests later ranges from the redirect's target itself: the redirect still counts.
  @Test func aLayoutRunRemembersTheRedirect() async throws {
    let places = try RedirectingServer(to: "/one", ["Cache-Control": "no-store"])
    defer { places.server.stop() }
    // Its size follows an Exif block that is longer than the first range.
    let plain = try Places.bytes("plain.jpg")
    let block = [0xFF, 0xE1, 0x4E, 0x20] + [UInt8](repeating: 0, count: 0x4E20 - 2)
    let photo = plain.prefix(2) + block + plain.dropFirst(2)
    places.server.route("/one") { request, connection in
      connection.file(
        Array(photo), for: request, etag: "\"1\"", ["Cache-Control": Self.forever])
    }
    let fixture = try RunFixture(manifest: places.server.url("/a") + "\n")
    #expect(try await fixture.run("--layout-only").status == 0)
    #expect(places.server.count("/one") > 1)
    #expect(try await fixture.run("--layout-only").status == 0)
    #expect(places.server.count("/a") == 2)
  }

  // MARK: Validators (N31, N44)

  /// A second run is answered 304 by the target, and the redirect gets no validators.
  @Test(
    .faults(.n31),
    arguments: [
      ["ETag": "\"1\""], ["Last-Modified": "Mon, 01 Jun 2026 10:00:00 GMT"],
    ])
  func theTargetIsRevalidated(_ headers: [String: String]) async throws {
    let places = try RedirectingServer(to: "/one")
    defer { places.server.stop() }
    places.place("/one", "plain.jpg", headers)
    let fixture = try RunFixture(manifest: places.server.url("/a") + "\n")
    #expect(try await fixture.run().status == 0)
    let first = try fixture.catalogText
    #expect(try await fixture.run().status == 0)
    #expect(try fixture.catalogText == first)
    #expect(places.takeConditions() == ["/one"])
    #expect(try fixture.report["fetch.notModified"] == 1)
    #expect(try fixture.report["fetch.bytes"] == 0)
  }

  /// The redirect leads to another image with the same validator: the whole is requested.
  @Test(
    .faults(.n44),
    arguments: [
      ["ETag": "\"1\""], ["Last-Modified": "Mon, 01 Jun 2026 10:00:00 GMT"],
    ])
  func anotherPlaceIsNotAskedWithTheValidator(_ headers: [String: String]) async throws {
    let places = try RedirectingServer(to: "/one")
    defer { places.server.stop() }
    places.place("/one", "plain.jpg", headers)
    places.place("/two", "lossy.webp", headers)
    let fixture = try RunFixture(
      manifest: places.server.url("/a") + "\n", keys: "catalog: {profile: full}")
    #expect(try await fixture.run().status == 0)
    places.redirect(to: "/two")
    #expect(try await fixture.run().status == 0)
    #expect(try fixture.catalog.images[0].format == "webp")
    #expect(try fixture.catalog.images[0].provenance?.url == places.server.url("/two"))
    #expect(places.takeConditions() == [])
    // From now on the validator is the new place's.
    #expect(try await fixture.run().status == 0)
    #expect(places.takeConditions() == ["/two"])
  }

  /// A layout run does not take an image at another place for the known one because of its ETag.
  @Test func aLayoutRunComparesNoETagsOfTwoPlaces() async throws {
    let places = try RedirectingServer(to: "/one")
    defer { places.server.stop() }
    places.place("/one", "plain.jpg", ["ETag": "\"1\""])
    places.place("/two", "lossy.webp", ["ETag": "\"1\""])
    let fixture = try RunFixture(manifest: places.server.url("/a") + "\n")
    for path in ["/one", "/two", "/two"] {
      places.redirect(to: path)
      #expect(try await fixture.run("--layout-only").status == 0)
      let format = try fixture.catalog.images[0].format
      #expect(format == (path == "/one" ? "jpeg" : "webp"))
    }
    #expect(places.takeConditions() == ["/two"])
  }

  /// A signed URL is another one each time, and the same place: it is revalidated, and its
  /// signature reaches neither catalog nor state.
  @Test(.faults(.c12)) func aSignedTargetIsOnePlaceAndShowsNoSignature() async throws {
    func target(_ number: Int) -> String {
      "/one?v=2&X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=key\(number)"
        + "&X-Amz-Date=20260601T10000\(number)Z&X-Amz-Expires=60&X-Amz-SignedHeaders=host"
        + "&X-Amz-Signature=secret\(number)"
    }
    let places = try RedirectingServer(to: target(1))
    defer { places.server.stop() }
    places.place("/one", "plain.jpg", ["ETag": "\"1\""])
    let fixture = try RunFixture(
      manifest: #"{"id":"a","url":"\#(places.server.url("/a"))"}"# + "\n",
      keys: "catalog: {profile: full}")
    #expect(try await fixture.run().status == 0)
    let first = try fixture.catalogText
    places.redirect(to: target(2))
    #expect(try await fixture.run().status == 0)
    #expect(places.takeConditions() == ["/one"])
    #expect(try fixture.catalogText == first)
    #expect(try fixture.catalog.images[0].provenance?.url == places.server.url("/one?v=2"))
    let why = try await Tool.tessera("why", fixture.folder.path("out"), "a")
    var texts = [why.output, why.errors]
    for file in fixture.folder.files(below: "out") where !file.hasPrefix("variants/") {
      texts.append(String(decoding: try fixture.folder.read("out/\(file)"), as: UTF8.self))
    }
    for word in ["secret", "X-Amz", "key1", "key2"] {
      #expect(!texts.contains { $0.contains(word) }, "\(word)")
    }
  }

  /// A control character in a validator is sent to no server (N48).
  @Test(.faults(.n48)) func aValidatorWithAControlCharacterIsNotSent() async throws {
    let seen = Mutex<[String]>([])
    let plain = try Places.bytes("plain.jpg")
    let server = try FaultServer()
    defer { server.stop() }
    server.route("/a") { request, connection in
      let names = ["if-none-match", "if-modified-since", "x-own"]
      seen.withLock { $0 += names.compactMap { request.headers[$0] } }
      connection.send(
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: \(plain.count)\r\n"
          + "ETag: \"1\rX-Own: 2\"\r\nLast-Modified: Mon, 01 Jun 2026\u{1}\r\n\r\n")
      connection.send(plain)
    }
    let fixture = try RunFixture(
      manifest: server.url("/a") + "\n", keys: "catalog: {profile: full}")
    for _ in 0..<2 { #expect(try await fixture.run().status == 0) }
    #expect(server.total == 2)
    #expect(seen.withLock(\.self) == [])
    #expect(try fixture.catalog.images[0].provenance?.etag == nil)
    #expect(try fixture.catalog.images[0].provenance?.lastModified == nil)
  }

  /// A "not modified" without an ETag leaves the known one in force.
  @Test func aNotModifiedWithoutAnETagKeepsIt() async throws {
    let conditions = Mutex<[String]>([])
    let server = try FaultServer()
    defer { server.stop() }
    server.route("/a") { request, connection in
      guard let etag = request.headers["if-none-match"] else {
        return connection.fixture("plain.jpg", ["ETag": "\"1\""])
      }
      conditions.withLock { $0.append(etag) }
      connection.respond("304 Not Modified")
    }
    let fixture = try RunFixture(
      manifest: server.url("/a") + "\n", keys: "catalog: {profile: full}")
    for _ in 0..<4 { #expect(try await fixture.run().status == 0) }
    #expect(conditions.withLock(\.self) == ["\"1\"", "\"1\"", "\"1\""])
    #expect(try fixture.catalog.images[0].provenance?.etag == "\"1\"")
  }
}
