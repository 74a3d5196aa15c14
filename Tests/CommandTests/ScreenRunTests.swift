import Foundation
import TesseraBytes
import TesseraCatalog
import TesseraTestSupport
import Testing

/// Screens and changes as an app finds them in an output.
@Suite struct ScreenRunTests {
  private static let keys = """
    catalog:
      changes: 2
      screens: {feed: {slots: [card], formats: [webp], scales: [2, 3], first: 10, part: 20}}
    """

  private static func lines(_ nginx: Nginx, _ ids: [String]) -> String {
    ids.map { #"{"id":"\#($0)","url":"\#(nginx.url("/plain.jpg?\($0)"))"}"# + "\n" }.joined()
  }

  private static func read(_ fixture: RunFixture, _ path: String) throws -> Catalog {
    try Catalog(reading: fixture.folder.read("out/\(path)")) {
      MessageDigest.sha256.digest(of: $0)
    }
  }

  private static func first(_ fixture: RunFixture) throws -> Catalog {
    try read(fixture, "screens/feed/first.json")
  }

  /// An app shows the first images after one request, finds the others in the parts, and follows the next run by changes.
  @Test func anAppFollowsAScreen() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let ids = (0..<200).map { "p\($0)" }
    let fixture = try RunFixture(manifest: Self.lines(nginx, ids), keys: Self.keys)
    #expect(try await fixture.run().status == 0)
    let (catalog, old) = (try fixture.catalog, try fixture.folder.read("out/catalog.json"))
    let first = try Self.first(fixture)
    #expect(first.images.map(\.id) == Array(ids.prefix(10)))
    #expect(first.catalogDigest == catalog.digest)
    // The same files as in the whole catalog, at the same URLs.
    let whole = try CatalogIndex(
      catalog, accepting: ["image/webp"], from: "https://e.example/out/catalog.json")
    let screen = try CatalogIndex(
      first, accepting: ["image/webp"], from: "https://e.example/out/screens/feed/first.json")
    for id in ids.prefix(10) {
      for scale in [2.0, 3] {
        let file = screen.image(id)?.file(for: "card", scale: scale)
        #expect(file != nil && file == whole.image(id)?.file(for: "card", scale: scale))
      }
      #expect(screen.image(id)?.box(in: "card") == whole.image(id)?.box(in: "card"))
    }
    let parts = try #require(first.parts)
    let rest = try parts.map { try Self.read(fixture, $0).images.map(\.id) }
    #expect(rest.map(\.count) == Array(repeating: 20, count: 9) + [10])
    #expect(first.images.map(\.id) + rest.joined() == ids)

    // An image is added at the end: all parts but the last stay.
    try fixture.folder.write(Self.lines(nginx, ids + ["last"]), to: "manifest")
    #expect(try await fixture.run().status == 0)
    let more = try #require(Self.first(fixture).parts)
    #expect(more.dropLast() == parts.dropLast() && more.last != parts.last)

    var changed = ids + ["last"]
    changed.insert("new", at: 0)
    changed.remove(at: 60)
    try fixture.folder.write(Self.lines(nginx, changed), to: "manifest")
    #expect(try await fixture.run().status == 0)
    let from = "out/from-\(try #require(catalog.digest)).json"
    for (schema, path) in [
      ("catalog", "out/screens/feed/first.json"), ("catalog", "out/\(parts[0])"),
      ("catalog", "out/catalog.json"), ("changes", from),
    ] {
      #expect(try await JSONSchema.errors(of: fixture.folder.path(path), by: schema) == "")
    }
    let changes = try CatalogChanges(reading: fixture.folder.read(from))
    let new = try changes.applied(to: Array(old)) { MessageDigest.sha256.digest(of: $0) }
    #expect(Data(new) == (try fixture.folder.read("out/catalog.json")))
    await nginx.stop()
  }

  /// Shards make the same screens; `verify` notices a damaged one; `prune` keeps what a screen names; and nothing is left
  /// of a forgotten image.
  @Test func toolsKnowScreens() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let ids = (0..<60).map { "p\($0)" }
    let fixture = try RunFixture(manifest: Self.lines(nginx, ids), keys: Self.keys)
    let shards = try RunFixture(manifest: Self.lines(nginx, ids), keys: Self.keys)
    #expect(try await fixture.run().status == 0)
    for shard in 0..<2 {
      let run = try await Tool.run(
        Places.tessera,
        ["run", shards.folder.path("feed.yaml"), "--quiet", "--shard", "\(shard)/2"])
      #expect(run.status == 0, "\(run.errors)")
    }
    #expect(try await Tool.tessera("merge", shards.folder.path("out")).status == 0)
    for path in try ["screens/feed/first.json"] + (Self.first(fixture).parts ?? []) {
      #expect(try fixture.folder.read("out/\(path)") == shards.folder.read("out/\(path)"))
    }

    let out = fixture.folder.path("out")
    try fixture.folder.write(Self.lines(nginx, ["new"] + ids), to: "manifest")
    #expect(try await fixture.run().status == 0)
    let named = try #require(Self.first(fixture).parts)
    #expect(try await Tool.tessera("prune", out, "--grace", "0s").status == 0)
    let left = Set(fixture.folder.files(below: "out"))
    #expect(left.isSuperset(of: named) && left.contains("screens/feed/first.json"))
    #expect(try await Tool.tessera("verify", out).status == 0)
    let part = named[0]
    let bytes = try fixture.folder.read("out/\(part)")
    try fixture.folder.write("{}", to: "out/\(part)")
    let digest = try fixture.catalog.digest ?? ""
    let changes = try fixture.folder.read("out/from-\(digest).json")
    try fixture.folder.write("{}", to: "out/from-\(digest).json")
    let damaged = try await Tool.tessera("verify", out)
    #expect(damaged.status == 1 && damaged.output.contains("\(part) is damaged: "))
    #expect(damaged.output.contains("from-\(digest).json is damaged: "))
    try fixture.folder.write(String(decoding: bytes, as: UTF8.self), to: "out/\(part)")
    try fixture.folder.write(
      String(decoding: changes, as: UTF8.self), to: "out/from-\(digest).json")

    #expect(try await Tool.tessera("forget", out, "p7").status == 0)
    for path in fixture.folder.files(below: "out") where path.hasSuffix(".json") {
      let text = try fixture.folder.read("out/\(path)")
      let isMark = path == ".tessera/forgotten.json"
      #expect(isMark || !String(decoding: text, as: UTF8.self).contains("\"p7\""), "\(path)")
    }
    #expect(try await Tool.tessera("verify", out).status == 0)
    // The next run makes changes again, and none leads from a catalog with the image.
    let rest = try await fixture.run()
    #expect(rest.status == 0, "\(rest.errors)")
    let again = try fixture.catalog.digest ?? ""
    #expect(fixture.folder.files(below: "out").contains("from-\(again).json"))
    #expect(!fixture.folder.files(below: "out").contains("from-\(digest).json"))

    // Without the key there is no screen any more, which would be out of date.
    try fixture.write(keys: "")
    #expect(try await fixture.run().status == 0)
    #expect(!fixture.folder.files(below: "out/screens").contains("feed/first.json"))
    #expect(!fixture.folder.files(below: "out").contains { $0.hasPrefix("from-") })
    await nginx.stop()
  }
}
