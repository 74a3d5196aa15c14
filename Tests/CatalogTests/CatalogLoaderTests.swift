import Foundation
import TesseraBytes
import TesseraCatalog
import TesseraCatalogFoundation
import TesseraTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A loader with a server on loopback that misbehaves.
@Suite struct CatalogLoaderTests {
  private let folder: TemporaryFolder
  private let server: FaultServer
  private let old = Self.catalog(["a", "b"])
  private let new = Self.catalog(["a", "b", "c"])

  init() throws {
    folder = try TemporaryFolder()
    server = try FaultServer()
  }

  @Sendable private static func sha256(_ bytes: [UInt8]) -> [UInt8] {
    MessageDigest.sha256.digest(of: bytes)
  }

  private static func catalog(_ ids: [String]) -> Catalog {
    var catalog = CatalogFixture.catalog(ids.map { CatalogImage(id: $0, status: .pending) })
    catalog.digest = catalog.contentDigest(sha256)
    return catalog
  }

  private func loader(maximumBytes: Int = 256_000_000, cache: String = "cache") throws
    -> CatalogLoader
  {
    CatalogLoader(
      try #require(URL(string: server.url("/feed/catalog.json?v=1"))),
      cache: folder.url.appending(path: cache), maximumBytes: maximumBytes, sha256: Self.sha256)
  }

  private func serve(_ path: String, _ body: [UInt8], _ status: String = "200 OK") {
    server.route("/feed/\(path)") { _, connection in connection.respond(status, [:], body) }
  }

  private func path(of catalog: Catalog) -> String { "from-\(catalog.digest ?? "").json" }

  /// As a run writes it: what leads from `old` to `new`.
  private func servePatch() {
    let (from, to) = (old.digest ?? "", new.digest ?? "")
    let text =
      #"{"from":"\#(from)","to":"\#(to)","digest":"\#(to)","count":3,"#
      + #""images":{"b":{"next":"c"},"c":{"status":"pending"}}}"#
    serve(path(of: old), Array(text.utf8))
  }

  private func serveCurrent(_ catalog: Catalog) {
    let digest = catalog.digest ?? ""
    serve(path(of: catalog), Array(#"{"from":"\#(digest)","to":"\#(digest)","images":{}}"#.utf8))
  }

  private func origin(_ update: CatalogUpdate) -> String {
    switch update.origin {
    case .unchanged: "unchanged"
    case .patch: "patch"
    case .whole: "whole"
    case .cache(let error): "cache: \(error)"
    }
  }

  /// The error of a body as a sentence, or "none".
  private func message(_ body: () async throws -> CatalogUpdate) async -> String {
    do {
      return "none: \(try await body().origin)"
    } catch {
      return "\(error)".replacing(server.url(""), with: "")
    }
  }

  @Test func aPatchIsOneRequest() async throws {
    serve("catalog.json", old.json())
    let loader = try loader()
    #expect(await loader.cached() == nil)
    let first = try await loader.load()
    #expect(origin(first) == "whole")
    #expect(first.catalog == old && first.storingError == nil)
    #expect(await loader.cached() == old)
    #expect(server.total == 1)

    serveCurrent(old)
    let second = try await loader.load()
    #expect(origin(second) == "unchanged")
    #expect(second.catalog == old)

    serve("catalog.json", new.json())
    servePatch()
    let third = try await loader.load()
    #expect(origin(third) == "patch")
    #expect(third.catalog == new)
    #expect(await loader.cached() == new)
    #expect(server.total == 3 && server.count("/feed/\(path(of: old))") == 2)
  }

  /// There is no patch, or none that can be used.
  @Test(arguments: ["403 Forbidden", "404 Not Found", "410 Gone", "200 OK"])
  func otherwiseTheWholeIsFetched(_ status: String) async throws {
    serve("catalog.json", new.json())
    serve(path(of: old), Array("{}".utf8), status)
    let update = try await loader().update(from: old)
    #expect(origin(update) == "whole")
    #expect(update.catalog == new)
    #expect(server.total == 2)
    #expect(await (try loader()).cached() == new)
  }

  @Test func withoutANetworkTheStoredOneIsShown() async throws {
    serve("catalog.json", old.json())
    let loader = try loader()
    _ = try await loader.load()
    serve(path(of: old), [], "503 Service Unavailable")
    for expected in ["the server answered 503", "URL"] {
      let update = try await loader.load()
      #expect(origin(update).hasPrefix("cache: ") && origin(update).contains(expected))
      #expect(update.catalog == old)
      server.stop()
    }
    // The whole is not fetched from a server in trouble.
    #expect(server.count("/feed/catalog.json?v=1") == 1)
    await #expect(throws: URLError.self) { try await loader.update(from: old) }
    await #expect(throws: URLError.self) { try await self.loader(cache: "none").load() }
  }

  @Test func aDamagedFileIsAsNone() async throws {
    serve("catalog.json", old.json())
    let loader = try loader()
    for damage in [
      "", "x", String(decoding: new.json(), as: UTF8.self).replacing("\"c\"", with: "\"d\""),
    ] {
      try folder.write(damage, to: "cache/catalog.json")
      #expect(await loader.cached() == nil)
      let update = try await loader.load()
      #expect(origin(update) == "whole")
      #expect(await loader.cached() == old)
    }
    #expect(folder.files(below: "cache") == ["catalog.json"])
    // A folder that can't be made: the app has its catalog all the same.
    try folder.write("", to: "file")
    let update = try await self.loader(cache: "file/x").load()
    #expect(update.catalog == old && update.storingError != nil)
  }

  @Test func whatIsRejected() async throws {
    let loader = try loader()
    #expect(await message(loader.load) == "/feed/catalog.json?v=1: there is no catalog")
    for status in [
      "204 No Content", "206 Partial Content", "403 Forbidden", "500 Internal Server Error",
    ] {
      serve("catalog.json", new.json(), status)
      #expect(
        await message(loader.load)
          == "/feed/catalog.json?v=1: the server answered \(status.prefix(3))")
    }
    let text = String(decoding: new.json(), as: UTF8.self)
    serve("catalog.json", Array(text.replacing("\"c\"", with: "\"d\"").utf8))
    #expect(await message(loader.load).contains("the catalog was altered"))
    serve("catalog.json", Array(text.utf8.dropLast(9)))
    #expect(await message(loader.load).contains("the catalog is cut off here"))
    #expect(folder.files(below: "cache").isEmpty)
  }

  /// With a length in its head, and without.
  @Test func anAnswerHasALimit() async throws {
    let bytes = new.json()
    serve("catalog.json", bytes)
    #expect(try await loader(maximumBytes: bytes.count).load().catalog == new)
    let limit = bytes.count - 1
    let small = try loader(maximumBytes: limit, cache: "small")
    let expected = "/feed/catalog.json?v=1: the answer has more than \(limit) bytes"
    #expect(await message(small.load) == expected)
    server.route("/feed/catalog.json") { _, connection in
      connection.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
      // Without an end, until the client closes the connection.
      while connection.send(bytes) {}
    }
    #expect(await message(small.load) == expected)
  }

  /// A redirect may lead to another place, and not to another kind of place.
  @Test func redirects() async throws {
    let file = try folder.write(String(decoding: new.json(), as: UTF8.self), to: "file.json")
    func redirect(to location: String) {
      server.route("/feed/catalog.json") { _, connection in
        connection.respond("302 Found", ["Location": location])
      }
    }
    serve("other.json", new.json())
    redirect(to: server.url("/feed/other.json"))
    #expect(try await loader().load().catalog == new)
    let other = try loader(cache: "other")
    // On Linux, Foundation takes one without a host for a path of the same server.
    for (location, reason) in [
      ("ftp://127.0.0.1/x", "the server answered 302"), ("file://\(file)", "there is no catalog"),
      ("data:application/json,{}", "there is no catalog"),
    ] {
      redirect(to: location)
      #expect(await message(other.load) == "/feed/catalog.json?v=1: \(reason)", "\(location)")
    }
  }

  @Test func aCancelledTaskEnds() async throws {
    serve("catalog.json", old.json())
    let loader = try loader()
    _ = try await loader.load()
    // An app that gave up does not get the stored catalog instead.
    server.route("/feed/\(path(of: old))") { _, connection in connection.hang() }
    let waiting = Task { try await loader.load() }
    while server.total < 2 { try await Task.sleep(for: .milliseconds(5)) }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    let early = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await loader.load()
    }
    await #expect(throws: CancellationError.self) { try await early.value }
    #expect(server.total == 2)
  }

  @Test func severalAtATime() async throws {
    serve("catalog.json", new.json())
    servePatch()
    serveCurrent(new)
    let loader = try loader()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<20 {
        group.addTask {
          let update = try await number % 2 == 0 ? loader.load() : loader.update(from: old)
          #expect(update.catalog == new && update.storingError == nil)
        }
      }
      try await group.waitForAll()
    }
    #expect(await loader.cached() == new)
    #expect(folder.files(below: "cache") == ["catalog.json"])
  }
}
