import Foundation
import TesseraBytes
import TesseraCatalogFoundation
import TesseraTestSupport
import Testing

@testable import TesseraCatalog

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A loader with a server on loopback that misbehaves.
@Suite struct CatalogLoaderTests {
  private let folder: TemporaryFolder
  private let server: FaultServer
  private let old: Catalog
  private let new: Catalog
  private let oldDocument: [UInt8]
  private let newDocument: [UInt8]

  init() throws {
    folder = try TemporaryFolder()
    server = try FaultServer()
    (oldDocument, old) = Self.document(["a", "b"])
    (newDocument, new) = Self.document(["a", "b", "c"])
  }

  @Sendable private static func sha256(_ bytes: [UInt8]) -> [UInt8] {
    MessageDigest.sha256.digest(of: bytes)
  }

  private static func document(_ ids: [String]) -> (bytes: [UInt8], catalog: Catalog) {
    CatalogFixture.document(
      CatalogFixture.catalog(ids.map { CatalogImage(id: $0, status: .pending) }))
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

  /// The changes between two catalogs.
  private static func changes(
    from old: Catalog, to new: [UInt8], _ lines: String
  ) -> [UInt8] {
    let head = String(decoding: new.prefix { $0 != 10 }, as: UTF8.self)
    let text =
      #"{"schema":"tessera-changes/1","from":"\#(old.digest ?? "")","#
      + #""to":"\#(CatalogDocument.statedDigest(of: new) ?? "")","#
      + #""head":"\#(head.replacing("\"", with: "\\\""))","lines":\#(lines)}"#
    return Array(text.utf8)
  }

  /// As a run writes it: what leads from `old` to `new`.
  private func serveChanges() {
    let line = String(decoding: new.images[2].json, as: UTF8.self).replacing("\"", with: "\\\"")
    serve(path(of: old), Self.changes(from: old, to: newDocument, "[[0,1],\"\(line)\"]"))
  }

  private func serveCurrent(_ catalog: Catalog, _ document: [UInt8]) {
    serve(
      path(of: catalog),
      Self.changes(from: catalog, to: document, "[[0,\(catalog.images.count - 1)]]"))
  }

  private func origin(_ update: CatalogUpdate) -> String {
    switch update.origin {
    case .unchanged: "unchanged"
    case .changes: "changes"
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

  @Test func changesAreOneRequest() async throws {
    serve("catalog.json", oldDocument)
    let loader = try loader()
    #expect(await loader.cached() == nil)
    let first = try await loader.load()
    #expect(origin(first) == "whole")
    #expect(first.catalog == old && first.storingError == nil)
    #expect(await loader.cached() == old)
    #expect(server.total == 1)

    serveCurrent(old, oldDocument)
    let second = try await loader.load()
    #expect(origin(second) == "unchanged")
    #expect(second.catalog == old)

    serve("catalog.json", newDocument)
    serveChanges()
    let third = try await loader.load()
    #expect(origin(third) == "changes")
    #expect(third.catalog == new)
    #expect(await loader.cached() == new)
    #expect(server.total == 3 && server.count("/feed/\(path(of: old))") == 2)
  }

  /// There are no changes, or none that can be used.
  @Test(arguments: ["403 Forbidden", "404 Not Found", "410 Gone", "200 OK"])
  func otherwiseTheWholeIsFetched(_ status: String) async throws {
    serve("catalog.json", newDocument)
    serve(path(of: old), Array("{}".utf8), status)
    let update = try await loader().update(from: old)
    #expect(origin(update) == "whole")
    #expect(update.catalog == new)
    #expect(server.total == 2)
    #expect(await (try loader()).cached() == new)
  }

  /// The document that changes apply to is not stored any more, or is another one.
  @Test(arguments: [nil, "", "other"])
  func changesNeedTheStoredDocument(_ stored: String?) async throws {
    serve("catalog.json", oldDocument)
    let loader = try loader()
    _ = try await loader.load()
    serve("catalog.json", newDocument)
    serveChanges()
    switch stored {
    case nil: try FileManager.default.removeItem(atPath: folder.path("cache/catalog.json"))
    case "other":
      let text = String(decoding: oldDocument, as: UTF8.self)
      try folder.write(text.replacing("\"a\"", with: "\"x\""), to: "cache/catalog.json")
    default: try folder.write("", to: "cache/catalog.json")
    }
    let update = try await loader.update(from: old)
    #expect(origin(update) == "whole")
    #expect(update.catalog == new && server.total == 3)
    #expect(await loader.cached() == new)
  }

  @Test func withoutANetworkTheStoredOneIsShown() async throws {
    serve("catalog.json", oldDocument)
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
    serve("catalog.json", oldDocument)
    let loader = try loader()
    for damage in [
      "", "x", String(decoding: newDocument, as: UTF8.self).replacing("\"c\"", with: "\"d\""),
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
      serve("catalog.json", newDocument, status)
      #expect(
        await message(loader.load)
          == "/feed/catalog.json?v=1: the server answered \(status.prefix(3))")
    }
    let text = String(decoding: newDocument, as: UTF8.self)
    serve("catalog.json", Array(text.replacing("\"c\"", with: "\"d\"").utf8))
    #expect(await message(loader.load).contains("the catalog was altered"))
    serve("catalog.json", Array(text.utf8.dropLast(9)))
    #expect(await message(loader.load).contains("the catalog is cut off here"))
    #expect(folder.files(below: "cache").isEmpty)
  }

  /// With a length in its head, and without.
  @Test func anAnswerHasALimit() async throws {
    let bytes = newDocument
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
    let file = try folder.write(String(decoding: newDocument, as: UTF8.self), to: "file.json")
    func redirect(to location: String) {
      server.route("/feed/catalog.json") { _, connection in
        connection.respond("302 Found", ["Location": location])
      }
    }
    serve("other.json", newDocument)
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
    serve("catalog.json", oldDocument)
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
    serve("catalog.json", newDocument)
    serveChanges()
    serveCurrent(new, newDocument)
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
