import Foundation
import TesseraCatalog
import TesseraTestSupport
import Testing

/// Screens and patches as an app finds them in an output.
@Suite struct ScreenRunTests {
  private static let keys = """
    catalog:
      patches: 2
      screens: {feed: {slots: [card], formats: [webp], scales: [2, 3], first: 10, pages: 20}}
    """

  private static func lines(_ nginx: Nginx, _ ids: [String]) -> String {
    ids.map { #"{"id":"\#($0)","url":"\#(nginx.url("/plain.jpg?\($0)"))"}"# + "\n" }.joined()
  }

  private static func index(_ fixture: RunFixture, _ name: String = "index") throws -> CatalogPages
  {
    try CatalogPages(reading: fixture.folder.read("out/screens/feed/\(name).json"))
  }

  private static func page(_ fixture: RunFixture, _ path: String) throws -> Catalog {
    try Catalog(reading: fixture.folder.read("out/\(path)"))
  }

  /// An app shows the first images after one request, finds any image in one page, and follows the next run by patches.
  @Test func anAppFollowsAScreen() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let ids = (0..<200).map { "p\($0)" }
    let fixture = try RunFixture(manifest: Self.lines(nginx, ids), keys: Self.keys)
    #expect(try await fixture.run().status == 0)
    let (catalog, old) = (try fixture.catalog, try Self.index(fixture))
    let first = try Self.page(fixture, "screens/feed/first.json")
    #expect(first.images.map(\.id) == Array(ids.prefix(10)))
    // The same files as in the whole catalog, at the same URLs.
    let whole = CatalogIndex(
      catalog, accepting: ["image/webp"], from: "https://e.example/out/catalog.json")
    let screen = CatalogIndex(
      first, accepting: ["image/webp"], from: "https://e.example/out/screens/feed/first.json")
    for id in ids.prefix(10) {
      for scale in [2.0, 3] {
        let file = screen[id]?.file(for: "card", scale: scale)
        #expect(file != nil && file == whole[id]?.file(for: "card", scale: scale))
      }
      #expect(screen[id]?.layoutSize(in: "card") == whole[id]?.layoutSize(in: "card"))
    }
    let lookup = try Self.index(fixture, "lookup")
    let page = try #require(lookup.page(of: "p150"))
    #expect(try Self.page(fixture, page.path).images.contains { $0.id == "p150" })

    var pages: [String: Catalog] = [:]
    for page in old.pages { pages[page.digest] = try Self.page(fixture, page.path) }
    var changed = ids
    changed.insert("new", at: 0)
    changed.remove(at: 60)
    try fixture.folder.write(Self.lines(nginx, changed), to: "manifest")
    #expect(try await fixture.run().status == 0)
    let new = try Self.index(fixture)
    let from = "from-\(old.digest).json"
    let patches = try CatalogPatches(reading: fixture.folder.read("out/screens/feed/\(from)"))
    #expect(patches.from == old.digest && patches.to == new.digest && !patches.patches.isEmpty)
    var patched = 0
    for page in new.pages where pages[page.digest] == nil {
      let expected = try Self.page(fixture, page.path)
      guard let patch = patches.patch(to: page.digest) else { continue }
      let result = try patch.applied(to: try #require(pages[patch.from ?? ""]))
      #expect(result.images == expected.images && result.digest == page.digest)
      patched += 1
    }
    #expect(patched > 0)
    for (schema, path) in [
      ("catalog", "first"), ("pages", "index"), ("pages", "lookup"),
      ("patches", "from-\(old.digest)"),
    ] {
      let document = fixture.folder.path("out/screens/feed/\(path).json")
      #expect(try await JSONSchema.errors(of: document, by: schema) == "")
    }
    #expect(
      try await JSONSchema.errors(of: fixture.folder.path("out/\(from)"), by: "patch") == "")
    let patch = try CatalogPatch(reading: fixture.folder.read("out/\(from)"))
    #expect(try patch.applied(to: catalog).images == fixture.catalog.images)
    await nginx.stop()
  }

  /// Shards make the same screens; `verify` notices a damaged one; `prune` keeps what an index names; and nothing is left
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
    for name in ["first", "index", "lookup"] {
      let path = "out/screens/feed/\(name).json"
      #expect(try fixture.folder.read(path) == shards.folder.read(path))
    }

    let out = fixture.folder.path("out")
    try fixture.folder.write(Self.lines(nginx, ["new"] + ids), to: "manifest")
    #expect(try await fixture.run().status == 0)
    let named = try Set(
      ["index", "lookup"].flatMap { try Self.index(fixture, $0).pages.map(\.path) })
    #expect(try await Tool.tessera("prune", out, "--grace", "0s").status == 0)
    let left = Set(fixture.folder.files(below: "out"))
    #expect(named.isSubset(of: left) && left.contains("screens/feed/first.json"))
    #expect(try await Tool.tessera("verify", out).status == 0)
    let page = try #require(named.min())
    let bytes = try fixture.folder.read("out/\(page)")
    try fixture.folder.write("{}", to: "out/\(page)")
    let digest = try fixture.catalog.digest ?? ""
    let patch = try fixture.folder.read("out/from-\(digest).json")
    try fixture.folder.write("{}", to: "out/from-\(digest).json")
    let damaged = try await Tool.tessera("verify", out)
    #expect(damaged.status == 1 && damaged.output.contains("\(page) has 2 bytes"))
    #expect(damaged.output.contains("from-\(digest).json leads to another catalog"))
    try fixture.folder.write(String(decoding: bytes, as: UTF8.self), to: "out/\(page)")
    try fixture.folder.write(
      String(decoding: patch, as: UTF8.self), to: "out/from-\(digest).json")

    #expect(try await Tool.tessera("forget", out, "p7").status == 0)
    for path in fixture.folder.files(below: "out") where path.hasSuffix(".json") {
      let text = try fixture.folder.read("out/\(path)")
      let isMark = path == ".tessera/forgotten.json"
      #expect(isMark || !String(decoding: text, as: UTF8.self).contains("\"p7\""), "\(path)")
    }
    #expect(try await Tool.tessera("verify", out).status == 0)
    // The next run makes patches again, and none leads from a catalog with the image.
    let rest = try await fixture.run()
    #expect(rest.status == 0, "\(rest.errors)")
    let again = try fixture.catalog.digest ?? ""
    #expect(fixture.folder.files(below: "out").contains("from-\(again).json"))
    #expect(!fixture.folder.files(below: "out").contains("from-\(digest).json"))
    await nginx.stop()
  }
}
