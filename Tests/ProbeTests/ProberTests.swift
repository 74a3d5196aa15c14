import Foundation
import Synchronization
import TesseraImageHeader
import TesseraNet
import TesseraPipeline
import TesseraTestSupport
import TesseraText
import Testing

/// Sizes over a network that misbehaves.
@Suite struct ProberTests {
  private static let image = CameraJPEG.bytes()

  private static func probe(
    _ url: String, maximumBytes: Int = 64_000_000, retries: Int = 2
  ) async throws -> Prober.Answer {
    var settings = FetchSettings(
      // A busy machine may stop for seconds.
      timeout: .seconds(20), maximumBytes: maximumBytes,
      addresses: AddressPolicy(allow: ["loopback"]))
    settings.headers = [.init(name: "X-Key", value: "secret")]
    let fetcher = try Fetcher(settings)
    defer { fetcher.close() }
    return try await Prober(
      fetcher: fetcher, RetryPolicy(retries: retries, deadline: .seconds(20)),
      maximumBytes: maximumBytes,
      concurrency: 4
    ).probe(url)
  }

  private static func outline(_ answer: Prober.Answer) -> String {
    switch answer.result {
    case .success(let header): "\(header.width)x\(header.height)"
    case .failure(let failure): failure.code
    }
  }

  /// One route per behavior of a server, with the expected answer, the number of requests, and the
  /// maximum number of bytes.
  @Test(
    .faults(.n5, .n12, .n13, .n14, .n16),
    arguments: [
      ("/good", "3000x4000", 2, 4352), ("/gone", "http-status", 1, 0),
      ("/small", "3000x4000", 1, 700), ("/empty", "not-image", 2, 0),
      ("/norange", "3000x4000", 1, 128_000),
      ("/badrange/offset", "3000x4000", 2, 128_000), ("/badrange/total", "3000x4000", 3, 128_000),
      ("/badrange/none", "3000x4000", 2, 128_000), ("/badrange/short", "3000x4000", 3, 128_000),
      ("/badrange/multipart", "3000x4000", 2, 128_000), ("/badrange/full", "3000x4000", 3, 140_000),
      ("/badrange/416", "3000x4000", 2, 128_000), ("/badrange/400", "3000x4000", 2, 128_000),
      ("/badrange/more", "3000x4000", 2, 30_000), ("/badrange/unknown", "3000x4000", 2, 4352),
      ("/etagflip", "700x900", 2, 128_000), ("/etagflip/blind", "700x900", 3, 128_000),
      ("/weak", "700x900", 3, 128_000),
      ("/gzip", "3000x4000", 1, 128_000), ("/gzip/part", "3000x4000", 2, 128_000),
      ("/moved", "3000x4000", 3, 4352), ("/moved/once", "3000x4000", 5, 128_000),
      ("/reset", "3000x4000", 3, 4352), ("/hop404", "3000x4000", 3, 128_000),
      ("/hop503", "3000x4000", 5, 128_000), ("/truncated", "truncated", 2, 4352),
      ("/moved/unsaid", "3000x4000", 3, 4352), ("/moved/cut", "3000x4000", 3, 4352),
      ("/drip", "3000x4000", 2, 4352), ("/drip/whole", "3000x4000", 1, 128_000),
      ("/cut/known", "3000x4000", 1, 4_000), ("/cut/part", "3000x4000", 1, 1_000),
      ("/cut/refining", "120x80", 5, 6_000),
      ("/endless", "not-image", 1, 40_000), ("/animated", "100x50", 1, 4_000),
      ("/far", "80x60", 21, 10_000), ("/near", "80x60", 7, 28_000),
      ("/jumpy", "80x60", 33, 6_500_000), ("/bottomless", "malformed", 33, 17_500_000),
    ])
  func findsTheSizeWhateverTheServerDoes(
    _ path: String, _ expected: String, _ requests: Int, _ bytes: Int
  ) async throws {
    let server = try FaultServer(Self.routes)
    defer { server.stop() }
    let answer = try await Self.probe(server.url(path))
    #expect(Self.outline(answer) == expected, "\(answer.result)")
    #expect(answer.requests == requests)
    #expect(answer.bytesRead <= bytes)
  }

  private static let routes: [String: FaultServer.Route] = [
    "/good": { $1.file(image, for: $0, etag: "\"1\"") },
    "/gone": { $1.respond("410 Gone") },
    "/small": { $1.file(CameraJPEG.bytes(filler: 100, pixels: 300), for: $0) },
    "/empty": { $1.file([], for: $0) },
    "/norange": { $1.respond("200 OK", [:], image) },
    "/badrange/offset": { request, connection in
      let headers = ["Content-Range": "bytes 10-3081/\(image.count)"]
      guard request.range != nil else { return connection.respond("200 OK", [:], image) }
      connection.respond("206 Partial Content", headers, Array(image[..<3072]))
    },
    "/badrange/total": { request, connection in
      guard let range = request.range else { return connection.respond("200 OK", [:], image) }
      let total = image.count + request.before
      let headers = ["Content-Range": "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total)"]
      connection.respond("206 Partial Content", headers, Array(image[range]))
    },
    "/badrange/none": { request, connection in
      guard let range = request.range else { return connection.respond("200 OK", [:], image) }
      connection.respond("206 Partial Content", [:], Array(image[range]))
    },
    "/badrange/short": { request, connection in
      guard let range = request.range, request.before > 0 else {
        return connection.file(image, for: request)
      }
      let headers = ["Content-Range": "bytes \(range.lowerBound)-\(range.lowerBound)/*"]
      connection.respond("206 Partial Content", headers, [])
    },
    "/badrange/multipart": { request, connection in
      guard request.range != nil else { return connection.respond("200 OK", [:], image) }
      connection.respond(
        "206 Partial Content", ["Content-Type": "multipart/byteranges; boundary=x"],
        Array("--x\r\nContent-Range: bytes 0-9/100\r\n\r\n0123456789\r\n--x--\r\n".utf8))
    },
    "/badrange/full": { request, connection in
      guard request.range != nil else { return connection.respond("200 OK", [:], image) }
      let headers = ["Content-Range": "bytes 0-\(image.count - 1)/\(image.count)"]
      connection.respond("206 Partial Content", headers, image)
    },
    "/badrange/416": { request, connection in
      guard request.range != nil else { return connection.respond("200 OK", [:], image) }
      connection.respond("416 Range Not Satisfiable")
    },
    "/badrange/400": { request, connection in
      guard request.range != nil else { return connection.respond("200 OK", [:], image) }
      connection.respond("400 Bad Request")
    },
    // A body that is longer than its Content-Range: the rest has no known offset.
    "/badrange/more": { request, connection in
      guard let range = request.range else { return connection.respond("200 OK", [:], image) }
      let headers = [
        "Content-Range": "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(image.count)"
      ]
      let junk = [UInt8](repeating: 0xFF, count: 10_000)
      connection.respond("206 Partial Content", headers, Array(image[range]) + junk)
    },
    "/badrange/unknown": { request, connection in
      guard let range = request.range else { return connection.respond("200 OK", [:], image) }
      let headers = ["Content-Range": "bytes \(range.lowerBound)-\(range.upperBound - 1)/*"]
      connection.respond("206 Partial Content", headers, Array(image[range]))
    },
    // Another image replaces the first one between two requests.
    "/etagflip": { request, connection in
      connection.file(
        request.before == 0 ? image : second, for: request,
        etag: request.before == 0 ? "\"1\"" : "\"2\"")
    },
    "/etagflip/blind": { request, connection in
      var request = request
      request.headers["if-range"] = nil
      connection.file(
        request.before == 0 ? image : second, for: request,
        etag: request.before == 0 ? "\"1\"" : "\"2\"")
    },
    "/weak": { request, connection in
      connection.file(
        request.before == 0 ? image : second, for: request,
        etag: request.before == 0 ? "W/\"1\"" : "W/\"2\"")
    },
    "/gzip": { $1.respond("200 OK", ["Content-Encoding": "gzip"], gzipped) },
    "/gzip/part": { request, connection in
      guard request.range != nil else {
        return connection.respond("200 OK", ["Content-Encoding": "gzip"], gzipped)
      }
      connection.file(gzipped, for: request, ["Content-Encoding": "gzip"])
    },
    // With a body, as common servers send it.
    "/moved": { _, connection in
      connection.respond("302 Found", ["Location": "/good"], Array("<html>moved</html>".utf8))
    },
    // Each redirect leads to a URL that works once.
    "/moved/once": { request, connection in
      connection.respond("302 Found", ["Location": "/signed/\(request.before)"])
    },
    "/signed/0": { request, connection in
      guard request.before == 0 else { return connection.respond("403 Forbidden") }
      connection.file(image, for: request)
    },
    "/signed/1": { $1.file(image, for: $0) },
    "/reset": { request, connection in
      guard request.before == 1 else { return connection.file(image, for: request) }
      connection.reset()
    },
    "/hop404": { request, connection in
      guard let range = request.range, range.lowerBound > 0 else {
        return connection.file(image, for: request)
      }
      connection.respond("404 Not Found")
    },
    // A server that fails for any range but the first.
    "/hop503": { request, connection in
      guard let range = request.range, range.lowerBound > 0 else {
        return connection.file(image, for: request)
      }
      connection.respond("503 Service Unavailable", ["Retry-After": "0"])
    },
    // Redirects whose body is missing or cut off.
    "/moved/unsaid": { _, connection in
      connection.send("HTTP/1.1 302 Found\r\nLocation: /good\r\nContent-Length: 500\r\n\r\n")
      connection.hang()
    },
    "/moved/cut": { _, connection in
      connection.send("HTTP/1.1 302 Found\r\nLocation: /good\r\nContent-Length: 500\r\n\r\n<html>")
    },
    "/drip": { request, connection in drip(image, request, connection) },
    "/drip/whole": { request, connection in
      var request = request
      request.headers["range"] = nil
      drip(image, request, connection)
    },
    // The size had arrived when the connection broke.
    "/cut/known": { _, connection in
      let small = CameraJPEG.bytes(filler: 10, pixels: 8_000)
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(small.count)\r\n\r\n")
      connection.send(small[..<4_000])
    },
    "/cut/part": { _, connection in
      let small = CameraJPEG.bytes(filler: 10, pixels: 3_000)
      connection.send(
        "HTTP/1.1 206 Partial Content\r\nContent-Length: \(small.count)\r\n"
          + "Content-Range: bytes 0-\(small.count - 1)/\(small.count)\r\n\r\n")
      connection.send(small[..<1_000])
    },
    "/cut/refining": { request, connection in
      guard let range = request.range, range.lowerBound == 0 else {
        return connection.respond("503 Service Unavailable", ["Retry-After": "0"])
      }
      connection.file(withProfile, for: request)
    },
    "/endless": { _, connection in
      connection.send(
        "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-999999999/1000000000\r\n\r\n")
      while connection.send([UInt8](repeating: 7, count: 4_000)) {}
    },
    "/animated": { $1.file(animation, for: $0) },
    "/truncated": { $1.file(Array(image[..<20_100]), for: $0) },
    "/far": { $1.file(CameraJPEG.segmented(20, of: 60_000, width: 80, height: 60), for: $0) },
    "/near": { $1.file(CameraJPEG.segmented(20, of: 1_000, width: 80, height: 60), for: $0) },
    // Some cameras write a depth map, or a second image, before the first.
    "/jumpy": { $1.file(CameraJPEG.segmented(100, of: 60_000, width: 80, height: 60), for: $0) },
    "/bottomless": {
      $1.file(CameraJPEG.segmented(400, of: 60_000, width: 8, height: 6), for: $0)
    },
  ]

  /// Sends a response in two pieces, with a pause. It says that the connection is closed then: a
  /// client that reused it would have to send its next request twice.
  private static func drip(
    _ bytes: [UInt8], _ request: FaultServer.Request, _ connection: FaultServer.Connection
  ) {
    let range = (request.range ?? 0..<bytes.count).clamped(to: 0..<bytes.count)
    let status = request.range == nil ? "200 OK" : "206 Partial Content"
    connection.send(
      "HTTP/1.1 \(status)\r\nConnection: close\r\nContent-Length: \(range.count)\r\n"
        + "Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(bytes.count)\r\n\r\n")
    let middle = range.lowerBound + min(60, range.count)
    connection.send(bytes[range.lowerBound..<middle])
    connection.pause(0.1)
    connection.send(bytes[middle..<range.upperBound])
  }

  /// A PNG with a long profile, after which more metadata may follow.
  private static let withProfile: [UInt8] = {
    var bytes = (try? Places.bytes("grey.png")) ?? []
    let profile = [UInt8](repeating: 0, count: 6_000)
    bytes.insert(
      contentsOf: [0, 0, 0x17, 0x70] + Array("iCCP".utf8) + profile + [0, 0, 0, 0], at: 33)
    return bytes
  }()

  /// An animated WebP of a hundred frames, 100 x 50, with an orientation at its end that does not count.
  private static let animation: [UInt8] = {
    func little(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(value >> (8 * $0) & 0xFF) } }
    func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
      Array(name.utf8) + little(content.count) + content
    }
    let exif: [UInt8] =
      Array("MM\0*".utf8) + [0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0]
    var body = Array("WEBP".utf8) + chunk("VP8X", [0x0A, 0, 0, 0, 99, 0, 0, 49, 0, 0])
    body += chunk("ANIM", [0, 0, 0, 0, 0, 0])
    for _ in 0..<100 { body += chunk("ANMF", [UInt8](repeating: 1, count: 20_000)) }
    body += chunk("EXIF", exif) + chunk("XMP ", [UInt8](repeating: 32, count: 500))
    return Array("RIFF".utf8) + little(body.count) + body
  }()

  private static let second = CameraJPEG.bytes(width: 700, height: 900, orientation: 1)

  private static let gzipped: [UInt8] = {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/gzip")
    process.arguments = ["-c"]
    let (input, output) = (Pipe(), Pipe())
    (process.standardInput, process.standardOutput) = (input, output)
    guard (try? process.run()) != nil else { return [] }
    DispatchQueue.global().async {
      input.fileHandleForWriting.write(Data(image))
      try? input.fileHandleForWriting.close()
    }
    let bytes = Array(output.fileHandleForReading.readAll())
    process.waitUntilExit()
    return bytes
  }()

  /// All ranges belong to one version, continue the last response, and are requested uncompressed.
  @Test(.faults(.n15)) func requestsRangesOfOneVersion() async throws {
    let seen = Mutex<[[String: String]]>([])
    let server = try FaultServer([
      "/a": { request, connection in
        seen.withLock { $0.append(request.headers) }
        connection.file(Self.image, for: request, etag: "\"1\"")
      }
    ])
    defer { server.stop() }
    _ = try await Self.probe(server.url("/a"))
    let requests = seen.withLock(\.self)
    #expect(requests.map { $0["range"] } == ["bytes=0-3583", "bytes=20038-20805"])
    #expect(requests.map { $0["if-range"] } == [nil, "\"1\""])
    #expect(requests.map { $0["accept-encoding"] } == ["identity", "identity"])
  }

  /// The second request goes to the redirect's target, without the headers for the first origin.
  @Test func doesNotSendHeadersToARedirectsTarget() async throws {
    let seen = Mutex<[String?]>([])
    let other = try FaultServer([
      "/there": { request, connection in
        seen.withLock { $0.append(request.headers["x-key"]) }
        connection.file(Self.image, for: request)
      }
    ])
    let server = try FaultServer([
      "/here": { request, connection in
        seen.withLock { $0.append(request.headers["x-key"]) }
        connection.respond("302 Found", ["Location": other.url("/there")])
      }
    ])
    defer {
      server.stop()
      other.stop()
    }
    let answer = try await Self.probe(server.url("/here"))
    #expect(Self.outline(answer) == "3000x4000")
    #expect(answer.requests == 3)
    #expect(seen.withLock(\.self) == ["secret", nil, nil])
    #expect(answer.source == server.url("/here"))
  }

  /// User and password are sent to their origin only, also after redirects within it.
  @Test func sendsUserAndPasswordToTheirOriginOnly() async throws {
    let seen = Mutex<[String?]>([])
    let other = try FaultServer([
      "/there": { request, connection in
        seen.withLock { $0.append(request.headers["authorization"]) }
        connection.file(Self.image, for: request)
      }
    ])
    let server = try FaultServer()
    server.route("/a") { request, connection in
      seen.withLock { $0.append(request.headers["authorization"]) }
      connection.respond("302 Found", ["Location": server.url("/b")])
    }
    server.route("/b") { request, connection in
      seen.withLock { $0.append(request.headers["authorization"]) }
      connection.respond("302 Found", ["Location": other.url("/there")])
    }
    defer {
      server.stop()
      other.stop()
    }
    let url = server.url("/a").replacing("http://", with: "http://user:word@")
    let answer = try await Self.probe(url)
    #expect(Self.outline(answer) == "3000x4000")
    #expect(answer.source == server.url("/a"))
    #expect(seen.withLock(\.self) == ["Basic dXNlcjp3b3Jk", "Basic dXNlcjp3b3Jk", nil, nil])
  }

  /// A malformed URL is not requested, and its password is not shown.
  @Test(arguments: ["http:/user:word@127.0.0.1/x", "http:///user:word@127.0.0.1/x", "https:x"])
  func rejectsMalformedURLs(_ url: String) async throws {
    let answer = try await Self.probe(url)
    #expect(Self.outline(answer) == "bad-url")
    #expect(!answer.source.contains("word"))
    #expect(answer.requests == 0)
  }

  /// An image may be larger than the limit, but its header may not.
  @Test func readsAtMostTheLimit() async throws {
    let server = try FaultServer(Self.routes)
    defer { server.stop() }
    let enough = try await Self.probe(server.url("/good"), maximumBytes: 5_000)
    #expect(Self.outline(enough) == "3000x4000")
    let tooFew = try await Self.probe(server.url("/good"), maximumBytes: 3_000)
    #expect(Self.outline(tooFew) == "malformed")
    #expect(tooFew.bytesRead <= 3_000)
    let streamed = try await Self.probe(server.url("/norange"), maximumBytes: 3_000)
    #expect(Self.outline(streamed) == "too-large")
  }

  /// Many small images over few connections.
  @Test func reusesConnections() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let fetcher = try Fetcher(FetchSettings(addresses: AddressPolicy(allow: ["loopback"])))
    defer { fetcher.close() }
    let prober = Prober(
      fetcher: fetcher, RetryPolicy(retries: 0, deadline: .seconds(20)), maximumBytes: 64_000_000,
      concurrency: 2)
    let names = try Places.images().filter { $0 != "make" }
    var rest = (0..<200).map { nginx.url("/" + names[$0 % names.count]) }[...]
    let answers = Mutex<[Prober.Answer]>([])
    try await prober.probe(
      { rest.popFirst().map { .success($0) } },
      answer: { answer in answers.withLock { $0.append(answer) } })
    let all = answers.withLock(\.self)
    #expect(all.count == 200)
    for answer in all {
      if case .failure(let failure) = answer.result { Issue.record("\(failure)") }
    }
    let requests = all.reduce(0) { $0 + $1.requests }
    #expect(1...3 ~= (try await nginx.connections(after: requests)))
    await nginx.stop()
  }
}
