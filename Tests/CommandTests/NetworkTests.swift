import Foundation
import Synchronization
import TesseraCatalog
import TesseraTestSupport
import Testing

/// Whole runs against servers and networks that do wrong.
@Suite struct NetworkTests {
  @Test func aRunWhereAlmostAllFailsStopsWithADiagnosis() async throws {
    let server = try FaultServer(["/good": { $1.picture("plain.jpg") }])
    defer { server.stop() }
    let good = try Workshop(manifest: server.url("/good") + "\n")
    #expect(try await good.run().status == 0)
    let before = try good.catalogText
    let lines = (0..<400).map { server.url("/missing-\($0)") + "\n" }
    try good.folder.write(lines.joined(), to: "manifest")
    let result = try await good.run()
    #expect(result.status == 2)
    #expect(
      result.errors.contains(
        /1[0-9]+ of the last 1[0-9]+ pictures failed, which is more than fail-above: 90% \(1[0-9]+ http-status\)/
      ),
      "\(result.errors.suffix(500))")
    #expect(result.errors.contains("The server answered 404 Not Found."))
    #expect(try good.catalogText == before)
    #expect(server.total < 200)
    try good.write(keys: "fail-above: 100%")
    #expect(try await good.run().status == 1)
    #expect(try good.catalog.images.count == 400)
  }

  @Test func theRunsDeadlineEndsItWithWhatIsDoneInTheCatalog() async throws {
    let server = try FaultServer([
      "/good": { $1.picture("plain.jpg") }, "/slow": { $1.hang() },
      "/once": { request, connection in
        if request.before > 0 { return connection.hang() }
        connection.picture("grey.png")
      },
    ])
    defer { server.stop() }
    let workshop = try Workshop(
      manifest: #"{"id":"once","url":"\#(server.url("/once"))"}"# + "\n",
      keys: "fetch: {allow: loopback, revalidate: always, timeout: 60s}")
    #expect(try await workshop.run().status == 0)
    let names = ["good", "slow", "once"]
    var manifest = names.map { #"{"id":"\#($0)","url":"\#(server.url("/\($0)"))"}"# + "\n" }
    manifest += (0..<3_000).map { #"{"id":"\#($0)","url":"\#(server.url("/slow?\($0)"))"}"# + "\n" }
    try workshop.folder.write(manifest.joined(), to: "manifest")
    let clock = ContinuousClock.now
    let result = try await workshop.run("--deadline", "3s")
    let seconds = clock.duration(to: .now)
    #expect(result.status == 1, "\(result.errors.prefix(2000))")
    #expect(seconds > .seconds(3) && seconds < .seconds(8), "\(seconds)")
    let outline = try workshop.catalog.outline
    try #require(outline.count == 3_003)
    #expect(outline[0] == "good ok 240x160 jpeg: 64x64 webp, 128x128 webp, 240x160 webp")
    #expect(outline[1] == "slow failed [run-deadline]")
    #expect(outline[2].hasPrefix("once stale 120x80 png [run-deadline]: "), "\(outline[2])")
    #expect(outline[3...].allSatisfy { $0.hasSuffix("failed [run-deadline]") })
    try await workshop.expectWhole()
    #expect(try await workshop.run("--deadline", "soon").status == 64)
  }

  @Test func theNewestComeFirst() async throws {
    let asked = Mutex<[Int]>([])
    let server = try FaultServer()
    defer { server.stop() }
    for index in 0..<50 {
      server.route("/\(index)") { _, connection in
        asked.withLock { $0.append(index) }
        connection.picture("one-pixel.png")
      }
    }
    func manifest(_ range: Range<Int>) -> String {
      range.map {
        #"{"id":"\#($0)","url":"\#(server.url("/\($0)"))","extra":{"n":[\#($0).0]}}"# + "\n"
      }
      .joined()
    }
    let keys = "fetch: {allow: loopback, concurrency: 1, order: newest-first}"
    let workshop = try Workshop(manifest: manifest(0..<50) + "nonsense\n", keys: keys)
    #expect(try await workshop.run().status == 1)
    // Items are on their way together, so one may be overtaken.
    let order = asked.withLock(\.self)
    #expect(order.count == 50)
    let overtaken = zip(order, order.dropFirst()).filter { $0 < $1 }.count
    #expect(overtaken <= 5, "\(order)")
    #expect(order.prefix(10).allSatisfy { $0 >= 35 }, "\(order)")
    // The catalog is that of the other order.
    let other = try Workshop(
      manifest: manifest(0..<50) + "nonsense\n", keys: "fetch: {allow: loopback}")
    #expect(try await other.run().status == 1)
    #expect(try workshop.catalogText == other.catalogText)
  }

  /// A host that asks for a pause gets it, and no other host has to wait for that (N28).
  @Test func oneHostsPauseIsItsOwn() async throws {
    let busy = try FaultServer()
    let quiet = try FaultServer()
    defer {
      busy.stop()
      quiet.stop()
    }
    let times = Mutex<[ContinuousClock.Instant]>([])
    for index in 0..<12 {
      busy.route("/\(index)") { _, connection in
        let isFirst = times.withLock { times in
          times.append(.now)
          return times.count == 1
        }
        if isFirst {
          connection.answer("429 Too Many Requests", ["Retry-After": "2"])
        } else {
          connection.picture("one-pixel.png")
        }
      }
      quiet.route("/\(index)") { $1.picture("one-pixel.png") }
    }
    let urls = (0..<12).flatMap { [busy.url("/\($0)"), quiet.url("/\($0)")] }
    let workshop = try Workshop(
      manifest: urls.map { $0 + "\n" }.joined(),
      keys: "fetch: {allow: loopback, per-host: 1, retries: 2}")
    let result = try await workshop.run()
    #expect(result.status == 0, "\(result.errors)")
    let seen = times.withLock(\.self)
    #expect(seen.count == 13)
    // Nothing was asked of it during the pause.
    #expect(seen[0].duration(to: seen[1]) >= .seconds(2))
    #expect(quiet.total == 12)
  }

  /// A host that is down costs its items no more than one deadline together, and the others nothing.
  @Test func aHostThatIsDownIsGivenUp() async throws {
    let gone = try FaultServer()
    gone.stop()
    let server = try FaultServer(["/good": { $1.picture("one-pixel.png") }])
    defer { server.stop() }
    var urls = (0..<2_000).map { gone.url("/\($0)") }
    urls.append(server.url("/good"))
    let workshop = try Workshop(
      manifest: urls.map { $0 + "\n" }.joined(),
      keys: "fetch: {allow: loopback, deadline: 4s}\nfail-above: 100%")
    let clock = ContinuousClock.now
    #expect(try await workshop.run().status == 1)
    #expect(clock.duration(to: .now) < .seconds(12), "\(clock.duration(to: .now))")
    let images = try workshop.catalog.images
    #expect(images.last?.status == .ok)
    #expect(
      images.dropLast().allSatisfy { $0.error?.code == "network" && $0.error?.retryable == true })
    #expect(
      images.contains { $0.error?.message.contains("is left alone for now") == true })
  }
}
