import Foundation
import TesseraCatalog
import TesseraTestSupport
import Testing

/// `tessera run --layout-only`: sizes before any image is transcoded.
@Suite struct LayoutOnlyTests {
  private static let names = [
    "rotated-phone-shot.jpg", "animated.gif", "tall-900x20000.png", "transparent-lossless.webp",
  ]

  @Test func reportsSizesAndKeepsExistingFiles() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let manifest =
      Self.names.map { #"{"id":"\#($0)","url":"\#(nginx.url("/\($0)"))"}"# + "\n" }.joined()
      + #"{"id":"page","url":"\#(nginx.url("/make"))","slots":["card"]}"#
    let fixture = try RunFixture(manifest: manifest)
    let layout = try await fixture.run("--layout-only")
    #expect(layout.status == 1)
    #expect(
      try fixture.catalog.outline == [
        "rotated-phone-shot.jpg pending 600x800 jpeg", "animated.gif pending 96x64 gif",
        "tall-900x20000.png pending 900x20000 png",
        "transparent-lossless.webp pending 200x150 webp", "page failed [not-image]",
      ])
    #expect(
      try fixture.catalogText.contains(
        #""frames":1,"slots":{"avatar":{"width":36,"height":36},"card":{"width":180,"height":240},"hero":{"width":414,"height":414,"image":{"width":414,"height":552}}}}"#
      ))
    #expect(try fixture.catalogText.contains(#""url":"\#(nginx.url("/animated.gif"))""#))
    var report = try fixture.report
    #expect(report["items.pending"] == 4)
    #expect(report["decodes"] == 0)
    #expect(report["fetch.requests"] == 5)
    #expect(report["fetch.bytes"] ?? .max <= 5 * 3584)

    // A full run has the same result as without the layout run.
    #expect(try await fixture.run().status == 1)
    let text = try fixture.catalogText
    let other = try RunFixture(manifest: manifest)
    #expect(try await other.run().status == 1)
    #expect(try other.catalogText == text)

    // Existing files remain while the server confirms the source.
    #expect(try await fixture.run("--layout-only").status == 1)
    #expect(try fixture.catalogText == text)
    report = try fixture.report
    #expect(report["items.ok"] == 4)
    #expect(report["fetch.notModified"] == 4)
    await nginx.stop()
  }

  /// Sizes are requested once while they are fresh, and revalidated after that.
  @Test func requestsFreshSizesOnce() async throws {
    let server = try FaultServer([
      "/fresh": { request, connection in
        let bytes = (try? Places.bytes("plain.jpg")) ?? []
        connection.file(bytes, for: request, ["Cache-Control": "max-age=60"])
      },
      "/tagged": { request, connection in
        guard request.headers["if-none-match"] != "\"1\"" else {
          return connection.respond("304 Not Modified", ["ETag": "\"1\""])
        }
        connection.file((try? Places.bytes("plain.jpg")) ?? [], for: request, etag: "\"1\"")
      },
      "/page": { $1.respond("200 OK", [:], Array("<!doctype html><title>Sorry</title>".utf8)) },
    ])
    defer { server.stop() }
    let pages = try RunFixture(
      manifest: (0..<8).map { #"{"id":"\#($0)","url":"\#(server.url("/page"))"}"# + "\n" }.joined())
    #expect(try await pages.run("--layout-only").status == 1)
    #expect(server.count("/page") == 1)
    #expect(try pages.catalog.images.allSatisfy { $0.error?.code == "not-image" })
    let fixture = try RunFixture(manifest: server.url("/fresh") + "\n" + server.url("/tagged"))
    #expect(try await fixture.run("--layout-only").status == 0)
    let text = try fixture.catalogText
    #expect(try await fixture.run("--layout-only").status == 0)
    #expect(try fixture.catalogText == text)
    #expect(server.count("/fresh") == 1)
    #expect(server.count("/tagged") == 2)
    #expect(try fixture.report["fetch.notModified"] == 1)
    // A pending item has not failed.
    #expect(try await fixture.run("--layout-only", "--retry-failed").status == 0)
    #expect(server.count("/tagged") == 2)
    #expect(try fixture.catalogText == text)
    #expect(try await fixture.run("--layout-only").status == 0)
    // Each slot is counted once, whether its item is new or known.
    #expect(try fixture.report["variants.asked"] == 18)
    // A plan uses these sizes, too.
    let plan = try await Tool.tessera("plan", fixture.folder.path("feed.yaml"))
    #expect(!plan.output.contains("unknown"))
  }

  @Test func detectsChangedSources() async throws {
    let server = try FaultServer()
    defer { server.stop() }
    func serve(_ name: String, _ etag: String?) throws {
      let bytes = try Places.bytes(name)
      server.route("/p") { request, connection in
        let known = request.headers["if-none-match"]
        if let etag, known == etag { return connection.respond("304 Not Modified") }
        connection.file(bytes, for: request, etag: etag)
      }
    }
    let fixture = try RunFixture(manifest: #"{"id":"p","url":"\#(server.url("/p"))"}"#)
    func outline() async throws -> [String] {
      _ = try await fixture.run("--layout-only", "--allow-loss")
      return try fixture.catalog.outline.map { String($0.prefix { $0 != ":" }) }
    }
    try serve("plain.jpg", "\"1\"")
    #expect(try await fixture.run().status == 0)
    #expect(try await outline() == ["p ok 240x160 jpeg"])
    try serve("grey.png", "\"2\"")
    #expect(try await outline() == ["p pending 120x80 png"])
    #expect(try await outline() == ["p pending 120x80 png"])
    // `revalidate: never` keeps what is known; a run that fetches the source updates it.
    try fixture.write(keys: "fetch: {allow: loopback, retries: 0, revalidate: never}")
    #expect(try await outline() == ["p pending 120x80 png"])
    #expect(try await fixture.run().status == 0)
    #expect(try await outline() == ["p ok 120x80 png"])
    try fixture.write(keys: "")
    try serve("plain.jpg", "\"1\"")
    #expect(try await fixture.run().status == 0)
    // Another version, then the first one again: its files still exist.
    try serve("grey.png", "\"3\"")
    #expect(try await outline() == ["p pending 120x80 png"])
    server.route("/p") { $1.respond("404 Not Found") }
    #expect(try await outline() == ["p failed 120x80 png [http-status]"])
    try serve("plain.jpg", "\"1\"")
    #expect(try await outline() == ["p ok 240x160 jpeg"])
    // Without validators, the same size and format count as the same image.
    try serve("plain.jpg", nil)
    #expect(try await outline() == ["p ok 240x160 jpeg"])
    try serve("orientation-6.jpg", nil)
    #expect(try await outline() == ["p pending 120x80 jpeg"])
    // If the source is unreachable, its last good files remain. If it is gone, its size remains, also if it can't be reached
    // after that.
    server.route("/p") { $1.respond("500 Internal Server Error") }
    #expect(try await outline() == ["p stale 240x160 jpeg [http-status]"])
    server.route("/p") { $1.respond("404 Not Found") }
    #expect(try await outline() == ["p failed 120x80 jpeg [http-status]"])
    server.route("/p") { $1.respond("500 Internal Server Error") }
    #expect(try await outline() == ["p failed 120x80 jpeg [http-status]"])
  }

  /// An animated PNG is animated: its decoder reads all frames.
  @Test func animationIsAsTheDecoderReadsIt() async throws {
    var png = try Places.bytes("grey.png")
    png.insert(
      contentsOf: [0, 0, 0, 8] + Array("acTL".utf8) + [0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0], at: 33)
    let animated = png
    let server = try FaultServer(["/p": { $1.file(animated, for: $0) }])
    defer { server.stop() }
    let fixture = try RunFixture(manifest: server.url("/p"))
    #expect(try await fixture.run("--layout-only").status == 0)
    #expect(try fixture.catalog.images.map(\.animated) == [true])
    #expect(try fixture.report["variants.asked"] == 9)
  }

  /// Images that a full run rejects by their header are rejected here, with their size.
  @Test func rejectsWhatAFullRunRejects() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let fixture = try RunFixture(
      manifest: ["tall-900x20000.png", "plain.jpg", "animated.gif"].map { nginx.url("/\($0)\n") }
        .joined(),
      keys: """
        fetch: {allow: loopback, retries: 0, max-bytes: 3500}
        limits: {pixels: 1MP}
        accept: [jpeg, png]
        """)
    #expect(try await fixture.run("--layout-only").status == 1)
    let expected = [
      "failed 900x20000 png [too-many-pixels]", "failed 240x160 jpeg [too-large]",
      "failed 96x64 gif [unsupported-format]",
    ]
    let found = try fixture.catalog.outline.map { String($0.drop { $0 != " " }.dropFirst()) }
    #expect(found == expected)
    await nginx.stop()
  }
}
