import Foundation
import Synchronization
import TesseraTestSupport
import Testing

/// Headers of the pipeline file reach only the hosts that they are for.
@Suite struct HeaderTests {
  /// Two servers that record the header `X-Key` of each request.
  private final class Servers: Sendable {
    let first: FaultServer
    let second: FaultServer
    private let seen = Mutex<[String]>([])

    init() throws {
      (first, second) = (try FaultServer(), try FaultServer())
      for (name, server) in [("first", first), ("second", second)] {
        for path in ["/a", "/b"] {
          server.route(path) { [weak self] request, connection in
            self?.note(name, request)
            connection.fixture("one-pixel.png")
          }
        }
      }
      first.route("/away") { [weak self] request, connection in
        guard let self else { return }
        note("first", request)
        connection.respond("302 Found", ["Location": second.url("/b")])
      }
    }

    private func note(_ server: String, _ request: FaultServer.Request) {
      let key = request.headers["x-key"] ?? "none"
      seen.withLock { $0.append("\(server)\(request.path) \(key)") }
    }

    /// The requests so far, sorted, without duplicates.
    func taken() -> [String] {
      seen.withLock { seen in
        defer { seen = [] }
        return Set(seen).sorted()
      }
    }

    func stop() {
      first.stop()
      second.stop()
    }
  }

  private static func host(_ server: FaultServer) -> String { "127.0.0.1:\(server.port)" }

  /// Each host gets its own headers, in full runs and in those for sizes only. None follow a
  /// redirect, not even to a host that has headers of its own.
  @Test(.faults(.n22), arguments: [[], ["--layout-only"]])
  func boundHeadersGoToTheirHost(_ options: [String]) async throws {
    let servers = try Servers()
    defer { servers.stop() }
    let urls = [
      servers.first.url("/a"), servers.second.url("/a"), servers.first.url("/away"),
    ]
    let fixture = try RunFixture(
      manifest: urls.map { $0 + "\n" }.joined(),
      keys: """
        fetch:
          allow: loopback
          headers:
            - {host: "\(Self.host(servers.first))", X-Key: one}
            - {host: "\(Self.host(servers.second))", X-Key: two}
        """)
    let result = try await Tool.run(
      Places.tessera, ["run", fixture.folder.path("feed.yaml")] + options)
    #expect(result.status == 0, "\(result.errors)")
    #expect(
      servers.taken() == ["first/a one", "first/away one", "second/a two", "second/b none"])
  }

  /// Headers without a host are for one host: a manifest with another one ends the run before its
  /// image is requested. Relative URLs are resolved first.
  @Test func unboundHeadersGoToOneHostOnly() async throws {
    let servers = try Servers()
    defer { servers.stop() }
    let (first, second) = (Self.host(servers.first), Self.host(servers.second))
    let keys = "base: \(servers.first.url("/"))\nfetch: {allow: loopback, headers: {X-Key: k}"
    let fixture = try RunFixture(manifest: "a\n\(servers.first.url("/b"))\n", keys: keys + "}")
    #expect(try await fixture.run().status == 0)
    #expect(servers.taken() == ["first/a k", "first/b k"])
    let before = try fixture.catalogText
    try fixture.folder.write(
      "a\n\ndata:image/png;base64,AAAA\n\(servers.second.url("/b"))\n", to: "manifest")
    let sentence =
      "tessera: the manifest \"\(fixture.folder.path("manifest"))\": line 4 names the host "
      + "\"\(second)\", but the first host is \"\(first)\", and headers without a host are sent to "
      + "one host only; bind them (fetch.headers: [{host: \(first), …}]), or send them to every host "
      + "(fetch.headers-everywhere: true)"
    for verb in ["run", "check", "plan"] {
      let result = try await Tool.tessera(verb, fixture.folder.path("feed.yaml"))
      #expect(result.status == 2, "\(verb)")
      #expect(result.errors.contains(sentence), "\(verb): \(result.errors)")
    }
    #expect(servers.second.total == 0)
    #expect(try fixture.catalogText == before)
    _ = servers.taken()
    try fixture.write(keys: keys + ", headers-everywhere: true, revalidate: always}")
    #expect(try await fixture.run().status == 1)
    #expect(servers.taken() == ["first/a k", "second/b k"])
  }

  /// The request for the manifest itself has the headers that are bound to its host, and those for
  /// every host.
  @Test(arguments: [
    ("headers: {X-Key: k}", "none"), ("headers: {X-Key: k}, headers-everywhere: true", "k"),
    ("headers: [{host: HOST, X-Key: k}]", "k"), ("headers: [{host: \"h:1\", X-Key: k}]", "none"),
  ])
  func theManifestGetsItsHostsHeaders(_ headers: String, _ expected: String) async throws {
    let servers = try Servers()
    defer { servers.stop() }
    let keys = Mutex<[String]>([])
    servers.second.route("/list") { request, connection in
      keys.withLock { $0.append(request.headers["x-key"] ?? "none") }
      connection.respond("200 OK", [:], Array((servers.first.url("/a") + "\n").utf8))
    }
    let host = "\"\(Self.host(servers.second))\""
    let fixture = try RunFixture(
      manifest: "",
      keys: "fetch: {allow: loopback, \(headers.replacing("HOST", with: host))}")
    #expect(try await fixture.run("--manifest", servers.second.url("/list")).status == 0)
    #expect(keys.withLock(\.self) == [expected])
  }
}
