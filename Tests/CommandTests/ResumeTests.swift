import Foundation
import Synchronization
import TesseraCatalog
import TesseraTestSupport
import Testing

/// Interrupted downloads are resumed, and versions are never mixed.
@Suite struct ResumeTests {
  /// Sends the first half of a file and closes the connection.
  private static func half(
    _ bytes: [UInt8], _ etag: String, _ connection: FaultServer.Connection
  ) {
    connection.send("HTTP/1.1 200 OK\r\nETag: \(etag)\r\nContent-Length: \(bytes.count)\r\n\r\n")
    connection.send(bytes.prefix(bytes.count / 2))
  }

  /// How a server responds to a request for the rest, and what the client then requests.
  private enum Reply: String, CaseIterable {
    case rest, otherVersion, ignoresIfRange, otherOffset, otherTotal, half, multipart, unsaid
    case noVersion, longer, shorter, elsewhere
    case rejects, notSatisfiable, resets

    var needsAll: Bool { ![.rest, .otherVersion, .resets, .shorter].contains(self) }
    var needsRetry: Bool { self == .resets || self == .shorter }
  }

  private static func reply(
    _ kind: Reply, _ request: FaultServer.Request, _ bytes: [UInt8],
    _ connection: FaultServer.Connection
  ) {
    guard let range = request.range else { return connection.respond("200 OK", [:], bytes) }
    func part(_ range: Range<Int>, total: Int, _ headers: [String: String] = [:]) {
      var headers = headers
      headers["Content-Range"] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total)"
      connection.respond("206 Partial Content", headers, Array(bytes[range]))
    }
    let count = bytes.count
    switch kind {
    case .rest: part(range, total: count, ["ETag": "\"1\""])
    case .otherVersion: connection.respond("200 OK", ["ETag": "\"2\""], bytes)
    case .ignoresIfRange: part(range, total: count, ["ETag": "\"2\""])
    case .otherOffset: part(range.lowerBound - 1..<count, total: count, ["ETag": "\"1\""])
    case .otherTotal: part(range, total: count + 10, ["ETag": "\"1\""])
    case .half: part(range.lowerBound..<count - 20, total: count, ["ETag": "\"1\""])
    // Without an ETag it may be of any version.
    case .noVersion: part(range, total: count)
    case .longer, .shorter:
      let body = kind == .longer ? bytes[range] + [1, 2, 3] : bytes[range].dropLast(3)
      if kind == .shorter, request.before > 1 {
        return part(range, total: count, ["ETag": "\"1\""])
      }
      connection.respond(
        "206 Partial Content",
        [
          "Content-Range": "bytes \(range.lowerBound)-\(count - 1)/\(count)", "ETag": "\"1\"",
        ], Array(body))
    // The same ETag at another URL.
    case .elsewhere: connection.respond("302 Found", ["Location": "/other"])
    case .multipart:
      connection.respond(
        "206 Partial Content", ["Content-Type": "multipart/byteranges; boundary=x"], bytes)
    case .unsaid: connection.respond("206 Partial Content", [:], Array(bytes[range]))
    case .rejects: connection.respond("501 Not Implemented")
    case .notSatisfiable:
      connection.respond("416 Range Not Satisfiable", ["Content-Range": "bytes */\(count)"])
    case .resets:
      if request.before < 2 {
        connection.send(
          "HTTP/1.1 206 Partial Content\r\nETag: \"1\"\r\nContent-Range: bytes \(range.lowerBound)-\(count - 1)"
            + "/\(count)\r\nContent-Length: \(range.count)\r\n\r\n")
        connection.send(bytes[range].prefix(10))
        connection.reset()
      } else {
        part(range, total: count, ["ETag": "\"1\""])
      }
    }
  }

  @Test(.faults(.n5, .n13, .n14, .n15)) func restIsRequestedAndVersionsAreNeverMixed() async throws
  {
    let bytes = try Places.bytes("rotated-phone-shot.jpg")
    let server = try FaultServer()
    defer { server.stop() }
    server.route("/whole") { $1.respond("200 OK", [:], bytes) }
    // Other bytes of the same length.
    let others = bytes.map { $0 ^ 1 }
    server.route("/other") { $1.file(others, for: $0, etag: "\"1\"") }
    for kind in Reply.allCases {
      server.route("/\(kind.rawValue)") { request, connection in
        if request.before == 0 { return Self.half(bytes, "\"1\"", connection) }
        if request.range != nil { #expect(request.headers["if-range"] == "\"1\"") }
        Self.reply(kind, request, bytes, connection)
      }
    }
    let names = ["whole"] + Reply.allCases.map(\.rawValue)
    let fixture = try RunFixture(
      manifest: names.map { #"{"id":"\#($0)","url":"\#(server.url("/\($0)"))"}"# + "\n" }.joined(),
      keys: "fetch: {allow: loopback, retries: 2}")
    let result = try await fixture.run()
    #expect(result.status == 0, "\(result.errors)")
    let images = try fixture.catalog.images
    for image in images { #expect(image.variants == images[0].variants, "\(image.id)") }
    for kind in Reply.allCases {
      let requests = kind.needsAll || kind.needsRetry ? 3 : 2
      #expect(server.count("/\(kind.rawValue)") == requests, "\(kind)")
    }
    try await fixture.expectWhole()
  }

  /// A transfer that stalls is given up, and the next attempt requests the rest (N3).
  @Test(.faults(.n3)) func stalledTransfersAreResumed() async throws {
    let bytes = try Places.bytes("rotated-phone-shot.jpg")
    let server = try FaultServer()
    defer { server.stop() }
    let ranges = Mutex<[Range<Int>?]>([])
    server.route("/a") { request, connection in
      ranges.withLock { $0.append(request.range) }
      guard request.before == 0 else { return connection.file(bytes, for: request, etag: "\"1\"") }
      Self.half(bytes, "\"1\"", connection)
      connection.hang()
    }
    let fixture = try RunFixture(
      manifest: server.url("/a") + "\n",
      keys: "fetch: {allow: loopback, retries: 1, deadline: 60s}")
    #expect(try await fixture.run().status == 0)
    #expect(ranges.withLock(\.self) == [nil, bytes.count / 2..<bytes.count])
    #expect(try fixture.report["fetch.retries"] == 1)
    try await fixture.expectWhole()
  }

  /// Without a strong ETag and a known length, the whole body is requested again.
  @Test(.faults(.n16)) func bodiesWithoutAStrongETagAreRequestedAgain() async throws {
    let bytes = try Places.bytes("plain.jpg")
    let server = try FaultServer()
    defer { server.stop() }
    let heads = [
      "weak": "ETag: W/\"1\"\r\nContent-Length: \(bytes.count)",
      "date": "Last-Modified: Mon, 02 Nov 2026 10:00:00 GMT\r\nContent-Length: \(bytes.count)",
      "chunked": "ETag: \"1\"\r\nTransfer-Encoding: chunked",
    ]
    for (name, head) in heads {
      server.route("/\(name)") { request, connection in
        #expect(request.range == nil)
        if request.before > 0 { return connection.respond("200 OK", [:], bytes) }
        connection.send("HTTP/1.1 200 OK\r\n\(head)\r\n\r\n")
        if name == "chunked" { connection.send("200\r\n") }
        connection.send(bytes.prefix(name == "chunked" ? 512 : 2000))
        connection.reset()
      }
    }
    let fixture = try RunFixture(
      manifest: heads.keys.map { server.url("/\($0)") + "\n" }.joined(),
      keys: "fetch: {allow: loopback, retries: 1}")
    #expect(try await fixture.run().status == 0)
    #expect(try fixture.report["fetch.retries"] == 3)
  }

  /// An item's entry changes in a run that is killed before it reaches the item: the next run uses
  /// the new entry.
  @Test func changedEntriesSurviveAKilledRun() async throws {
    let server = try FaultServer([
      "/p": { $1.fixture("plain.jpg", ["Cache-Control": "max-age=3600"]) }, "/hang": { $1.hang() },
    ])
    defer { server.stop() }
    func line(_ price: Int) -> String {
      #"{"id":"p","url":"\#(server.url("/p"))","extra":{"price":\#(price)}}"# + "\n"
    }
    let keys = "fetch: {allow: loopback, retries: 0, order: newest-first, concurrency: 1}"
    let fixture = try RunFixture(manifest: line(10), keys: keys)
    #expect(try await fixture.run().status == 0)
    let hanging = (0..<1_200).map { server.url("/hang?\($0)") + "\n" }.joined()
    let urls = hanging.split(separator: "\n").map { #"{"url":"\#($0)"}"# + "\n" }.joined()
    try fixture.folder.write(line(99) + urls, to: "manifest")
    let running = try fixture.start()
    while server.total < 2 { try await Task.sleep(for: .milliseconds(20)) }
    running.signal(SIGKILL)
    _ = await running.end()
    try fixture.folder.write(line(99), to: "manifest")
    #expect(try await fixture.run().status == 0)
    #expect(try fixture.catalog.images[0].extra?["price"]?.integerValue == 99)
    #expect(server.count("/p") == 1)
  }

  /// If one item finds a source changed, the change applies to all later items of the run.
  @Test func changedSourcesApplyToAllItems() async throws {
    let hasChanged = Mutex(false)
    let server = try FaultServer([
      "/p": { _, connection in
        let name = hasChanged.withLock(\.self) ? "rotated-phone-shot.jpg" : "grey.png"
        connection.fixture(name, ["Cache-Control": "max-age=3600"])
      },
      "/f": { $1.fixture("one-pixel.png", ["Cache-Control": "max-age=3600"]) },
    ])
    defer { server.stop() }
    func line(_ id: String, _ slot: String) -> String {
      #"{"id":"\#(id)","url":"\#(server.url("/p"))","slots":["\#(slot)"]}"# + "\n"
    }
    let keys = "fetch: {allow: loopback, retries: 0, concurrency: 16, per-host: 16}"
    let fixture = try RunFixture(manifest: line("a", "avatar"), keys: keys)
    #expect(try await fixture.run().status == 0)
    hasChanged.withLock { $0 = true }
    // Enough items that "a" starts after "b" has finished; the manifest is read in one chunk.
    let fillers = (0..<1_100).map { #"{"url":"\#(server.url("/f?\($0)"))"}"# + "\n" }.joined()
    try #require(fillers.utf8.count < 60_000)
    try fixture.folder.write(line("b", "card") + fillers + line("a", "avatar"), to: "manifest")
    let result = try await fixture.run()
    #expect(result.status == 0, "\(result.errors)")
    let images = try fixture.catalog.images
    #expect(images.first?.height == 800)
    #expect(images.last?.id == "a" && images.last?.height == 800)
  }

  /// --retry-failed does not request a new item's source if it is known and fresh.
  @Test func newItemsOfFreshSourcesAreNotRequested() async throws {
    let server = try FaultServer([
      "/p": { $1.fixture("plain.jpg", ["Cache-Control": "max-age=3600"]) }
    ])
    defer { server.stop() }
    func line(_ id: String) -> String { #"{"id":"\#(id)","url":"\#(server.url("/p"))"}"# + "\n" }
    let fixture = try RunFixture(manifest: line("a"))
    #expect(try await fixture.run().status == 0)
    try fixture.folder.write(line("a") + line("b"), to: "manifest")
    #expect(try await fixture.run("--retry-failed").status == 0)
    #expect(try fixture.catalog.images.map(\.status) == [.ok, .ok])
    #expect(server.count("/p") == 1)
  }

  /// `extra: null` differs from a missing `extra`, also in remembered results.
  @Test func explicitNullsAreKept() async throws {
    let server = try FaultServer([
      "/a": {
        $1.respond(
          "200 OK", ["Cache-Control": "max-age=60"], (try? Places.bytes("plain.jpg")) ?? [])
      }
    ])
    defer { server.stop() }
    let entries = ["", #","extra":null"#].map {
      #"{"id":"a","url":"\#(server.url("/a"))"\#($0)}"# + "\n"
    }
    let fixture = try RunFixture(manifest: entries[0])
    for (index, extra) in [(0, nil), (1, .null), (0, nil)] as [(Int, CatalogValue?)] {
      try fixture.folder.write(entries[index], to: "manifest")
      #expect(try await fixture.run().status == 0)
      #expect(try fixture.catalog.images[0].extra == extra)
    }
    #expect(server.count("/a") == 1)
  }
}
