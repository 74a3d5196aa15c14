import Synchronization
import TesseraTestSupport
import Testing

@testable import tessera

/// Requests to an image service: a server of this process.
@Suite final class DeliveryTests {
  private let small: SmallOutput
  private let server: FaultServer

  init() throws {
    small = try SmallOutput()
    server = try FaultServer()
  }

  deinit { server.stop() }

  private static func access(
    _ allow: [String] = ["loopback"], concurrency: Int = 2
  ) -> DeliveryAccess {
    DeliveryAccess(concurrency: concurrency, timeout: .seconds(5), allow: allow)
  }

  /// An image with a file at the service for each path.
  private func line(_ id: String, _ paths: String..., size: String = "120 80") -> String {
    let sides = size.split(separator: " ").compactMap { Int($0) }
    let variants = paths.map {
      SmallOutput.variant(url: server.url($0), width: sides[0], height: sides[1])
    }
    return
      #"{"id":"\#(id)","url":"u","status":"ok","variants":[\#(variants.joined(separator: ","))],"#
      + #""slots":{}}"#
  }

  /// Serves an image to a client that asks as browsers do.
  private func serve(_ path: String, _ name: String = "grey.png") {
    server.route(path) { request, connection in
      let isBrowser =
        request.headers["accept"] == "image/avif,image/jxl,image/webp,image/*;q=0.8"
      if isBrowser { connection.fixture(name) } else { connection.respond("406 Not Acceptable") }
    }
  }

  private func warm(
    _ access: DeliveryAccess = DeliveryTests.access()
  ) async throws -> (report: VerifyReport, problems: [String]) {
    var problems: [String] = []
    let report = try await Warming(small.root, access).run { problem in
      problems.append("\(problem.id) \(problem.path): \(problem.reason)")
    }
    #expect(problems.count == report.problemCount)
    #expect(
      problems.sorted() == report.problems.map { "\($0.id) \($0.path): \($0.reason)" }.sorted())
    return (report, problems.sorted())
  }

  @Test func everyFileIsRequestedOnce() async throws {
    for path in ["/1", "/2", "/3", "/4"] { serve(path) }
    try await small.publish([
      line("a", "/1", "/2"), SmallOutput.line("none", status: "failed"), line("b", "/2", "/3"),
      line("c", "/1", "/4"),
    ])
    for concurrency in [1, 3] {
      let before = server.total
      let (report, problems) = try await warm(Self.access(concurrency: concurrency))
      #expect(problems == [])
      #expect((report.images, report.files, report.removed) == (4, 4, 0))
      #expect(report.bytes == 4 * (try Places.bytes("grey.png").count))
      #expect(server.total == before + 4)
    }
  }

  @Test func whatComesIsComparedWithTheCatalog() async throws {
    serve("/good")
    serve("/small", "one-pixel.png")
    serve("/jpeg", "plain.jpg")
    server.route("/text") { $1.respond("200 OK", [:], Array("not an image".utf8)) }
    try await small.publish([
      line("a", "/good", "/small"), line("b", "/text"), line("c", "/gone"),
      line("d", "/jpeg", size: "1 1"),
    ])
    let (report, problems) = try await warm()
    #expect(
      problems[..<2] == [
        "a \(server.url("/small")): has 1 x 1 pixels instead of 120 x 80",
        "b \(server.url("/text")): is not a recognized image",
      ])
    #expect(problems.count == 4)
    #expect(problems[2].hasPrefix("c \(server.url("/gone")): can't be fetched: "), "\(problems[2])")
    #expect(problems[2].contains("404"))
    #expect(problems[3].contains(" pixels instead of 1 x 1"))
    #expect(report.files == 5)
    // A lasting error is not tried again.
    #expect(server.count("/gone") == 1)
  }

  /// An answer that may change is waited for, up to three times.
  @Test func aFailureThatMayPassIsTriedAgain() async throws {
    server.route("/later") { request, connection in
      guard request.before >= 1 else {
        return connection.respond("503 Service Unavailable", ["Retry-After": "0"])
      }
      connection.fixture("grey.png")
    }
    try await small.publish([line("a", "/later")])
    #expect(try await warm().problems == [])
    #expect(server.count("/later") == 2)
  }

  @Test func aPrivateAddressNeedsPermission() async throws {
    serve("/1")
    let other = line("b", "/1").replacing(server.url("/1"), with: "http://192.0.2.1/1")
    try await small.publish([line("a", "/1"), other])
    let (report, problems) = try await warm(Self.access([]))
    #expect(problems.count == 2)
    #expect(problems[0].contains("say --allow loopback"), "\(problems)")
    #expect(problems[1].contains("say --allow 192.0.2.1/32"), "\(problems)")
    #expect(report.bytes == 0 && server.total == 0)
  }

  @Test func aCatalogWithoutURLsHasNothingToWarm() async throws {
    try await small.publish([SmallOutput.line("a", [try small.make("a")])])
    let none =
      "\"\(small.root)\" names no URLs of an image service; its pipeline needs \"delivery\", and a run"
    #expect(await sentence { try await warm() } == none)
    let sampled = await sentence {
      try await Verification(
        small.root, isDeep: false, removesBroken: false, sample: 1, access: Self.access()
      ).run { _ in }
    }
    #expect(sampled == none)
  }

  /// `verify` with a sample counts its files and its problems with the others.
  @Test(arguments: [0, 1, 3, 9])
  func aSampleIsVerified(_ size: Int) async throws {
    for path in ["/1", "/2", "/3"] { serve(path, "one-pixel.png") }
    let missing = SmallOutput.Made(of: [1], width: 1, height: 1)
    try await small.publish([
      line("a", "/1", "/2"), SmallOutput.line("b", [missing]), line("c", "/3"),
    ])
    let told = Mutex(0)
    let report = try await Verification(
      small.root, isDeep: false, removesBroken: false, sample: size, access: Self.access()
    ).run { _ in told.withLock { $0 += 1 } }
    let count = min(size, 3)
    #expect((report.images, report.files, report.problemCount) == (3, 1 + count, 1 + count))
    #expect(told.withLock { $0 } == 1 + count && server.total == count)
    #expect(report.bytes == count * (try Places.bytes("one-pixel.png").count))
    let sampled = report.problems.dropFirst()
    #expect(sampled.allSatisfy { $0.reason == "has 1 x 1 pixels instead of 120 x 80" })
    #expect(sampled.allSatisfy { $0.path == server.url("/\($0.path.suffix(1))") })
    #expect(sampled.allSatisfy { $0.id == ($0.path.hasSuffix("3") ? "c" : "a") })
  }
}
