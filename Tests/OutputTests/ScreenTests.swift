import TesseraCatalog
import TesseraJSON
import TesseraMemoryOutput
import TesseraTestSupport
import Testing

@testable import TesseraOutput

/// What a screen needs of a catalog, in pages.
@Suite struct ScreenTests {
  private static let head =
    #"{"schema":"tessera-catalog/1","generator":{"name":"tessera","version":"1","libvips":"8"},"#
    + #""pipeline":{"name":"feed","fingerprint":"0"},"#
    + #""slots":{"card":{"width":90,"mode":"fit"},"hero":{"width":300,"mode":"fit"}},"#
    + #""scales":[1,2,3]}"#

  private static func path(_ id: String, _ side: Int, _ format: String) -> String {
    PublishedFile.path(
      digest: MemoryCatalogs.digest(of: id), width: side, height: side, fileExtension: format)
  }

  /// Card at 1, 2 and 3; hero has two files of its own.
  private static func image(_ id: String) -> String {
    let variants = [90, 180, 270, 600, 900].map { side in
      #"{"path":"\#(path(id, side, "webp"))","type":"image/webp","width":\#(side),"#
        + #""height":\#(side),"bytes":\#(side),"also":[{"path":"\#(path(id, side, "jpg"))","#
        + #""type":"image/jpeg","#
        + #""bytes":1}]}"#
    }
    return #"{"id":"\#(id)","url":"https://example.com/\#(id)","status":"ok","width":900,"#
      + #""height":900,"format":"jpeg","alpha":false,"animated":false,"frames":1,"#
      + #""warnings":["w"],"variants":[\#(variants.joined(separator: ","))],"slots":{"#
      + #""card":{"width":90,"height":90,"variants":[0,1,2]},"#
      + #""hero":{"width":300,"height":300,"variants":[2,3,4]}},"alt":"An image"}"#
  }

  private static func screen(first: Int = 3, pages: Int = 4) -> CatalogScreen {
    CatalogScreen(
      name: "feed",
      selection: .init(slots: ["card"], types: ["image/jpeg"], scales: [2, 3]), first: first,
      pages: pages)
  }

  private let catalogs: MemoryCatalogs
  private var output: any Output { catalogs.output }

  init() throws { catalogs = try MemoryCatalogs() }

  private func publish(
    _ ids: [String], _ screen: CatalogScreen? = screen(), base: String? = nil, patches: Int = 0
  ) async throws {
    var head = Self.head
    if let base { head = head.replacing(#""slots""#, with: #""baseURL":"\#(base)","slots""#) }
    var draft = try await CatalogDraft(
      .json, head: Array(head.utf8), count: ids.count,
      publication: .init(screens: screen.map { [$0] } ?? []),
      through: LineGate(of: output), in: catalogs.workspace)
    for id in ids { try draft.add(Array(Self.image(id).utf8)) }
    try await draft.publish(
      keeping: CatalogRetention(count: 5, age: 1_000, patches: patches), now: 0)
  }

  private func catalog(_ path: String) throws -> Catalog {
    try Catalog(reading: catalogs.output.text(path).utf8)
  }

  private func index(_ name: String) async throws -> PageIndex {
    try #require(try await PageIndex.read("screens/feed/\(name).json", in: output))
  }

  private static let ids = (0..<40).map { "i\($0)" }

  /// Of each image what the screen draws, and of the catalog its slots and scales.
  @Test func aScreenHasNothingElse() async throws {
    try await publish(Self.ids)
    let first = try catalog("screens/feed/first.json")
    #expect(first.images.map(\.id) == ["i0", "i1", "i2"])
    #expect(first.slots.keys.sorted() == ["card"])
    #expect(first.scales == [2, 3])
    #expect(first.baseURL == "../../")
    var image = CatalogImage(
      id: "i0", status: .ok, width: 900, height: 900, format: "jpeg", alpha: false,
      animated: false, frames: 1, alt: "An image")
    image.variants = [180, 270].map {
      CatalogVariant(
        path: Self.path("i0", $0, "jpg"), type: "image/jpeg", width: $0, height: $0, bytes: 1)
    }
    image.slots = ["card": CatalogSlotUse(width: 90, height: 90, variants: [0, 1])]
    #expect(first.images[0] == image)
  }

  @Test(
    arguments: [
      ("https://cdn.example.com/f/", "https://cdn.example.com/f/"), ("/f/", "/f/"),
      ("f/", "../../f/"),
    ])
  func pathsLeadToTheFolderOfTheCatalog(_ base: String, _ expected: String) async throws {
    try await publish(Self.ids, base: base)
    #expect(try catalog("screens/feed/first.json").baseURL == expected)
  }

  /// The first page has as many images as the screen says; all pages together are all images in their order.
  @Test func pagesHaveAllImagesInTheirOrder() async throws {
    try await publish(Self.ids)
    let index = try await index("index")
    #expect(index.count == 40)
    #expect(index.digest == (try catalog("catalog.json").digest))
    #expect(index.pages[0].count == 3)
    #expect(
      try catalogs.output.text(index.pages[0].path)
        == catalogs.output.text("screens/feed/first.json"))
    let pages = try index.pages.map { try catalog($0.path) }
    #expect(pages.flatMap { $0.images.map(\.id) } == Self.ids)
    #expect(pages.map { $0.digest ?? "" } == index.pages.map(\.digest))
    #expect(index.pages.allSatisfy { $0.count <= 16 && $0.prefix == nil })
  }

  /// Each id is in the one page whose prefix begins its hash.
  @Test(arguments: [1, 4, 39, 40, 1_000])
  func anImageIsFoundInOnePage(_ size: Int) async throws {
    try await publish(Self.ids, Self.screen(pages: size))
    let lookup = try await index("lookup")
    #expect(lookup.pages.reduce(0) { $0 + $1.count } == 40)
    for id in Self.ids {
      let hash = TableHash.of(id)
      let pages = lookup.pages.filter { TablePrefix.matches($0.prefix ?? "?", hash) }
      #expect(pages.count == 1)
      #expect(try catalog(pages[0].path).images.contains { $0.id == id })
    }
    // As few bits as that takes.
    let bits = (lookup.pages[0].prefix ?? "").count
    #expect(40 >> bits <= size && (bits == 0 || 40 >> (bits - 1) > size))
  }

  @Test func withoutImagesThereIsAnEmptyFirstPage() async throws {
    try await publish([])
    #expect(try catalog("screens/feed/first.json").images == [])
    #expect(try await index("index").pages == [])
    #expect(try await index("lookup").pages == [])
  }

  /// A screen that is not in the pipeline any more leaves with the catalog; its pages stay for readers of the index.
  @Test func aScreenThatIsGoneIsNotNamed() async throws {
    try await publish(Self.ids)
    try await publish(Self.ids, nil)
    #expect(try await PageFolder.companions(in: output) == [])
    try await publish(Self.ids + ["new"])
    #expect(
      try await PageFolder.companions(in: output)
        == ["index", "lookup", "first"].map { "screens/feed/\($0).json" })
  }

  /// A new image changes the first page, the one that the last image of it moves to, and the one by its hash.
  @Test func aNewImageChangesFewPages() async throws {
    try await publish(Self.ids)
    let before = (try await index("index"), try await index("lookup"))
    try await publish(["new"] + Self.ids)
    let after = (try await index("index"), try await index("lookup"))
    func new(_ old: PageIndex, _ new: PageIndex) -> Int {
      new.pages.filter { page in !old.pages.contains { $0.path == page.path } }.count
    }
    #expect(new(before.0, after.0) <= 3)
    #expect(new(before.1, after.1) == 1)
  }

  /// A catalog that is kept keeps its screens, and brings them back.
  @Test func aRollbackBringsItsScreensBack() async throws {
    try await publish(Self.ids)
    let before = try ["index", "lookup", "first"].map {
      try catalogs.output.text("screens/feed/\($0).json")
    }
    try await publish(["new"] + Self.ids)
    let kept = try #require(try await CatalogHistory.kept(in: output)?.catalogs.first)
    #expect(kept.companions.count == 3 && kept.indices.count == 2)
    try await CatalogHistory(of: output, catalogs.workspace).rollBack(to: kept, now: 1)
    let after = try ["index", "lookup", "first"].map {
      try catalogs.output.text("screens/feed/\($0).json")
    }
    #expect(after == before)
  }

  /// A file that can't be written leaves the catalog, and the screen that belongs to it.
  @Test(arguments: ["catalog.json", "screens/feed/index.json", "screens/feed/lookup.json"])
  func aDiskThatIsFullLeavesBothAsTheyWere(_ path: String) async throws {
    try await publish(Self.ids)
    let before = try catalogs.files
    catalogs.output.setUnwritable(path)
    await #expect(throws: (any Error).self) { try await publish(["new"] + Self.ids) }
    catalogs.output.setUnwritable(nil)
    let after = try catalogs.files
    for (path, text) in before { #expect(after[path] == text, "\(path)") }
  }

  /// What another program has in a folder of this name is none of a run's business.
  @Test func foldersOfOthersStay() async throws {
    let others = [
      "screens/home/index.json": "{}", "screens/home/first.json": "x", "screens/a b/c": "",
    ]
    for (path, text) in others { try catalogs.output.write(path, Array(text.utf8)) }
    try await publish(Self.ids)
    try await publish(["new"] + Self.ids, nil)
    for (path, text) in others { #expect(try catalogs.output.text(path) == text, "\(path)") }
    #expect(try await PageFolder.indices(in: output).isEmpty)
  }

  /// Of images that other slots alone use nothing is in the screen.
  @Test func aScreenHasTheImagesOfItsSlots() async throws {
    let ids = ["a", "b", "c"]
    var draft = try await CatalogDraft(
      .json, head: Array(Self.head.utf8), count: 3, publication: .init(screens: [Self.screen()]),
      through: LineGate(of: output), in: catalogs.workspace)
    for id in ids {
      let image = Self.image(id)
      let card = #""card":{"width":90,"height":90,"variants":[0,1,2]},"#
      try draft.add(Array((id == "b" ? image.replacing(card, with: "") : image).utf8))
    }
    try await draft.publish(keeping: nil, now: 0)
    #expect(try catalog("screens/feed/first.json").images.map(\.id) == ["a", "c"])
    #expect(try await index("index").count == 2)
    #expect(try await index("lookup").pages.reduce(0) { $0 + $1.count } == 2)
  }

  /// A killed run has published the screen, and not the catalog.
  @Test func whatAKilledRunHasLeftIsForgotten() async throws {
    try await publish(Self.ids)
    let before = try catalogs.output.text("catalog.json")
    try await publish(["secret"] + Self.ids)
    try catalogs.output.write("catalog.json", Array(before.utf8))
    var erasure = try await CatalogErasure(["secret"], from: output, catalogs.workspace)
    try await erasure.eraseCurrent()
    try await erasure.eraseKept()
    try await erasure.deletePages()
    for (path, text) in try catalogs.files { #expect(!text.contains("\"secret\""), "\(path)") }
  }

  @Test func withoutItsFirstImagesTheNextPageIsTheFirst() async throws {
    try await publish(Self.ids)
    var erasure = try await CatalogErasure(
      Array(Self.ids.prefix(3)), from: output, catalogs.workspace)
    try await erasure.eraseCurrent()
    let index = try await index("index")
    #expect(index.count == 37)
    #expect(
      try catalogs.output.text("screens/feed/first.json")
        == catalogs.output.text(try #require(index.pages.first).path))
    var all = try await CatalogErasure(Self.ids, from: output, catalogs.workspace)
    try await all.eraseCurrent()
    #expect(try catalog("screens/feed/first.json").images == [])
  }

  /// No document has a forgotten image, and what is left of the screen is of the rest.
  @Test func aForgottenImageLeavesScreensAndPatches() async throws {
    try await publish(Self.ids, patches: 2)
    try await publish(["new"] + Self.ids, patches: 2)
    for id in ["i1", "i20"] {
      var erasure = try await CatalogErasure([id], from: output, catalogs.workspace)
      try await erasure.eraseCurrent()
      try await erasure.eraseKept()
      try await erasure.deletePages()
      try await erasure.deletePatches()
      for (path, text) in try catalogs.files { #expect(!text.contains("\"\(id)\""), "\(path)") }
    }
    let rest = ["new"] + Self.ids.filter { !["i1", "i20"].contains($0) }
    #expect(
      try await index("index").pages.flatMap { try catalog($0.path).images.map(\.id) } == rest)
    #expect(try await index("lookup").pages.reduce(0) { $0 + $1.count } == rest.count)
    #expect(try catalog("screens/feed/first.json").images.map(\.id) == ["new", "i0"])
  }
}
