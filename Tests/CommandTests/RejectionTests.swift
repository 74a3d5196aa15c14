import Foundation
import Synchronization
import TesseraCatalog
import TesseraTestSupport
import Testing

/// Rejected sources are not fetched or decoded again until they change.
@Suite struct RejectionTests {
  /// A server with one path, whose version tests change. With ETags or without.
  private final class VersionedServer: Sendable {
    let server: FaultServer
    private let now: Mutex<(tag: String, bytes: [UInt8], hasTags: Bool)>
    /// The number of responses with a body.
    private let bodies = Mutex(0)

    init(_ tag: String, _ bytes: [UInt8], hasTags: Bool = true) throws {
      server = try FaultServer()
      now = Mutex((tag, bytes, hasTags))
      server.route("/a") { [self] request, connection in
        let (tag, bytes, hasTags) = now.withLock(\.self)
        if hasTags, request.headers["if-none-match"] == "\"\(tag)\"" {
          return connection.respond("304 Not Modified", ["ETag": "\"\(tag)\""])
        }
        bodies.withLock { $0 += 1 }
        connection.respond("200 OK", hasTags ? ["ETag": "\"\(tag)\""] : [:], bytes)
      }
    }

    func change(_ tag: String, _ bytes: [UInt8], hasTags: Bool = true) {
      now.withLock { $0 = (tag, bytes, hasTags) }
    }

    var counts: [Int] { [server.total, bodies.withLock(\.self)] }
  }

  private static let page = Array("<!doctype html><title>Sorry</title>".utf8)

  private static func why(_ fixture: RunFixture, _ id: String = "a") async throws -> String {
    try await Tool.tessera("why", fixture.folder.path("out"), id).output
  }

  private static func fixture(_ versions: VersionedServer, _ keys: String = "") throws -> RunFixture
  {
    try RunFixture(
      manifest: #"{"id":"a","url":"\#(versions.server.url("/a"))"}"# + "\n",
      keys: "fail-above: 100%\n\(keys)")
  }

  @Test(.faults(.n23), arguments: ["truncated.jpg", "page", "too large"])
  func unchangedRejectedSourcesAreNotFetchedAgain(_ kind: String) async throws {
    let bytes =
      try kind == "page"
      ? Self.page : Places.bytes(kind == "too large" ? "tall-900x20000.png" : kind)
    let versions = try VersionedServer("1", bytes)
    defer { versions.server.stop() }
    let keys = kind == "too large" ? "limits: {pixels: 1MP}" : ""
    let fixture = try Self.fixture(versions, keys)
    #expect(try await fixture.run().status == 1)
    let first = try fixture.catalogText
    #expect(try fixture.catalog.images[0].status == .failed)
    #expect(try await fixture.run().status == 1)
    #expect(versions.counts == [2, 2])
    for count in 3...4 {
      #expect(try await fixture.run().status == 1)
      #expect(try fixture.catalogText == first)
      #expect(versions.counts == [count, 2])
      #expect(try fixture.report["fetch.notModified"] == 1)
    }
    let why = try await Self.why(fixture)
    #expect(why.contains("requested: the previous response was unusable"), "\(why)")
    #expect(why.contains("the server answered that it has not changed"), "\(why)")
    // --retry-failed checks it again.
    #expect(try await fixture.run("--retry-failed").status == 1)
    #expect(versions.counts == [5, 3])
    #expect(try fixture.catalogText == first)
    #expect(try await fixture.run().status == 1)
    #expect(versions.counts == [6, 3])
    // A valid image is accepted at once.
    versions.change("2", try Places.bytes("plain.jpg"))
    #expect(try await fixture.run().status == 0)
    #expect(versions.counts == [7, 4])
    #expect(try await fixture.run().status == 0)
    #expect(versions.counts == [8, 4])
    try await fixture.expectWhole()
  }

  /// Without ETags the bytes are fetched again, but not decoded.
  @Test func knownUndecodableBytesAreNotDecodedAgain() async throws {
    let versions = try VersionedServer("1", try Places.bytes("truncated.jpg"), hasTags: false)
    defer { versions.server.stop() }
    let fixture = try Self.fixture(versions)
    #expect(try await fixture.run().status == 1)
    let first = try fixture.catalogText
    #expect(try await fixture.run().status == 1)
    var why = try await Self.why(fixture)
    #expect(why.contains("fetched: the same unusable bytes as last time"), "\(why)")
    #expect(!why.contains("decoded before"), "\(why)")
    #expect(try await fixture.run().status == 1)
    #expect(try fixture.catalogText == first)
    why = try await Self.why(fixture)
    #expect(why.contains("these bytes could not be decoded before"), "\(why)")
    // A changed pipeline may decode them.
    try fixture.write(keys: "fail-on: none")
    #expect(try await fixture.run().status == 0)
    #expect(versions.counts == [4, 4])
  }

  /// A raised limit accepts an unchanged source that was rejected.
  @Test func changedPipelineChecksAgain() async throws {
    let versions = try VersionedServer("1", try Places.bytes("plain.jpg"))
    defer { versions.server.stop() }
    let fixture = try Self.fixture(versions, "limits: {pixels: 1000}")
    for _ in 0..<3 { #expect(try await fixture.run().status == 1) }
    #expect(try fixture.catalog.images[0].error?.code == "too-many-pixels")
    #expect(versions.counts == [3, 2])
    try fixture.write(keys: "limits: {pixels: 1MP}")
    #expect(try await fixture.run().status == 0)
    #expect(versions.counts == [4, 3])
    // Rejected again, the item has no files, and the rejection is remembered.
    try fixture.write(keys: "limits: {pixels: 1000}")
    for _ in 0..<3 { #expect(try await fixture.run("--allow-loss").status == 1) }
    #expect(try fixture.catalog.images[0].status == .failed)
    #expect(versions.counts == [7, 5])
  }

  /// If a valid image becomes invalid, its item is stale until the server has a valid one.
  @Test(arguments: ["truncated.jpg", "page"])
  func itemsWithInvalidUpdatesStayStale(_ bad: String) async throws {
    let versions = try VersionedServer("good", try Places.bytes("plain.jpg"))
    defer { versions.server.stop() }
    let fixture = try Self.fixture(versions)
    #expect(try await fixture.run().status == 0)
    let good = try fixture.catalog.images[0]
    versions.change("bad", bad == "page" ? Self.page : try Places.bytes(bad))
    var texts: Set<String> = []
    for _ in 0..<3 {
      #expect(try await fixture.run().status == 1)
      let image = try fixture.catalog.images[0]
      #expect(image.status == .stale)
      #expect(image.variants == good.variants)
      #expect([image.width, image.height] == [good.width, good.height])
      texts.insert(try fixture.catalogText)
    }
    #expect(texts.count == 1)
    #expect(versions.counts == [4, 3])
    // The valid image is back, with known bytes.
    versions.change("good", try Places.bytes("plain.jpg"))
    #expect(try await fixture.run().status == 0)
    #expect(try fixture.catalog.images[0] == good)
    #expect(try fixture.report["decodes"] == 0)
    #expect(versions.counts == [5, 4])
    #expect(try await fixture.run().status == 0)
    #expect(versions.counts == [6, 4])
  }

  /// A body of unknown length that was truncated in transfer does not reject its version.
  @Test(.faults(.n7)) func truncatedTransfersAreFetchedAgain() async throws {
    let bytes = try Places.bytes("plain.jpg")
    let server = try FaultServer()
    defer { server.stop() }
    server.route("/a") { request, connection in
      if request.headers["if-none-match"] != nil { return connection.respond("304 Not Modified") }
      connection.send("HTTP/1.1 200 OK\r\nETag: \"1\"\r\nConnection: close\r\n\r\n")
      connection.send(bytes.prefix(request.before == 0 ? bytes.count / 2 : bytes.count))
    }
    let fixture = try RunFixture(manifest: server.url("/a") + "\n")
    #expect(try await fixture.run().status == 1)
    #expect(try fixture.catalog.images[0].error?.code == "decode")
    #expect(try await fixture.run().status == 0)
  }

  /// An image replaces an HTML page with the same Last-Modified date: dates are not used to
  /// revalidate rejections.
  @Test func imagesWithOldDatesReplacePages() async throws {
    let isGood = Mutex(false)
    let plain = try Places.bytes("plain.jpg")
    let server = try FaultServer()
    defer { server.stop() }
    server.route("/a") { request, connection in
      if request.headers["if-modified-since"] != nil {
        return connection.respond("304 Not Modified")
      }
      connection.respond(
        "200 OK", ["Last-Modified": "Mon, 01 Jun 2026 10:00:00 GMT"],
        isGood.withLock(\.self) ? plain : Self.page)
    }
    let fixture = try RunFixture(manifest: server.url("/a") + "\n")
    for _ in 0..<3 { #expect(try await fixture.run().status == 1) }
    isGood.withLock { $0 = true }
    #expect(try await fixture.run().status == 0)
    #expect(server.total == 4)
  }

  /// Two URLs may use the same ETag for different versions.
  @Test func changedRedirectsAreFollowed() async throws {
    let target = Mutex("/old")
    let plain = try Places.bytes("plain.jpg")
    let server = try FaultServer([
      "/a": { $1.respond("302 Found", ["Location": target.withLock(\.self)]) }
    ])
    defer { server.stop() }
    for (path, bytes) in [("/old", Self.page), ("/new", plain)] {
      server.route(path) { request, connection in
        if request.headers["if-none-match"] == "\"1\"" {
          return connection.respond("304 Not Modified")
        }
        connection.respond("200 OK", ["ETag": "\"1\""], bytes)
      }
    }
    let fixture = try RunFixture(manifest: server.url("/a") + "\n")
    for _ in 0..<3 { #expect(try await fixture.run().status == 1) }
    #expect(try fixture.report["fetch.notModified"] == 1)
    target.withLock { $0 = "/new" }
    #expect(try await fixture.run().status == 0)
    #expect(try await fixture.run().status == 0)
    #expect(try fixture.report["fetch.notModified"] == 1)
  }

  /// A layout run does not store an invalid version's ETag for the valid one of the same size.
  @Test func layoutRunDoesNotAcceptARejectedVersion() async throws {
    let versions = try VersionedServer("1", try Places.bytes("plain.jpg"), hasTags: false)
    defer { versions.server.stop() }
    let fixture = try Self.fixture(versions)
    #expect(try await fixture.run().status == 0)
    versions.change("2", Array(try Places.bytes("plain.jpg").dropLast(3_000)), hasTags: true)
    #expect(try await fixture.run().status == 1)
    #expect(try fixture.catalog.images[0].status == .stale)
    _ = try await fixture.run("--layout-only")
    #expect(try await fixture.run().status == 1)
    #expect(try fixture.catalog.images[0].error?.code == "decode")
  }

  /// A rejection with one token does not apply to another token.
  @Test func rejectionsDependOnTheToken() async throws {
    let plain = try Places.bytes("plain.jpg")
    let server = try FaultServer()
    defer { server.stop() }
    server.route("/a") { request, connection in
      // Every conditional request gets 304, whatever its token.
      if request.headers["if-none-match"] != nil { return connection.respond("304 Not Modified") }
      let isGood = request.path.hasSuffix("good")
      connection.respond("200 OK", ["ETag": "\"1\""], isGood ? plain : Self.page)
    }
    func manifest(_ token: String) -> String {
      #"{"id":"a","url":"\#(server.url("/a?token=\(token)"))"}"# + "\n"
    }
    let fixture = try RunFixture(
      manifest: manifest("bad"), keys: "fetch: {allow: loopback, retries: 0, ignore-query: [token]}"
    )
    for _ in 0..<3 { #expect(try await fixture.run().status == 1) }
    #expect(server.total == 3)
    #expect(try fixture.report["fetch.notModified"] == 1)
    try fixture.folder.write(manifest("good"), to: "manifest")
    #expect(try await fixture.run().status == 0)
    // The first token still leads to a page; the valid image is stale.
    try fixture.folder.write(manifest("bad"), to: "manifest")
    #expect(try await fixture.run().status == 1)
    #expect(try fixture.catalog.images[0].status == .stale)
    #expect(server.total == 5)
  }
}
