import Foundation
import Synchronization
import TesseraImageHeader
import TesseraSizeFetcher
import TesseraTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sizes of images on a server on loopback.
@Suite(.timeLimit(.minutes(1))) struct SizeFetcherTests {
  private let server: FaultServer
  private let sizes = SizeFetcher()

  init() throws { server = try FaultServer() }

  private func url(_ path: String) throws -> URL { try #require(URL(string: server.url(path))) }

  private func serve(_ path: String, _ bytes: [UInt8]) {
    server.route(path) { request, connection in connection.file(bytes, for: request) }
  }

  private func text(_ url: URL, _ fetcher: SizeFetcher? = nil) async -> String {
    do {
      let header = try await (fetcher ?? sizes).size(of: url)
      return "\(header.width)x\(header.height) \(header.format.rawValue)"
    } catch {
      return "\(error)"
    }
  }

  private struct Row: Decodable {
    var name: String
    var base64: Data
    var size: [Int]?
    var format: String?
  }

  /// The first bytes of images, in ranges and from a server that sends everything.
  @Test(arguments: [true, false]) func sharedHeaders(_ hasRanges: Bool) async throws {
    let path = Places.root.appending(path: "Examples/catalog/headers.json")
    let rows = try JSONDecoder().decode([Row].self, from: Data(contentsOf: path))
    #expect(rows.count > 80)
    for (number, row) in rows.enumerated() {
      server.route("/\(number)") { request, connection in
        if hasRanges { return connection.file([UInt8](row.base64), for: request) }
        connection.respond("200 OK", [:], [UInt8](row.base64))
      }
      let found = await text(try url("/\(number)"))
      if let size = row.size, let format = row.format {
        #expect(found == "\(size[0])x\(size[1]) \(format)", "\(row.name)")
        #expect(server.count("/\(number)") <= 8)
      } else {
        #expect(found.hasPrefix("the file is "), "\(row.name): \(found)")
      }
    }
  }

  /// 40 images: their sizes as the header reader sees them, in few requests and bytes.
  @Test func fortyImages() async throws {
    let sent = Mutex(0)
    let open = Mutex((now: 0, most: 0))
    let folders = [Places.fixtures.path, Places.fixtures.appending(path: "formats").path]
    let files = try folders.flatMap { folder in
      try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        .filter { $0.contains(".") }.map { "\(folder)/\($0)" }
    }.prefix(40)
    try #require(files.count == 40)
    for (number, file) in files.enumerated() {
      let bytes = [UInt8](try Data(contentsOf: URL(filePath: file)))
      server.route("/\(number)") { request, connection in
        sent.withLock { $0 += (request.range ?? 0..<0).clamped(to: 0..<bytes.count).count }
        open.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
        connection.pause(0.01)
        open.withLock { $0.now -= 1 }
        connection.file(bytes, for: request)
      }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, file) in files.enumerated() {
        let url = try url("/\(number)")
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: file)))
        guard case .header(let whole) = ImageHeader.read(bytes.span, isWhole: true) else {
          Issue.record("\(file)")
          continue
        }
        group.addTask {
          let header = try await sizes.size(of: url)
          #expect((header.width, header.height) == (whole.width, whole.height), "\(file)")
          #expect(header.format == whole.format, "\(file)")
        }
      }
      try await group.waitForAll()
    }
    let (requests, bytes) = (server.total, sent.withLock { $0 })
    print("40 images: \(requests) requests, \(bytes) bytes")
    #expect(requests <= 60 && bytes <= 40 * 4_100)
    #expect(open.withLock { $0.most } == 4)
  }

  /// A server without ranges is cut off as soon as the size is known, and a file that begins like an image is not read endlessly.
  @Test(arguments: [true, false]) func aStreamIsCutOff(_ hasSize: Bool) async throws {
    let start = hasSize ? try Places.bytes("plain.jpg") : [0xFF, 0xD8]
    let segment: [UInt8] = [0xFF, 0xE2, 0xFF, 0xFF] + [UInt8](repeating: 0, count: 0xFFFD)
    let isClosed = Mutex(false)
    server.route("/endless") { _, connection in
      connection.send("HTTP/1.1 200 OK\r\n\r\n")
      connection.send(start)
      while connection.send(segment) { connection.pause(0.01) }
      isClosed.withLock { $0 = true }
    }
    #expect(await text(try url("/endless")) == (hasSize ? "240x160 jpeg" : "\(SizeError.tooFar)"))
    while !isClosed.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(10)) }
  }

  /// One request for an image that several ask for; the answer is remembered, and a failure is not.
  @Test func answersAreShared() async throws {
    let bytes = try Places.bytes("plain.jpg")
    server.route("/a") { request, connection in
      connection.pause(0.1)
      if request.before == 0 { return connection.respond("503 Service Unavailable") }
      connection.file(bytes, for: request)
    }
    let url = try url("/a")
    let first = await withTaskGroup(of: String.self) { group in
      for _ in 0..<5 { group.addTask { await text(url) } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(first) == ["the server answered 503"] && server.count("/a") == 1)
    let size = await text(url)
    #expect(await text(url) == size && size.hasSuffix(" jpeg") && server.count("/a") == 2)
    _ = try await sizes.size(of: url, force: true)
    #expect(server.count("/a") == 3)
  }

  /// The least recently used answer is forgotten first.
  @Test func someAnswersAreRemembered() async throws {
    let few = SizeFetcher(remembered: 2)
    for path in ["/a", "/b", "/c"] { serve(path, try Places.bytes("grey.png")) }
    for path in ["/a", "/b", "/a", "/c", "/a", "/b"] { _ = await text(try url(path), few) }
    #expect(["/a", "/b", "/c"].map(server.count) == [1, 2, 1])
  }

  /// First in, first out; a caller that gives up leaves the queue, and the others wait on.
  @Test func theQueueIsInOrder() async throws {
    let one = SizeFetcher(requests: 1, timeout: 60)
    let order = Mutex<[String]>([])
    let gate = DispatchSemaphore(value: 0)
    let bytes = try Places.bytes("grey.png")
    for path in ["/a", "/b", "/c", "/d"] {
      server.route(path) { request, connection in
        order.withLock { $0.append(path) }
        gate.wait()
        connection.file(bytes, for: request)
      }
    }
    var tasks: [Task<String, Never>] = []
    for path in ["/a", "/b", "/c", "/c", "/d"] {
      let url = try url(path)
      tasks.append(Task { await text(url, one) })
      try await Task.sleep(for: .milliseconds(50))
    }
    // One in the queue, one of two, and the one in flight.
    for place in [1, 2, 0] {
      tasks[place].cancel()
      #expect(await tasks[place].value == "CancellationError()")
    }
    for _ in 0..<3 { gate.signal() }
    for task in tasks.dropFirst(3) { #expect(await task.value.hasSuffix(" png")) }
    #expect(order.withLock { $0 } == ["/a", "/c", "/d"])
  }

  @Test func whatHasNoSize() async throws {
    server.route("/slow") { _, connection in connection.hang() }
    server.route("/page") { _, connection in connection.respond("200 OK", [:], Array("<html>".utf8))
    }
    server.route("/empty") { request, connection in connection.file([], for: request) }
    server.route("/other") { _, connection in
      connection.respond("206 Partial Content", ["Content-Range": "bytes 9-12/99"], [1, 2, 3])
    }
    server.route("/file") { _, connection in
      connection.respond("302 Found", ["Location": "file:///etc/passwd"])
    }
    for (path, message) in [
      ("/page", "the file is an HTML page, not an image"),
      ("/empty", "the file is cut off before the size of its image"),
      ("/none", "the server answered 404"), ("/other", "the server answered 206"),
    ] { #expect(await text(try url(path)) == message, "\(path)") }
    let slow = await text(try url("/slow"), SizeFetcher(timeout: 0.3))
    #expect(slow == "the size of the image was not found in time")
    let file = try url("/file")
    await #expect(throws: (any Error).self) { try await sizes.size(of: file) }
    for address in ["file:///etc/passwd", "data:image/png;base64,AA", "a/b"] {
      let url = try #require(URL(string: address))
      #expect(await text(url) == "the URL does not begin with https:// or http://")
    }
    serve("/long", try Places.bytes("rotated-phone-shot.jpg"))
    server.route("/moved") { _, connection in
      connection.respond("302 Found", ["Location": "/long"])
    }
    #expect(await text(try url("/moved")) == "600x800 jpeg")
    server.stop()
    #expect(await text(try url("/gone")).contains("-1004"))
  }
}
