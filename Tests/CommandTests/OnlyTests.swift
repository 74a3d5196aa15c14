import Foundation
import Synchronization
import TesseraCatalog
import TesseraTestSupport
import Testing

/// Runs of some images by the built command, and what `plan` says before runs.
@Suite struct OnlyTests {
  /// A server of images with ETags, each with other bytes, which a test may change.
  private final class Images: Sendable {
    let server: FaultServer
    private let versions = Mutex<[String: Int]>([:])
    private let count = Mutex(0)

    init(_ names: [String]) throws {
      server = try FaultServer()
      let first = try Places.bytes("plain.jpg")
      let other = try Places.bytes("orientation-6.jpg")
      for name in names {
        server.route("/\(name)") { [self] request, connection in
          count.withLock { $0 += 1 }
          let number = versions.withLock { $0[name] ?? 0 }
          let version = "\(name)-\(number)"
          let headers = ["ETag": "\"\(version)\"", "Content-Type": "image/jpeg"]
          if request.headers["if-none-match"] == headers["ETag"] {
            return connection.respond("304 Not Modified", headers)
          }
          connection.respond(
            "200 OK", headers, Self.commented(number == 0 ? first : other, version))
        }
      }
    }

    /// A JPEG with a comment behind its first marker (ITU-T T.81, B.2.4.5).
    private static func commented(_ bytes: [UInt8], _ text: String) -> [UInt8] {
      bytes[..<2] + [0xFF, 0xFE, 0, UInt8(text.utf8.count + 2)] + Array(text.utf8) + bytes[2...]
    }

    func change(_ names: String...) {
      versions.withLock { versions in
        for name in names { versions[name, default: 0] += 1 }
      }
    }

    func takeCount() -> Int {
      count.withLock { count in
        defer { count = 0 }
        return count
      }
    }

    func lines(_ names: [String]) -> String {
      names.map { #"{"id":"\#($0)","url":"\#(server.url("/\($0)"))"}"# + "\n" }.joined()
    }
  }

  private static let tables = "tables: {avatar: {scales: [2], pixels: [bgra8]}}"

  private static func lines(_ text: String) -> [String: Substring] {
    Dictionary(
      text.split(separator: "\n").compactMap { line in
        line.firstMatch(of: /^\{"id":"(\w+)"/).map { (String($0.1), line.trimmingPrefix(",")) }
      }
    ) { first, _ in first }
  }

  @Test func oneImageIsReplaced() async throws {
    let images = try Images(["a", "b", "c"])
    defer { images.server.stop() }
    let fixture = try RunFixture(manifest: images.lines(["a", "b", "c"]), keys: Self.tables)
    #expect(try await fixture.run().status == 0)
    let before = try fixture.catalogText
    images.change("b")
    _ = images.takeCount()
    let result = try await fixture.run("--only", "b")
    #expect(result.status == 0, "\(result.errors)")
    #expect(images.takeCount() == 1)
    #expect(
      result.output.hasPrefix(
        "1 image; 2 other images of the catalog left as they were: 1 ok (1 changed)\n"),
      "\(result.output)")
    let after = try fixture.catalogText
    let (old, new) = (Self.lines(before), Self.lines(after))
    #expect(old["a"] == new["a"] && old["c"] == new["c"] && old["b"] != new["b"])
    #expect(try fixture.report["items.others"] == 2)
    // Tables show it, too: those of a run of all images are the same.
    #expect(try await fixture.run().status == 0)
    #expect(try fixture.catalogText == after)
    let verification = try await Tool.run(
      Places.tessera, ["verify", fixture.folder.path("out"), "--deep"])
    #expect(verification.status == 0, "\(verification.output)")
    let why = try await Tool.run(Places.tessera, ["why", fixture.folder.path("out"), "b"])
    #expect(why.status == 0, "\(why.errors)")
  }

  @Test func mistakesAreNamed() async throws {
    let images = try Images(["a", "b"])
    defer { images.server.stop() }
    let fixture = try RunFixture(manifest: images.lines(["a", "b"]))
    let cases: [([String], Int32, String)] = [
      (
        ["--refresh"], 64,
        "--refresh is for some images: name them with --only, --only-failed or --only-host"
      ),
      (
        ["--only", "a", "--shard", "0/2"], 64,
        "--shard makes the result of all images of a part, without --only, --only-failed or --only-host; "
          + "run the whole shard, or leave out --shard"
      ),
      (["--only", "a"], 2, "the output has no catalog yet"),
    ]
    for (options, status, message) in cases {
      let result = try await Tool.run(
        Places.tessera, ["run", fixture.folder.path("feed.yaml")] + options)
      #expect(result.status == status && result.errors.contains(message), "\(result.errors)")
    }
    _ = try await fixture.run()
    try fixture.write(keys: "placeholders: [color]")
    let changed = try await fixture.run("--only", "a")
    #expect(changed.status == 2)
    #expect(changed.errors.contains("the pipeline has changed since the catalog was made"))
    let planned = try await Tool.run(
      Places.tessera, ["plan", fixture.folder.path("feed.yaml"), "--only", "nobody"])
    #expect(planned.status == 2)
    // As its run does, it leaves alone what has not failed, though that is stale.
    try fixture.write(keys: "fetch: {allow: loopback, revalidate: always}")
    #expect(try await fixture.run().status == 0)
    for (options, requests) in [
      ([], "next run: 2 images: 2 to be revalidated"),
      (["--retry-failed"], "next run: 2 images: 2 fresh"),
    ] {
      let next = try await Tool.run(
        Places.tessera, ["plan", fixture.folder.path("feed.yaml")] + options)
      #expect(next.output.hasPrefix(requests), "\(next.output)")
    }
  }

  private struct Next: Decodable {
    struct Work: Decodable {
      var requests: Int
      var files: Int
    }
    var images: [String: Int]
    var expected: Work
    var most: Work
  }

  private struct Plan: Decodable { var next: Next? }

  private static func plan(_ fixture: RunFixture) async throws -> Next? {
    let result = try await Tool.run(
      Places.tessera, ["plan", fixture.folder.path("feed.yaml"), "--json"])
    #expect(result.status == 0, "\(result.errors)")
    return try JSONDecoder().decode(Plan.self, from: Data(result.output.utf8)).next
  }

  @Test func planSaysWhatTheNextRunDoes() async throws {
    let names = (0..<12).map { "i\($0)" }
    let images = try Images(names)
    defer { images.server.stop() }
    let fixture = try RunFixture(manifest: images.lines(Array(names[..<8])))
    #expect(try await Self.plan(fixture) == nil)
    #expect(images.takeCount() == 0)
    _ = try await fixture.run()
    let changes: [(String, isAsBefore: Bool, () throws -> Void)] = [
      ("nothing", true, {}),
      (
        "new", true, { try fixture.folder.write(images.lines(Array(names[..<12])), to: "manifest") }
      ),
      ("changed", false, { images.change("i0", "i1", "i2") }),
      (
        "slot", true,
        { try fixture.write(keys: "", slots: RunFixture.slots + "\n  list: {size: 24x}") }
      ),
      (
        "gone", true,
        { try fixture.folder.write(images.lines(Array(names[4...])), to: "manifest") }
      ),
    ]
    for (name, isAsBefore, change) in changes {
      try change()
      _ = images.takeCount()
      let next = try #require(try await Self.plan(fixture))
      #expect(images.takeCount() == 0, "\(name)")
      #expect(try await fixture.run().status == 0)
      let report = try fixture.report
      let (requests, files) = (images.takeCount(), report["variants.made"] ?? -1)
      #expect(requests == next.expected.requests, "\(name)")
      #expect((next.expected.files...next.most.files).contains(files), "\(name)")
      if isAsBefore { #expect(files == next.expected.files, "\(name)") }
      #expect(next.images["total"] == report["items.total"], "\(name)")
    }
  }
}
