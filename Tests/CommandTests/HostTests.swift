import Foundation
import Synchronization
import TesseraCatalog
import TesseraTestSupport
import Testing

/// What a run does to the hosts that it fetches from, and what it says of them.
@Suite struct HostTests {
  private static let banned = "answered all 12 requests with 403 or 429"

  private static func lines(_ server: FaultServer, _ path: String, _ count: Int) -> String {
    (0..<count).map { #"{"id":"\#(path)\#($0)","url":"\#(server.url("/\(path)?\($0)"))"}"# + "\n" }
      .joined()
  }

  /// The host has a rate, headers, retries and a timeout of its own, in `run`, in a layout run and in `check --probe`, beside
  /// another one that has none.
  @Test(arguments: ["run", "layout", "check"])
  func aHostHasItsOwnSettings(_ command: String) async throws {
    let seen = Mutex<[(time: ContinuousClock.Instant, key: String)]>([])
    let slow = try FaultServer([
      "/s": { request, connection in
        seen.withLock { $0.append((.now, request.headers["x-key"] ?? "")) }
        if request.before < 2 {
          connection.respond("503 Busy")
        } else {
          connection.fixture("one-pixel.png")
        }
      }
    ])
    let fast = try FaultServer([
      "/f": { request, connection in
        #expect(request.headers["x-key"] == "all")
        connection.fixture("one-pixel.png")
      }
    ])
    defer {
      slow.stop()
      fast.stop()
    }
    let fixture = try RunFixture(
      manifest: Self.lines(slow, "s", 20) + Self.lines(fast, "f", 20),
      keys: """
        fetch:
          allow: loopback
          retries: 0
          headers: {X-Key: all}
          headers-everywhere: true
          hosts:
            - {host: "127.0.0.1:\(slow.port)", rate: 10/s, per-host: 9, retries: 4, headers: {x-key: own}}
        """)
    let path = fixture.folder.path("feed.yaml")
    let arguments =
      switch command {
      case "run": ["run", path]
      case "layout": ["run", "--layout-only", path]
      default: ["check", "--probe", path]
      }
    let result = try await Tool.run(Places.tessera, arguments)
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    let requests = seen.withLock { $0 }
    #expect(requests.count >= 22 && requests.allSatisfy { $0.key == "own" })
    if let first = requests.first, let last = requests.last {
      let least = Double(requests.count - 1) / 10 - 0.1
      #expect(first.time.duration(to: last.time) >= .seconds(least))
    }
  }

  /// A slow rate does not time out those that wait for it, also those whose first attempt has failed.
  @Test(.faults(.n50)) func aDeadlineDoesNotCountTheWaitForARate() async throws {
    let server = try FaultServer([
      "/s": { request, connection in
        if request.before == 0 { connection.reset() } else { connection.fixture("one-pixel.png") }
      }
    ])
    defer { server.stop() }
    let fixture = try RunFixture(
      manifest: Self.lines(server, "s", 8),
      keys: "fetch: {allow: loopback, rate: 2/s, deadline: 2s, retries: 2}")
    let result = try await fixture.run()
    #expect(result.status == 0, "\(result.output)\(result.errors)")
  }

  @Test(.faults(.n51)) func aHostThatBansIsReported() async throws {
    let server = try FaultServer(["/b": { $1.respond("403 Forbidden") }])
    let good = try FaultServer(["/g": { $1.fixture("one-pixel.png") }])
    defer {
      server.stop()
      good.stop()
    }
    let fixture = try RunFixture(manifest: Self.lines(server, "b", 12) + Self.lines(good, "g", 3))
    let result = try await fixture.run()
    let host = "127.0.0.1:\(server.port)"
    #expect(result.status == 1 && result.output.contains("  \(host) \(Self.banned)\n"))
    #expect(result.output.contains("(fetch.hosts: [{host: \(host), rate: 1/s}])"))
    let report = try fixture.folder.text("out/run.json")
    #expect(
      report.contains("\"host\": \"\(host)\",\n      \"answers\": 12,\n      \"rejected\": 12"))
    let why = try await Tool.run(Places.tessera, ["why", fixture.folder.path("out"), "b3"])
    #expect(why.output.contains("next: \(host) \(Self.banned); it probably bans this pipeline"))
    let other = try await Tool.run(Places.tessera, ["why", fixture.folder.path("out"), "g1"])
    #expect(other.status == 0 && !other.output.contains("bans"))
    // Without URLs in the catalog, the report names no host either.
    try fixture.write(keys: "catalog: {urls: none}")
    let hidden = try await fixture.run()
    #expect(hidden.output.contains(Self.banned))
    let text = try fixture.folder.text("out/run.json")
    #expect(!text.contains(host) && text.contains("\"rejected\": 12"))
  }

  /// A run that stops has no report: the warning says why.
  @Test(.faults(.n51)) func aRunThatABanStopsSaysSo() async throws {
    let server = try FaultServer(["/b": { $1.respond("403 Forbidden") }])
    defer { server.stop() }
    let fixture = try RunFixture(manifest: Self.lines(server, "b", 150))
    let result = try await fixture.run()
    #expect(result.status == 2 && result.errors.contains("more than fail-above"))
    let host = "127.0.0.1:\(server.port)"
    #expect(result.errors.contains("warning: \(host) answered all "))
    #expect(result.errors.contains("requests with 403 or 429; it probably bans this pipeline"))
  }

  // MARK: URLs as people write them

  @Test func urlsAreEncodedAsBrowsersDo() async throws {
    let server = try FaultServer([
      "/my%20photo%201.png": { $1.fixture("one-pixel.png") },
      "/b%C3%BCcher.png": { $1.fixture("one-pixel.png") },
      "/plain.png": { $1.fixture("one-pixel.png") },
    ])
    defer { server.stop() }
    let urls = ["/my photo 1.png", "\\b\u{FC}cher.png ", "/plain.png"].map { server.url($0) }
    let fixture = try RunFixture(manifest: urls.map { $0 + "\n" }.joined())
    let note =
      "2 URLs with blanks or other characters that a URL can't have; they are encoded as browsers do\n"
    let result = try await fixture.run()
    #expect(result.status == 0 && result.output.contains(note), "\(result.output)\(result.errors)")
    #expect(try fixture.report["items.encodedURLs"] == 2)
    let ids = ["/my%20photo%201.png", "/b%C3%BCcher.png", "/plain.png"].map { server.url($0) }
    #expect(try fixture.catalog.images.map(\.id) == ids)
    let check = try await Tool.run(Places.tessera, ["check", fixture.folder.path("feed.yaml")])
    #expect(check.status == 0 && check.output.contains(note))
    let list = try fixture.folder.write(try fixture.folder.text("manifest"), to: "list.txt")
    let from = try await Tool.run(
      Places.tessera, ["init", fixture.folder.path("new"), "--from", list])
    #expect(from.output.contains(note), "\(from.output)\(from.errors)")
    let probe = try await Tool.run(
      Places.tessera, ["probe", "--allow", "loopback", urls[0]])
    #expect(probe.output == "\(ids[0]): 1 x 1 png\n")
  }

  // MARK: Who asks

  @Test func checkNamesAMissingContact() async throws {
    func output(_ keys: String, _ url: String = "https://images.shop.de/a.jpg") async throws
      -> String
    {
      let fixture = try RunFixture(
        manifest: url + "\n", keys: "fetch: {\(keys)}", slots: "slots: {card: {size: 9x9}}")
      let result = try await Tool.run(Places.tessera, ["check", fixture.folder.path("feed.yaml")])
      #expect(result.status == 0, "\(result.output)\(result.errors)")
      return result.output
    }
    let remedy =
      "name yours in \"fetch\", such as user-agent: \"Tessera/0.1 (+https://your.site/bot)\""
    let missing = try await output("retries: 0")
    #expect(missing.contains("the requests name no contact") && missing.contains(remedy))
    let example = try await output("user-agent: \"A (+https://example.com/contact)\"")
    #expect(example.contains("is only an example") && example.contains(remedy))
    #expect(try await output("user-agent: \"A (+https://shop.de/bot)\"") == "1 item, no mistakes\n")
    // One's own server needs none.
    #expect(
      try await output("allow: loopback", "http://127.0.0.1/a.jpg") == "1 item, no mistakes\n")
  }

  // MARK: Files

  @Test func filesThatAreNoFilesHaveCodesOfTheirOwn() async throws {
    let folder = try TemporaryFolder()
    let image = try Data(contentsOf: Places.fixtures.appending(path: "one-pixel.png"))
    for name in ["images/a.png", "elsewhere/b.png"] {
      try folder.write("", to: name)
      try image.write(to: URL(filePath: folder.path(name)))
    }
    let place = URL(filePath: folder.path("images")).resolvingSymlinksInPath().path
    symlink(folder.path("elsewhere/b.png"), folder.path("images/out.png"))
    symlink("a.png", folder.path("images/in.png"))
    symlink("none.png", folder.path("images/gone.png"))
    mkfifo(folder.path("images/pipe.png"), 0o600)
    let names = ["a", "in", "out", "gone", "pipe", "none"]
    let fixture = try RunFixture(
      manifest: names.map {
        #"{"id":"\#($0)","url":"file://\#(place)/\#($0).png"}"# + "\n"
      }.joined(), keys: "fetch: {allow: [\"files:\(place)\"]}\nfail-above: 100%")
    #expect(try await fixture.run().status == 1)
    #expect(
      try fixture.catalog.images.map { $0.error?.code ?? "ok" }
        == ["ok", "ok", "symlink", "symlink", "not-readable", "not-found"])
    let why = try await Tool.run(Places.tessera, ["why", fixture.folder.path("out"), "gone"])
    #expect(why.output.contains("next: put the file itself there"))
  }
}
