import Foundation
import Synchronization
import TesseraCatalog
import TesseraTestSupport
import Testing

/// Whole runs against faulty servers and networks.
@Suite struct NetworkTests {
  @Test func runStopsWithADiagnosisIfMostItemsFail() async throws {
    let server = try FaultServer(["/good": { $1.fixture("plain.jpg") }, "/late": { $1.hang() }])
    defer { server.stop() }
    let good = try RunFixture(manifest: server.url("/good") + "\n")
    #expect(try await good.run().status == 0)
    let before = try good.catalogText
    // More failures than are needed for the diagnosis, then answers that a run which goes on would wait for.
    let lines = (0..<400).map { server.url($0 < 190 ? "/missing-\($0)" : "/late?\($0)") + "\n" }
    try good.folder.write(lines.joined(), to: "manifest")
    let result = try await good.run()
    #expect(result.status == 2)
    #expect(
      result.errors.contains(
        /1[0-9]+ of the last 1[0-9]+ images failed, which is more than fail-above: 90% \(1[0-9]+ http-status\)/
      ),
      "\(result.errors.suffix(500))")
    #expect(result.errors.contains("The server answered 404 Not Found."))
    #expect(try good.catalogText == before)
    server.route("/late") { $1.respond("404 Not Found") }
    try good.write(keys: "fail-above: 100%")
    #expect(try await good.run().status == 1)
    #expect(try good.catalog.images.count == 400)
  }

  @Test func runDeadlineKeepsFinishedItems() async throws {
    let server = try FaultServer([
      "/good": { $1.fixture("plain.jpg") }, "/slow": { $1.hang() },
      "/once": { request, connection in
        if request.before > 0 { return connection.hang() }
        connection.fixture("grey.png")
      },
    ])
    defer { server.stop() }
    let fixture = try RunFixture(
      manifest: #"{"id":"once","url":"\#(server.url("/once"))"}"# + "\n",
      keys: "fetch: {allow: loopback, revalidate: always, timeout: 60s}")
    #expect(try await fixture.run().status == 0)
    let names = ["good", "slow", "once"]
    var manifest = names.map { #"{"id":"\#($0)","url":"\#(server.url("/\($0)"))"}"# + "\n" }
    manifest += (0..<3_000).map { #"{"id":"\#($0)","url":"\#(server.url("/slow?\($0)"))"}"# + "\n" }
    try fixture.folder.write(manifest.joined(), to: "manifest")
    let clock = ContinuousClock.now
    // Enough for one image on a busy machine.
    let result = try await fixture.run("--deadline", "10s")
    let seconds = clock.duration(to: .now)
    #expect(result.status == 1, "\(result.errors.prefix(2000))")
    #expect(seconds > .seconds(10) && seconds < .seconds(15), "\(seconds)")
    let outline = try fixture.catalog.outline
    try #require(outline.count == 3_003)
    #expect(outline[0] == "good ok 240x160 jpeg: 64x64 webp, 128x128 webp, 240x160 webp")
    #expect(outline[1] == "slow failed [run-deadline]")
    #expect(outline[2].hasPrefix("once stale 120x80 png [run-deadline]: "), "\(outline[2])")
    #expect(outline[3...].allSatisfy { $0.hasSuffix("failed [run-deadline]") })
    // That says nothing about these images: the summary does not call them failed.
    #expect(
      result.output.hasPrefix("3003 images: 1 ok, 1 stale, 3001 not reached (1 new)\n"),
      "\(result.output)")
    #expect(try fixture.report["items.notReached"] == 3_001)
    #expect(try fixture.report["items.failed"] == 3_001)
    try await fixture.expectWhole()
    #expect(try await fixture.run("--deadline", "soon").status == 64)
  }

  @Test func newestFirstReversesTheOrder() async throws {
    let requested = Mutex<[Int]>([])
    let server = try FaultServer()
    defer { server.stop() }
    for index in 0..<50 {
      server.route("/\(index)") { _, connection in
        requested.withLock { $0.append(index) }
        connection.fixture("one-pixel.png")
      }
    }
    func manifest(_ range: Range<Int>) -> String {
      range.map {
        #"{"id":"\#($0)","url":"\#(server.url("/\($0)"))","extra":{"n":[\#($0).0]}}"# + "\n"
      }
      .joined()
    }
    let keys = "fetch: {allow: loopback, concurrency: 1, order: newest-first}"
    let fixture = try RunFixture(manifest: manifest(0..<50) + "nonsense\n", keys: keys)
    #expect(try await fixture.run().status == 1)
    // Several items are in flight, so one may overtake another.
    let order = requested.withLock(\.self)
    #expect(order.count == 50)
    let overtaken = zip(order, order.dropFirst()).filter { $0 < $1 }.count
    #expect(overtaken <= 5, "\(order)")
    #expect(order.prefix(10).allSatisfy { $0 >= 35 }, "\(order)")
    // The catalog does not depend on the order.
    let other = try RunFixture(
      manifest: manifest(0..<50) + "nonsense\n", keys: "fetch: {allow: loopback}")
    #expect(try await other.run().status == 1)
    #expect(try fixture.catalogText == other.catalogText)
  }

  /// Requests to a host pause when several of its images ask for that; other hosts are not affected
  /// (N28).
  @Test(.faults(.n28), arguments: ["429 Too Many Requests", "503 Service Unavailable"])
  func pausesApplyToOneHost(_ status: String) async throws {
    let busy = try FaultServer()
    let quiet = try FaultServer()
    defer {
      busy.stop()
      quiet.stop()
    }
    let times = Mutex<[ContinuousClock.Instant]>([])
    for index in 0..<12 {
      busy.route("/\(index)") { _, connection in
        let isEarly = times.withLock { times in
          times.append(.now)
          return times.count <= 3
        }
        if isEarly {
          connection.respond(status, ["Retry-After": "2"])
        } else {
          connection.fixture("one-pixel.png")
        }
      }
      quiet.route("/\(index)") { $1.fixture("one-pixel.png") }
    }
    let urls = (0..<12).flatMap { [busy.url("/\($0)"), quiet.url("/\($0)")] }
    let fixture = try RunFixture(
      manifest: urls.map { $0 + "\n" }.joined(),
      keys: "fetch: {allow: loopback, per-host: 1, retries: 2}")
    let result = try await fixture.run()
    #expect(result.status == 0, "\(result.errors)")
    let seen = times.withLock(\.self)
    #expect(seen.count == 15)
    // The host received no request during the pause.
    #expect(seen[2].duration(to: seen[3]) >= .seconds(2))
    #expect(quiet.total == 12)
  }

  /// A few images that answer 429 or 503 with a long Retry-After fail alone; the others of their host
  /// go on, wherever the few are in the manifest (N46).
  @Test(
    .faults(.n46), arguments: ["429 Too Many Requests", "503 Service Unavailable"],
    ["first", "spread"])
  func aBusyImageDoesNotStopItsHost(_ status: String, _ place: String) async throws {
    let server = try FaultServer(["/good": { $1.fixture("one-pixel.png") }])
    defer { server.stop() }
    server.route("/busy") { $1.respond(status, ["Retry-After": "9999"]) }
    let isBusy = { place == "first" ? $0 < 10 : $0 % 21 == 20 }
    let lines = (0..<210).map { server.url("/\(isBusy($0) ? "busy" : "good")?\($0)") + "\n" }
    let fixture = try RunFixture(
      manifest: lines.joined(), keys: "fetch: {allow: loopback, retries: 4, deadline: 12s}")
    let clock = ContinuousClock.now
    let result = try await fixture.run()
    let seconds = clock.duration(to: .now)
    #expect(result.status == 1, "\(result.errors)")
    #expect(
      try fixture.catalog.images.map(\.status) == (0..<210).map { isBusy($0) ? .failed : .ok })
    // A pause for each of the ten would take two minutes.
    #expect(seconds < .seconds(30), "\(seconds)")
  }

  /// Images that are always busy fail, and the others of their host do not fail with them.
  @Test func fewBusyImagesDoNotHoldUpTheirHost() async throws {
    let server = try FaultServer([
      "/good": { $1.fixture("one-pixel.png") }, "/busy": { $1.respond("503 Service Unavailable") },
    ])
    defer { server.stop() }
    let lines = (0..<60).map { server.url("/\($0 < 3 ? "busy" : "good")?\($0)") + "\n" }
    let fixture = try RunFixture(
      manifest: lines.joined(), keys: "fetch: {allow: loopback, deadline: 20s}")
    #expect(try await fixture.run().status == 1)
    #expect(try fixture.catalog.images.map(\.status) == (0..<60).map { $0 < 3 ? .failed : .ok })
  }

  /// The items of a host that is down fail within one deadline altogether; other hosts are not
  /// affected.
  @Test(.faults(.n36)) func itemsOfADeadHostFailWithinOneDeadline() async throws {
    let gone = try FaultServer()
    gone.stop()
    defer { withExtendedLifetime(gone) {} }
    let server = try FaultServer(["/good": { $1.fixture("one-pixel.png") }])
    defer { server.stop() }
    var urls = (0..<2_000).map { gone.url("/\($0)") }
    urls.append(server.url("/good"))
    let fixture = try RunFixture(
      manifest: urls.map { $0 + "\n" }.joined(),
      keys: "fetch: {allow: loopback, deadline: 4s}\nfail-above: 100%")
    let clock = ContinuousClock.now
    #expect(try await fixture.run().status == 1)
    // Deadlines one after the other would take twenty minutes; the machine may be busy.
    #expect(clock.duration(to: .now) < .seconds(300), "\(clock.duration(to: .now))")
    let images = try fixture.catalog.images
    #expect(images.last?.status == .ok)
    let others = images.dropLast().compactMap(\.error)
      .filter { $0.code != "network" || !$0.retryable }.map { "\($0.code): \($0.message)" }
    #expect(others.isEmpty, "\(others.prefix(3))")
    #expect(images.dropLast().allSatisfy { $0.status == .failed })
    #expect(
      images.contains { $0.error?.message.contains("is skipped for now") == true })
  }

  /// Items of stalling and dripping servers fail at their deadline; all other items succeed.
  @Test(.faults(.n1)) func endlessTransfersEndAtTheirDeadline() async throws {
    let server = try FaultServer([
      "/stall": { $1.hang() },
      "/drip": { _, connection in
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
        while connection.send("x") { connection.pause(1) }
      },
    ])
    defer { server.stop() }
    let nginx = try await Nginx(serving: Places.fixtures)
    let lines = (0..<1_000).map { index in
      let url =
        switch index % 20 {
        case 3: server.url("/stall?\(index)")
        case 13: server.url("/drip?\(index)")
        default: nginx.url("/one-pixel.png?\(index)")
        }
      return #"{"id":"\#(index)","url":"\#(url)"}"# + "\n"
    }
    let fixture = try RunFixture(
      manifest: lines.joined(),
      keys: "fetch: {allow: loopback, concurrency: 128, per-host: 100, timeout: 4s, deadline: 15s}")
    let clock = ContinuousClock.now
    let result = try await fixture.run()
    let seconds = clock.duration(to: .now)
    await nginx.stop()
    #expect(result.status == 1)
    #expect(seconds < .seconds(20), "\(seconds)")
    let images = try fixture.catalog.images
    #expect(images.filter { $0.status == .ok }.count == 900)
    #expect(images.filter { $0.error?.code == "timeout" }.count == 100)
    try await fixture.expectWhole()
  }

  /// A server fails three times in ten. Three runs complete every item with at most two requests
  /// per image.
  @Test(.faults(.n41)) func flakyServerNeedsFewExtraRequests() async throws {
    let server = try FaultServer()
    defer { server.stop() }
    let image = try Places.bytes("one-pixel.png")
    server.route("/a") { request, connection in
      // Depends on image and attempt, not on the order of requests.
      let index = UInt64(request.path.split(separator: "?").last ?? "") ?? 0
      var random = SplitMix(seed: index << 8 + UInt64(request.before))
      switch Int.random(in: 0..<10, using: &random) {
      case 0: connection.respond("500 Internal Server Error")
      case 1: connection.reset()
      case 2:
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(image.count)\r\n\r\n")
        connection.send(image.dropLast(20))
      default: connection.respond("200 OK", ["Cache-Control": "max-age=3600"], image)
      }
    }
    let fixture = try RunFixture(
      manifest: (0..<500).map { server.url("/a?\($0)") + "\n" }.joined(),
      keys: "fetch: {allow: loopback, retries: 2}")
    var statuses: [Int32] = []
    for _ in 0..<3 { statuses.append(try await fixture.run().status) }
    #expect(statuses.last == 0)
    #expect(try fixture.catalog.images.allSatisfy { $0.status == .ok })
    #expect(server.total <= 1_000, "\(server.total)")
  }

  /// `file:` and `data:` URLs.
  @Test func filesAndDataURLsAreSources() async throws {
    let folder = try TemporaryFolder()
    for name in ["plain.jpg", "grey.png"] {
      try FileManager.default.copyItem(
        at: Places.fixture(name), to: URL(filePath: folder.path(name)))
    }
    let pixel = Data(try Places.bytes("one-pixel.png")).base64EncodedString()
    let manifest = [
      #"{"id":"file","url":"file://\#(folder.path("plain.jpg"))"}"#,
      #"{"id":"data","url":"data:image/png;base64,\#(pixel)"}"#,
      #"{"id":"passwd","url":"file:///etc/passwd"}"#,
      #"{"id":"gone","url":"file://\#(folder.path("gone.jpg"))"}"#,
    ]
    let fixture = try RunFixture(
      manifest: manifest.map { $0 + "\n" }.joined(),
      keys: "fetch: {allow: [\"files:\(folder.path(""))\"]}")
    #expect(try await fixture.run().status == 1)
    let outline = [
      "file ok 240x160 jpeg: 64x64 webp, 128x128 webp, 240x160 webp", "data ok 1x1 png: 1x1 webp",
      "passwd failed [address-rejected]", "gone failed [not-found]",
    ]
    #expect(try fixture.catalog.outline == outline)
    #expect(try fixture.catalog.images[1].url == "data:image/png;base64,")
    // A catalog shows no folder of the machine.
    #expect(try fixture.catalog.images[0].url == "plain.jpg")
    #expect(try !fixture.catalogText.contains(folder.path("")))
    try await fixture.expectWhole()
    // A second run reads nothing; after a change, only the changed file.
    #expect(try await fixture.run().status == 1)
    #expect(try fixture.report["fetch.bytes"] == 0)
    #expect(try fixture.report["decodes"] == 0)
    try Data(Places.bytes("grey.png")).write(to: URL(filePath: folder.path("plain.jpg")))
    #expect(try await fixture.run().status == 1)
    #expect(try fixture.report["decodes"] == 1)
    #expect(try fixture.catalog.outline[0].hasPrefix("file ok 120x80 png"))
    let sizes = try await fixture.run("--layout-only")
    #expect(sizes.status == 1)
    #expect(try fixture.catalog.outline[1] == outline[1])
  }

  /// With a cache of sources, a changed pipeline only revalidates them.
  @Test func cachedSourcesAreNotFetchedAgain() async throws {
    let (plain, grey) = (try Places.bytes("plain.jpg"), try Places.bytes("grey.png"))
    let server = try FaultServer([
      "/fresh": { $1.respond("200 OK", ["Cache-Control": "max-age=3600"], grey) },
      "/asked": { request, connection in
        if request.headers["if-none-match"] == "\"1\"" {
          return connection.respond("304 Not Modified")
        }
        connection.respond("200 OK", ["ETag": "\"1\""], plain)
      },
    ])
    defer { server.stop() }
    let manifest = server.url("/fresh") + "\n" + server.url("/asked") + "\n"
    func keys(_ quality: Int, cache: String = "1MB") -> String {
      "variants: {quality: \(quality)}\nfetch: {allow: loopback, cache: \(cache)}"
    }
    let fixture = try RunFixture(manifest: manifest, keys: keys(80))
    #expect(try await fixture.run().status == 0)
    #expect(fixture.folder.files(below: "out/.tessera/cache").count == 2)
    try fixture.write(keys: keys(70))
    #expect(try await fixture.run().status == 0)
    #expect(try fixture.report["fetch.bytes"] == 0)
    #expect(try fixture.report["fetch.notModified"] == 1)
    #expect(try fixture.report["decodes"] == 2)
    #expect(server.count("/fresh") == 1)
    #expect(server.count("/asked") == 2)
    try await fixture.expectWhole()
    // The same result as without a cache.
    let other = try RunFixture(manifest: manifest, keys: keys(70, cache: "none"))
    #expect(try await other.run().status == 0)
    #expect(try other.catalogText == fixture.catalogText)
    #expect(other.folder.files(below: "out/.tessera/cache").isEmpty)
    // A damaged copy is not used.
    for name in fixture.folder.files(below: "out/.tessera/cache") {
      try fixture.folder.write("noise", to: "out/.tessera/cache/\(name)")
    }
    try fixture.write(keys: keys(60))
    #expect(try await fixture.run().status == 0)
    #expect(try fixture.report["fetch.bytes"] == plain.count + grey.count)
    // The least recently used copies are removed when the cache is full.
    try fixture.write(keys: keys(60, cache: "\(max(plain.count, grey.count) + 10)"))
    #expect(try await fixture.run().status == 0)
    #expect(fixture.folder.files(below: "out/.tessera/cache").count == 1)
  }

  /// libcurl does not report that a gzip body was truncated before it was sent; the decoder does.
  @Test(.faults(.n25)) func truncatedGzipBodiesFail() async throws {
    let source = Places.fixture("rotated-phone-shot.jpg").path
    let packed = try await Tool.run("/bin/sh", ["-c", "gzip -c '\(source)' | base64 -w0"])
    let gzip = [UInt8](try #require(Data(base64Encoded: packed.output)))
    let server = try FaultServer([
      "/whole": { $1.respond("200 OK", ["Content-Encoding": "gzip"], gzip) },
      "/cut": {
        $1.respond("200 OK", ["Content-Encoding": "gzip"], Array(gzip.prefix(gzip.count / 2)))
      },
    ])
    defer { server.stop() }
    let fixture = try RunFixture(manifest: server.url("/whole") + "\n" + server.url("/cut") + "\n")
    #expect(try await fixture.run().status == 1)
    #expect(try fixture.catalog.images.map(\.status) == [.ok, .failed])
    #expect(try fixture.catalog.images[1].error?.code == "decode")
  }

  @Test func retryFailedRequestsOnlyFailedItems() async throws {
    let server = try FaultServer()
    defer { server.stop() }
    server.route("/good") { $1.fixture("plain.jpg") }
    server.route("/failed") { request, connection in
      request.before == 0 ? connection.respond("404 Not Found") : connection.fixture("grey.png")
    }
    server.route("/stale") { request, connection in
      request.before == 1 ? connection.reset() : connection.fixture("one-pixel.png")
    }
    server.route("/new") { $1.fixture("one-pixel.png") }
    func manifest(_ names: [String]) -> String {
      names.map { #"{"id":"\#($0)","url":"\#(server.url("/\($0)"))"}"# + "\n" }.joined()
    }
    let fixture = try RunFixture(
      manifest: manifest(["good", "stale"]),
      keys: "fetch: {allow: loopback, retries: 0, revalidate: always}")
    #expect(try await fixture.run().status == 0)
    try fixture.folder.write(manifest(["good", "failed", "stale"]), to: "manifest")
    #expect(try await fixture.run().status == 1)
    #expect(try fixture.catalog.images.map(\.status) == [.ok, .failed, .stale])
    try fixture.folder.write(manifest(["good", "failed", "stale", "new"]), to: "manifest")
    #expect(try await fixture.run("--retry-failed").status == 0)
    #expect(try fixture.catalog.images.map(\.status) == [.ok, .ok, .ok, .ok])
    #expect(
      ["/good", "/failed", "/stale", "/new"].map { server.count($0) } == [2, 2, 3, 1] as [Int])
    // Then nothing is left to retry.
    #expect(try await fixture.run("--retry-failed").status == 0)
    #expect(server.count("/good") + server.count("/failed") + server.count("/stale") == 7)
  }

  /// `--retry-failed` requests a failed source although its files still exist, and a stale source
  /// once for all its items. An item with a new URL follows that URL's freshness.
  @Test func retryFailedFollowsTheStateOfEachSource() async throws {
    let answers = Mutex([String: String]())
    let server = try FaultServer()
    for path in ["/gone", "/many", "/other", "/ok"] {
      server.route(path) { _, connection in
        switch answers.withLock({ $0[path] }) {
        case let status?: connection.respond(status)
        case nil: connection.fixture("plain.jpg")
        }
      }
    }
    defer { server.stop() }
    func line(_ id: String, _ path: String) -> String {
      #"{"id":"\#(id)","url":"\#(server.url(path))"}"# + "\n"
    }
    let lines = line("gone", "/gone") + (0..<4).map { line("m\($0)", "/many") }.joined()
    let fixture = try RunFixture(
      manifest: lines + line("moved", "/ok") + line("other", "/other"))
    #expect(try await fixture.run().status == 0)
    answers.withLock { $0 = ["/gone": "404 Not Found", "/many": "500 Broken"] }
    #expect(try await fixture.run().status == 1)
    let statuses: [CatalogImage.Status] = [.failed, .stale, .stale, .stale, .stale, .ok, .ok]
    #expect(try fixture.catalog.images.map(\.status) == statuses)
    answers.withLock { $0["/many"] = nil }
    let before = ["/gone", "/many", "/ok", "/other"].map { server.count($0) }
    try fixture.folder.write(
      lines + line("moved", "/other") + line("other", "/other"), to: "manifest")
    #expect(try await fixture.run("--retry-failed").status == 1)
    #expect(
      try fixture.catalog.images.map(\.status) == [.failed] + Array(repeating: .ok, count: 6))
    let after = ["/gone", "/many", "/ok", "/other"].map { server.count($0) }
    #expect(zip(after, before).map { $0 - $1 } == [1, 1, 0, 1])
  }

  /// A known, cached source that the pipeline no longer accepts is requested once, unconditionally.
  @Test func rejectedCachedSourceIsRequestedOnce() async throws {
    let server = try FaultServer([
      "/a": { request, connection in
        if request.headers["if-none-match"] != nil {
          return connection.respond("304 Not Modified", ["ETag": "\"1\""])
        }
        connection.respond(
          "200 OK", ["ETag": "\"1\""], (try? Places.bytes("transparent.png")) ?? [])
      }
    ])
    defer { server.stop() }
    let fetch = "fetch: {allow: loopback, retries: 0, cache: 10MB, deadline: 10s}"
    let fixture = try RunFixture(manifest: server.url("/a") + "\n", keys: fetch)
    #expect(try await fixture.run().status == 0)
    for (keys, code) in [
      ("accept: [jpeg]", "unsupported-format"), ("limits: {pixels: 100}", "too-many-pixels"),
    ] {
      let before = server.count("/a")
      try fixture.write(keys: "\(fetch)\n\(keys)")
      #expect(try await fixture.run("--deadline", "30s", "--allow-loss").status == 1)
      #expect(try fixture.catalog.images[0].error?.code == code)
      #expect(server.count("/a") == before + 1)
    }
  }

  @Test func staleFilesExpire() async throws {
    let server = try FaultServer([
      "/a": { request, connection in
        request.before == 0 ? connection.fixture("plain.jpg") : connection.reset()
      }
    ])
    defer { server.stop() }
    func keys(_ time: String) -> String {
      "fetch: {allow: loopback, retries: 0, keep-stale: \(time)}"
    }
    let fixture = try RunFixture(manifest: server.url("/a") + "\n", keys: keys("1h"))
    #expect(try await fixture.run().status == 0)
    try await Task.sleep(for: .milliseconds(1_100))
    #expect(try await fixture.run().status == 1)
    #expect(try fixture.catalog.images[0].status == .stale)
    try fixture.write(keys: keys("1s"))
    #expect(try await fixture.run("--allow-loss").status == 1)
    let image = try fixture.catalog.images[0]
    #expect(image.status == .failed)
    #expect([image.width, image.height] == [240, 160])
    #expect(image.variants.isEmpty)
  }

  /// A URL with many items is requested once, whatever its outcome.
  @Test func sharedSourcesAreRequestedOnce() async throws {
    let server = try FaultServer([
      "/page": { $1.respond("200 OK", [:], Array("<!doctype html><title>Sorry</title>".utf8)) },
      "/cut": { $1.fixture("truncated.jpg") }, "/gone": { $1.respond("404 Not Found") },
      "/good": { $1.fixture("plain.jpg") },
    ])
    defer { server.stop() }
    let paths = ["/page", "/cut", "/gone"]
    func line(_ id: Int, _ path: String) -> String {
      #"{"id":"\#(id)","url":"\#(server.url(path))"}"# + "\n"
    }
    // Some items at the same time, and some long after the first have finished.
    let lines =
      (0..<60).map { line($0, paths[$0 % 3]) } + (60..<2_061).map { line($0, "/good") }
      + (2_061..<2_121).map { line($0, paths[$0 % 3]) }
    let fixture = try RunFixture(manifest: lines.joined())
    #expect(try await fixture.run().status == 1)
    for path in paths + ["/good"] { #expect(server.count(path) == 1, "\(path)") }
    let all = try fixture.catalog.images
    let images = Array(all.prefix(60) + all.suffix(60))
    #expect(
      images.prefix(3).map { $0.error?.code } == ["not-image", "decode", "http-status"])
    for (index, image) in images.enumerated() {
      var first = images[index % 3]
      first.id = image.id
      #expect(image == first)
    }
  }

  /// Items that need different files of one source share one response, even if the source changes
  /// meanwhile.
  @Test func itemsOfOneSourceShareItsResponse() async throws {
    let server = try FaultServer([
      "/a": { $1.fixture($0.before == 0 ? "plain.jpg" : "grey.png") }
    ])
    defer { server.stop() }
    let slots = ["avatar", "card", "hero", "avatar"]
    let lines = slots.enumerated().map { index, slot in
      #"{"id":"\#(index)","url":"\#(server.url("/a"))","slots":["\#(slot)"]}"# + "\n"
    }
    let fixture = try RunFixture(manifest: lines.joined())
    #expect(try await fixture.run().status == 0)
    #expect(server.count("/a") == 1)
    let images = try fixture.catalog.images
    #expect(images.map { $0.slots.keys.sorted() } == slots.map { [$0] })
    #expect(images.allSatisfy { $0.width == 240 && $0.height == 160 })
    try await fixture.expectWhole()
  }

  /// An expired token fails only its own items.
  @Test func errorsOfOneTokenAreNotShared() async throws {
    let server = try FaultServer([
      "/a?token=expired": { $1.respond("403 Forbidden") },
      "/a?token=good": { $1.fixture("plain.jpg") },
    ])
    defer { server.stop() }
    // A fragment does not change the request.
    let tokens = ["expired", "expired#x", "good", "expired", "good"]
    let lines = tokens.enumerated().map { index, token in
      #"{"id":"\#(index)","url":"\#(server.url("/a?token=\(token)"))"}"# + "\n"
    }
    let fixture = try RunFixture(
      manifest: lines.joined(), keys: "fetch: {allow: loopback, retries: 0, ignore-query: [token]}")
    #expect(try await fixture.run().status == 1)
    // Once the source is known, the token no longer matters.
    #expect(
      try fixture.catalog.images.map(\.status) == [.failed, .failed, .ok, .ok, .ok])
    #expect(server.count("/a?token=expired") == 1 && server.count("/a?token=good") == 1)
  }

  /// After a few 503, a host that redirects every URL returns to full concurrency.
  @Test func redirectingHostRecovers() async throws {
    let target = try FaultServer(["/image": { $1.fixture("one-pixel.png") }])
    let server = try FaultServer()
    defer {
      server.stop()
      target.stop()
    }
    let requests = Mutex(0)
    server.route("/a") { _, connection in
      let number = requests.withLock { requests in
        requests += 1
        return requests
      }
      if 3...5 ~= number { return connection.respond("503 Service Unavailable") }
      connection.pause(0.1)
      connection.respond("302 Found", ["Location": target.url("/image")])
    }
    let fixture = try RunFixture(
      manifest: (0..<300).map { server.url("/a?\($0)") + "\n" }.joined(),
      // One request at a time would take half a minute.
      keys: "fetch: {allow: loopback, retries: 2, deadline: 20s}")
    let result = try await fixture.run()
    #expect(result.status == 0, "\(result.errors)")
    #expect(server.mostOpen > 3)
  }

  /// A dead host with many items does not trigger `fail-above` for the others.
  @Test func oneDeadHostDoesNotEndTheRun() async throws {
    let gone = try FaultServer()
    gone.stop()
    defer { withExtendedLifetime(gone) {} }
    let nginx = try await Nginx(serving: Places.fixtures)
    let lines = (0..<1_500).map { index in
      (index % 5 == 0 ? gone.url("/\(index)") : nginx.url("/one-pixel.png?\(index)")) + "\n"
    }
    let fixture = try RunFixture(
      manifest: lines.joined(), keys: "fetch: {allow: loopback, retries: 1, deadline: 6s}")
    let result = try await fixture.run()
    await nginx.stop()
    #expect(result.status == 1, "\(result.errors.suffix(300))")
    #expect(try fixture.catalog.images.filter { $0.status == .ok }.count == 1_200)
  }

  /// A host without any of its images, which has most of the manifest's, does not end the run.
  @Test func oneHostWithoutItsImagesDoesNotEndTheRun() async throws {
    let empty = try FaultServer()
    let nginx = try await Nginx(serving: Places.fixtures)
    let lines = (0..<440).map { index in
      (index % 22 == 0 ? nginx.url("/one-pixel.png?\(index)") : empty.url("/\(index)")) + "\n"
    }
    let fixture = try RunFixture(manifest: lines.joined())
    let result = try await fixture.run()
    #expect(result.status == 1, "\(result.errors.suffix(300))")
    #expect(try fixture.catalog.images.filter { $0.status == .ok }.count == 20)
    // Without the other host it does.
    try fixture.folder.write(lines.filter { !$0.contains("one-pixel") }.joined(), to: "manifest")
    let alone = try await fixture.run()
    await nginx.stop()
    empty.stop()
    #expect(alone.status == 2)
    #expect(alone.errors.contains("which is more than fail-above: 90%"), "\(alone.errors)")
  }

  /// Items of other hosts do not wait for those of slow hosts.
  @Test(.faults(.n4)) func slowHostsDoNotDelayOthers() async throws {
    let slow = try FaultServer(["/": { $1.hang() }])
    let good = try FaultServer(["/": { $1.fixture("one-pixel.png") }])
    defer {
      slow.stop()
      good.stop()
    }
    let lines =
      (0..<1_200).map { slow.url("/?\($0)") + "\n" } + (0..<20).map { good.url("/?\($0)") + "\n" }
    let fixture = try RunFixture(
      manifest: lines.joined(), keys: "fetch: {allow: loopback, timeout: 30s, deadline: 30s}")
    let running = try fixture.start()
    var seconds = 0.0
    while good.count("/?19") == 0, seconds < 10 {
      try await Task.sleep(for: .milliseconds(100))
      seconds += 0.1
    }
    #expect(seconds < 8, "\(seconds)")
    running.signal(SIGTERM)
    #expect(await running.end().status == 143)
  }

  /// The run's deadline also applies while it waits for its manifest.
  @Test func runDeadlineCoversTheManifest() async throws {
    let server = try FaultServer([
      "/list": { _, connection in
        connection.send("HTTP/1.1 200 OK\r\n\r\n")
        while connection.send("http://127.0.0.1/x.jpg?aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n") {
          connection.pause(0.02)
        }
      }
    ])
    defer { server.stop() }
    let fixture = try RunFixture(manifest: "")
    let late = try await fixture.run("--deadline", "2s", "--manifest", server.url("/list"))
    #expect(late.status == 2)
    #expect(late.errors.contains("the run's deadline passed"), "\(late.errors)")
    let pipe = try await Tool.run(
      "/bin/sh",
      [
        "-c",
        "(echo http://127.0.0.1:1/a; sleep 20) | \"$0\" run \"$1\" --manifest - --deadline 2s",
        Places.tessera, fixture.folder.path("feed.yaml"),
      ])
    #expect(pipe.status == 2)
    #expect(
      pipe.errors.contains("(--deadline) passed before it was read to its end"), "\(pipe.errors)")
  }
}
