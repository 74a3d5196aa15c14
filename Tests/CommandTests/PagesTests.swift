import Foundation
import TesseraBytes
import TesseraCatalog
import TesseraTestSupport
import Testing

/// Catalogs in pages.
@Suite struct PagesTests {
  private static func lines(_ nginx: Nginx, _ ids: [String]) -> String {
    ids.map { #"{"id":"\#($0)","url":"\#(nginx.url("/plain.jpg"))"}"# + "\n" }.joined()
  }

  private struct Read {
    var index: CatalogPages
    var images: [CatalogImage]
  }

  /// The index, and the images of all pages.
  private static func read(_ fixture: RunFixture) throws -> Read {
    let index = try CatalogPages(reading: fixture.folder.read("out/catalog/index.json"))
    var images: [CatalogImage] = []
    for page in index.pages {
      let bytes = try fixture.folder.read("out/\(page.path)")
      #expect(bytes.count == page.bytes)
      let catalog = try Catalog(reading: bytes)
      #expect(catalog.digest == page.digest && catalog.images.count == page.count)
      #expect(page.path.contains(SHA256.of(Array(bytes)).prefix(32)))
      images += catalog.images
    }
    return Read(index: index, images: images)
  }

  /// Together the pages have the images of the catalog, in its order. A new image, wherever it is, changes few of them; what
  /// an older index names stays until it is pruned; and shards make the same pages.
  @Test func pagesFollowTheCatalog() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let ids = (0..<400).map { "p\($0)" }
    let keys = "catalog: {pages: 20}\nkeep-catalogs: 0"
    let fixture = try RunFixture(manifest: Self.lines(nginx, ids), keys: keys)
    #expect(try await fixture.run().status == 0)
    let old = try Self.read(fixture)
    var catalog = try fixture.catalog
    #expect(old.images == catalog.images && old.index.count == 400)
    #expect(old.index.digest == catalog.digest)
    #expect((8...60).contains(old.index.pages.count))
    #expect(old.index.pages.dropLast().allSatisfy { (5...80).contains($0.count) })

    // One at the front, one in the middle, one at the end; one leaves.
    var changed = ids
    changed.insert("new", at: 0)
    changed.insert("middle", at: 200)
    changed.append("last")
    changed.remove(at: 100)
    try fixture.folder.write(Self.lines(nginx, changed), to: "manifest")
    #expect(try await fixture.run().status == 0)
    let new = try Self.read(fixture)
    catalog = try fixture.catalog
    #expect(new.images == catalog.images && catalog.images.count == 402)
    let fresh = new.index.pages(newSince: old.index)
    #expect((1...8).contains(fresh.count) && fresh.count < new.index.pages.count)

    let out = fixture.folder.path("out")
    let verified = try await Tool.tessera("verify", out)
    #expect(verified.status == 0, "\(verified.output)")
    // Clients with the old index still find their pages, until some time has passed.
    #expect(old.index.pages.allSatisfy { fixture.folder.files(below: "out").contains($0.path) })
    let pruned = try await Tool.tessera("prune", out, "--grace", "0s", "--json")
    #expect(pruned.status == 0, "\(pruned.errors)")
    let left = fixture.folder.files(below: "out/catalog")
    #expect(Set(left) == Set(new.index.pages.map { String($0.path.dropFirst(8)) } + ["index.json"]))
    try fixture.folder.write("{}", to: "out/\(new.index.pages[0].path)")
    let damaged = try await Tool.tessera("verify", out)
    #expect(
      damaged.status == 1 && damaged.output.contains("\(new.index.pages[0].path) has 2 bytes"))

    let shards = try RunFixture(manifest: Self.lines(nginx, changed), keys: keys)
    for shard in 0..<3 {
      let run = try await Tool.run(
        Places.tessera,
        ["run", shards.folder.path("feed.yaml"), "--quiet", "--shard", "\(shard)/3"])
      #expect(run.status == 0, "\(run.errors)")
    }
    #expect(try await Tool.tessera("merge", shards.folder.path("out")).status == 0)
    #expect(try Self.read(shards).index == new.index)

    // Without the key there is no index any more, which would be out of date.
    try fixture.write(keys: "")
    #expect(try await fixture.run().status == 0)
    #expect(!fixture.folder.files(below: "out/catalog").contains("index.json"))
    await nginx.stop()
  }

  @Test(arguments: [
    ("", "line 1, column 1"), ("[]", "expected an object"),
    ("{}", "expected \"tessera-catalog-pages/1\""),
    (
      #"{"schema":"tessera-catalog-pages/2","count":0,"digest":"","pages":[]}"#,
      "expected \"tessera"
    ),
    (
      #"{"schema":"tessera-catalog-pages/1","count":0,"digest":"","pages":[{"path":"../x.json"}]}"#,
      "pages[0]: expected a path such as"
    ),
  ])
  func damagedIndexesAreRejected(_ text: String, _ message: String) throws {
    let error = #expect(throws: CatalogError.self) { try CatalogPages(reading: text.utf8) }
    #expect("\(error.map { "\($0)" } ?? "")".contains(message), "\(error as Any)")
  }
}
