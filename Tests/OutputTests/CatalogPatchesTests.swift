import TesseraCatalog
import TesseraJSON
import TesseraMemoryOutput
import TesseraSystem
import TesseraTestSupport
import Testing

@testable import TesseraOutput

/// Patches from earlier catalogs to the current one.
@Suite struct CatalogPatchesTests {
  private let catalogs: MemoryCatalogs
  private var output: any Output { catalogs.output }

  init() throws { catalogs = try MemoryCatalogs() }

  private func publish(_ ids: [String], patches: Int = 3, pages: Int? = nil) async throws -> Catalog
  {
    try await catalogs.publish(ids, pages: pages, keeping: 5, patches: patches)
    return try Catalog(reading: catalogs.output.text("catalog.json").utf8)
  }

  private func patch(from catalog: Catalog) throws -> CatalogPatch {
    try CatalogPatch(
      reading: catalogs.output.text("from-\(catalog.digest ?? "").json").utf8)
  }

  private static func ids(_ text: String) -> [String] { text.map { "id-\($0)" } }

  /// Whatever changes, an app with the old catalog gets the new one.
  @Test(
    arguments: [
      ("abcdef", "abcdef"), ("abcdef", "xabcdef"), ("abcdef", "abcdefx"), ("abcdef", "bcdef"),
      ("abcdef", "fedcba"), ("abcdef", "fabcde"), ("abcdef", "bcdefa"), ("abcdef", "axcye"),
      ("a", "b"), ("", "ab"), ("ab", ""), ("abc", "cxyzab"),
      // Ids that are equal in Unicode.
      ("\u{E9}e\u{301}z", "e\u{301}\u{E9}z"), ("\u{E9}e\u{301}z", "\u{E9}z"),
      ("\u{E9}z", "e\u{301}z"), ("ab\u{212A}", "abK"), ("a\u{212A}bK", "Kb\u{212A}a"),
    ])
  func aPatchLeadsToTheCurrentCatalog(_ before: String, _ after: String) async throws {
    let old = try await publish(Self.ids(before))
    let new = try await publish(Self.ids(after))
    let result = try patch(from: old).applied(to: old)
    #expect(result.images == new.images)
    #expect(result.images.map { Array($0.id.utf8) } == new.images.map { Array($0.id.utf8) })
    #expect(result.digest == new.digest)
  }

  /// From the current catalog an empty one leads to itself, so that an app with it learns so with one small request.
  @Test func theCurrentCatalogHasAnEmptyOne() async throws {
    let catalog = try await publish(Self.ids("ab"))
    let digest = catalog.digest ?? ""
    #expect(
      try catalogs.output.text("from-\(digest).json")
        == #"{"from":"\#(digest)","to":"\#(digest)","images":{}}"# + "\n")
    #expect(try patch(from: catalog).applied(to: catalog) == catalog)
  }

  /// As many as the pipeline says; those of older catalogs leave, and without the key all of them.
  @Test func thereAreAsManyAsThePipelineSays() async throws {
    var all: [Catalog] = []
    for end in 1...5 { all.append(try await publish((0..<end).map { "i\($0)" }, patches: 2)) }
    let digests = all.map { $0.digest ?? "" }
    #expect(
      Set(try await CatalogPatches.all(in: output))
        == Set(digests.suffix(3).map { "from-\($0).json" }))
    for old in all[2...] {
      #expect(try patch(from: old).applied(to: old).images == all[4].images)
    }
    _ = try await publish(["i0"], patches: 0)
    #expect(try await CatalogPatches.all(in: output) == [])
  }

  /// A patch that leads to the current catalog already is not made again.
  @Test func nothingIsReadForPatchesThatAreThere() async throws {
    _ = try await publish(Self.ids("ab"))
    _ = try await publish(Self.ids("abc"))
    let before = catalogs.output.reads.count
    _ = try await publish(Self.ids("abc"))
    let reads = catalogs.output.reads[before...].map(\.path)
    #expect(!reads.contains { $0.hasPrefix(".tessera/catalogs/") && !$0.hasSuffix("list.json") })
  }

  /// A patch is not worth its request if it has more than a quarter of the catalog's bytes, unless that is little.
  @Test func aLargePatchIsNotWritten() async throws {
    let many = (0..<2_000).map { "i\($0)" }
    let old = try await publish(many)
    let few = try await publish(many + ["x"])
    #expect(try await CatalogPatches.target(of: "from-\(old.digest ?? "").json", in: output) != nil)
    _ = try await publish(many.map { "new-\($0)" })
    #expect(try await CatalogPatches.target(of: "from-\(old.digest ?? "").json", in: output) == nil)
    #expect(try await CatalogPatches.target(of: "from-\(few.digest ?? "").json", in: output) == nil)
  }

  /// A run that publishes twice, as with `upgrade`: the patches lead to the second catalog.
  @Test func patchesLeadToTheLastPublication() async throws {
    let old = try await publish(Self.ids("ab"))
    let first = try await publish(Self.ids("abc"))
    let ids = Self.ids("abcd")
    var draft = try await CatalogDraft(
      .json, head: Array(MemoryCatalogs.head().utf8), count: ids.count,
      through: LineGate(of: output), in: catalogs.workspace)
    for id in ids { try draft.add(Array(MemoryCatalogs.image(id).utf8)) }
    try await draft.publish(keeping: nil, now: 1)
    let new = try Catalog(reading: catalogs.output.text("catalog.json").utf8)
    #expect(try patch(from: old).applied(to: old).images == new.images)
    #expect(try patch(from: new).applied(to: new) == new)
    // It is not kept, so that there is none from it; an app with it fetches the whole.
    #expect(
      try await CatalogPatches.target(of: "from-\(first.digest ?? "").json", in: output) == nil)
  }

  /// One that can't be made is an error, and the others are there; no patch leads to another catalog.
  @Test func aKeptCatalogThatIsGoneHasNone() async throws {
    let old = try await publish(Self.ids("a"))
    let lost = try await publish(Self.ids("ab"))
    _ = try await publish(Self.ids("abc"))
    catalogs.output.delete(KeptCatalog.path(digest: lost.digest ?? "", .json))
    await #expect(throws: SystemError.self) { try await publish(Self.ids("abcd")) }
    let new = try Catalog(reading: catalogs.output.text("catalog.json").utf8)
    #expect(try patch(from: old).applied(to: old).images == new.images)
    let all = try await CatalogPatches.all(in: output)
    #expect(all.count == 3)
    for path in all {
      #expect(try await CatalogPatches.target(of: path, in: output) == new.digest)
    }
  }

  /// A run without the key that fails leaves them for the next one to delete.
  @Test func withoutTheKeyTheyLeaveEvenLater() async throws {
    _ = try await publish(Self.ids("ab"))
    catalogs.output.setUnwritable("catalog.json")
    await #expect(throws: SystemError.self) { try await publish(Self.ids("abc"), patches: 0) }
    catalogs.output.setUnwritable(nil)
    #expect(try await !CatalogPatches.all(in: output).isEmpty)
    _ = try await publish(Self.ids("abc"), patches: 0)
    #expect(try await CatalogPatches.all(in: output) == [])
    #expect(try await CatalogHistory.kept(in: output)?.retention.patches == 0)
  }

  /// In the other direction, too.
  @Test func aRollbackHasPatches() async throws {
    let old = try await publish(Self.ids("ab"))
    let new = try await publish(Self.ids("abc"))
    let kept = try #require(try await CatalogHistory.kept(in: output)?.catalogs.first)
    try await CatalogHistory(of: output, catalogs.workspace).rollBack(to: kept, now: 1)
    #expect(try patch(from: new).applied(to: new).images == old.images)
    #expect(
      try await CatalogPatches.target(of: "from-\(old.digest ?? "").json", in: output) == old.digest
    )
  }

  /// A page that has changed has a patch from the page that it was.
  @Test func pagesOfAScreenHavePatches() async throws {
    let screen = CatalogScreen(
      name: "feed", selection: .init(slots: ["card"]), first: 30, pages: 30)
    let ids = (0..<200).map { "i\($0)" }
    func publish(_ ids: [String]) async throws -> (digest: String, index: PageIndex) {
      let slots = #""slots":{"card":{"width":8,"height":6,"variants":[0]}},"#
      var draft = try await CatalogDraft(
        .json, head: Array(MemoryCatalogs.head().utf8), count: ids.count,
        publication: .init(screens: [screen]), through: LineGate(of: output), in: catalogs.workspace
      )
      for id in ids {
        let line = MemoryCatalogs.image(id).replacing(
          #""variants":[{"#, with: #"\#(slots)"variants":[{"#)
        try draft.add(Array(line.utf8))
      }
      try await draft.publish(
        keeping: CatalogRetention(count: 5, age: 1_000, patches: 2), now: 0)
      let index = try #require(try await PageIndex.read("screens/feed/index.json", in: output))
      return (index.digest, index)
    }
    let old = try await publish(ids)
    var changed = ids
    changed.insert("new", at: 0)
    // Without an image that ends a page, which would join it to the next one.
    let parts = try old.index.pages.map { page in
      try Catalog(reading: catalogs.output.text(page.path).utf8).images.map(\.id)
    }
    let (starts, ends) = (parts.map(\.first), parts.map(\.last))
    let gone = ids[100...].first { !ends.contains($0) }
    changed.removeAll { $0 == gone }
    let new = try await publish(changed)
    let text = try catalogs.output.text("screens/feed/from-\(old.digest).json")
    let document = try JSONParser.parse(Array(text.utf8))
    #expect(document["schema"]?.stringValue == "tessera-catalog-patches/1")
    #expect(document["from"]?.stringValue == old.digest)
    #expect(document["to"]?.stringValue == new.digest)
    let patches = try #require(document["patches"]?.arrayValue)
    let pages = Dictionary(uniqueKeysWithValues: old.index.pages.map { ($0.digest, $0.path) })
    var made: Set<String> = []
    for patch in patches {
      var writer = JSONWriter()
      writer.value(patch)
      let path = try #require(pages[patch["from"]?.stringValue ?? ""])
      let page = try Catalog(reading: catalogs.output.text(path).utf8)
      let result = try CatalogPatch(reading: writer.take()).applied(to: page)
      let target = try #require(new.index.pages.first { $0.digest == result.digest })
      #expect(
        result.images == (try Catalog(reading: catalogs.output.text(target.path).utf8)).images)
      made.insert(target.digest)
    }
    let others = Set(new.index.pages.map(\.digest)).subtracting(old.index.pages.map(\.digest))
    // But one that neither begins nor ends where an old one did.
    func isNew(_ page: PageIndex.Page) throws -> Bool {
      let images = try Catalog(reading: catalogs.output.text(page.path).utf8).images
      return page != new.index.pages[0] && !ends.contains(images.last?.id)
        && !starts.contains(images.first?.id)
    }
    let rest = new.index.pages.filter {
      !made.contains($0.digest) && others.contains($0.digest)
    }
    #expect(try rest.allSatisfy(isNew) && made.isSubset(of: others) && made.count >= 3)
    #expect(!others.isEmpty)
  }
}
