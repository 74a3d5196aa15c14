import TesseraBytes
import TesseraCatalog
import TesseraJSON
import TesseraMemoryOutput
import TesseraSystem
import TesseraTestSupport
import Testing

@testable import TesseraOutput

/// What a screen needs of a catalog: its first images, and parts with the others.
@Suite struct ScreenTests {
  private static let head =
    #"{"schema":"tessera-catalog/1","generator":{"name":"tessera","version":"1","libvips":"8"},"#
    + #""pipeline":{"name":"feed","fingerprint":"0"},\#(MemoryCatalogs.formats),"#
    + #""slots":{"card":{"width":90,"mode":"fit"},"hero":{"width":300,"mode":"fit"}},"#
    + #""scales":[1,2,3]}"#

  /// Card at 1, 2 and 3; hero has two files of its own.
  private static func image(_ id: String) -> String {
    let variants = [90, 180, 270, 600, 900].map { side in
      #"{"width":\#(side),"height":\#(side),"bytes":[\#(side),1],"sha256":["f0","f1"]}"#
    }
    return #"{"id":"\#(id)","url":"https://example.com/\#(id)","status":"ok","width":900,"#
      + #""height":900,"format":"jpeg","alpha":false,"animated":false,"frames":1,"#
      + #""warnings":["w"],"source":"\#(MemoryCatalogs.source(of: id))","#
      + #""variants":[\#(variants.joined(separator: ","))],"slots":{"#
      + #""card":{"width":90,"height":90,"variants":[0,1,2]},"#
      + #""hero":{"width":300,"height":300,"variants":[2,3,4]}},"alt":"An image"}"#
  }

  private static func screen(first: Int = 3, part: Int = 4) -> CatalogScreen {
    CatalogScreen(
      name: "feed",
      selection: .init(slots: ["card"], types: ["image/jpeg"], scales: [2, 3]), first: first,
      part: part)
  }

  private static let first = MemoryCatalogs.first

  private let catalogs: MemoryCatalogs
  private var output: any Output { catalogs.output }

  init() throws { catalogs = try MemoryCatalogs() }

  private func publish(
    _ ids: [String], _ screen: CatalogScreen? = screen(), base: String? = nil, changes: Int = 0,
    image: (String) -> String = ScreenTests.image
  ) async throws {
    var head = Self.head
    if let base { head = head.replacing(#""slots""#, with: #""baseURL":"\#(base)","slots""#) }
    var draft = try await catalogs.draft(ids.count, screen.map { [$0] } ?? [], head: head)
    for id in ids { try draft.add(Array(image(id).utf8)) }
    try await draft.publish(
      keeping: CatalogRetention(count: 5, age: 1_000, changes: changes), now: 0)
  }

  /// A document with the digest that it states.
  private func catalog(_ path: String) throws -> Catalog {
    try Catalog(reading: Array(catalogs.output.text(path).utf8)) {
      MessageDigest.sha256.digest(of: $0)
    }
  }

  /// The paths of the parts that the first document names.
  private var parts: [String] { get throws { try catalog(Self.first).parts ?? [] } }

  /// The ids of all images of the screen in their order.
  private var shown: [String] {
    get throws { try ([Self.first] + parts).flatMap { try catalog($0).images.map(\.id) } }
  }

  private static let ids = (0..<40).map { "i\($0)" }

  /// Of each image what the screen draws, and of the catalog its slots and scales.
  @Test func aScreenHasNothingElse() async throws {
    try await publish(Self.ids)
    let first = try catalog(Self.first)
    #expect(first.images.map(\.id) == ["i0", "i1", "i2"])
    #expect(first.slots.keys.sorted() == ["card"])
    #expect(first.scales == [2, 3])
    #expect(first.baseURL == "../../")
    #expect(first.catalogDigest == (try catalog("catalog.json").digest))
    var image = CatalogImage(
      id: "i0", status: .ok, width: 900, height: 900, format: "jpeg", alpha: false,
      animated: false, frames: 1, source: MemoryCatalogs.source(of: "i0"), alt: "An image")
    image.variants = [180, 270].map {
      CatalogVariant(
        width: $0, height: $0,
        files: [
          .init(
            format: 1, path: MemoryCatalogs.path(of: "i0", $0, $0, "jpg"), type: "image/jpeg",
            bytes: 1)
        ])
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
    #expect(try catalog(Self.first).baseURL == expected)
    for part in try parts { #expect(try catalog(part).baseURL == expected) }
  }

  /// The first document and each part have as many images as the screen says; together they have all in their order.
  @Test(arguments: [
    (40, 12), (38, 12), (7, 4), (3, 3), (2, 2), (43, 8), (39, 4),
  ])
  func partsHaveAllImagesInTheirOrder(_ first: Int, _ part: Int) async throws {
    try await publish(Self.ids, Self.screen(first: first, part: part))
    #expect(try shown == Self.ids)
    let head = try catalog(Self.first)
    #expect(head.images.count == min(first, 40))
    let parts = try self.parts
    #expect(
      parts.count == (max(0, 40 - first) + part - 1) / part && Set(parts).count == parts.count)
    #expect(parts.isEmpty == (head.parts == nil))
    for path in parts {
      let images = try catalog(path)
      #expect(images.images.count == part || path == parts.last)
      #expect(images.parts == nil && images.catalogDigest == nil)
      #expect(
        path == "screens/feed/\(SHA256.of(try catalogs.output.text(path)).prefix(32)).json")
      #expect(CatalogScreen.isPart(path) && OutputPlace.isUnchanging(path))
    }
  }

  @Test func withoutImagesThereIsAnEmptyFirstDocument() async throws {
    try await publish([])
    #expect(try catalog(Self.first).images == [] && parts == [])
    #expect(catalogs.output.paths == ["catalog.json", Self.first])
  }

  /// A screen that is not in the pipeline any more leaves with the catalog; its parts stay for readers of the first document.
  @Test func aScreenThatIsGoneIsNotNamed() async throws {
    try await publish(Self.ids)
    let parts = try self.parts
    try await publish(Self.ids, nil)
    #expect(try await ScreenFolder.firsts(in: output) == [])
    #expect(parts.allSatisfy(catalogs.output.paths.contains))
    try await publish(Self.ids + ["new"])
    #expect(try await ScreenFolder.firsts(in: output) == [Self.first])
  }

  /// A part without a changed image stays as it is.
  @Test func aChangedImageChangesOnePart() async throws {
    try await publish(Self.ids)
    let before = try parts
    try await publish(
      Self.ids,
      image: { id in id == "i9" ? Self.image(id).replacing("An image", with: "A") : Self.image(id) }
    )
    let after = try parts
    #expect(
      zip(before, after).map { $0 == $1 } == [true, false] + [Bool](repeating: true, count: 8))
    // One that is added at the end changes the last part.
    try await publish(Self.ids + ["new"])
    #expect(try parts.dropLast() == before.dropLast() && parts.last != before.last)
  }

  /// A part that is there is not written again; one that another size shows to be cut off is.
  @Test func partsThatAreThereStay() async throws {
    try await publish(Self.ids)
    let parts = try self.parts
    let texts = try parts.map(catalogs.output.text)
    let same = String(repeating: "x", count: texts[0].utf8.count)
    try catalogs.output.write(parts[0], Array(same.utf8))
    try catalogs.output.write(parts[1], Array("{".utf8))
    catalogs.output.delete(parts[2])
    try await publish(Self.ids)
    #expect(try catalogs.output.text(parts[0]) == same)
    #expect(try parts[1...].map(catalogs.output.text) == Array(texts[1...]))
    #expect(catalogs.workspace.staging("screen-feed.parts").size == nil)
  }

  /// What the manifest passes on is as it was written, also numbers that no Double tells apart.
  @Test func aPartHasTheNumbersOfItsCatalog() async throws {
    for digit in 3...4 {
      try await publish(
        ["a", "b"], Self.screen(first: 1, part: 1),
        image: { id in
          #"{"id":"\#(id)","status":"failed","slots":{"card":{}},"extra":{"n":1234567890123456789012\#(digit)}}"#
        })
      for path in try [Self.first] + parts {
        let text = try catalogs.output.text(path)
        #expect(text.contains("1234567890123456789012\(digit)"), "\(path): \(text)")
      }
    }
  }

  /// A catalog that is kept keeps its screens, and brings them back.
  @Test func aRollbackBringsItsScreensBack() async throws {
    try await publish(Self.ids)
    let before = try catalogs.output.text(Self.first)
    try await publish(["new"] + Self.ids)
    let kept = try #require(try await CatalogHistory.kept(in: output)?.catalogs.first)
    #expect(
      kept.companions
        == [Self.first: KeptCatalog.path(digest: kept.digest, companion: Self.first)])
    try await CatalogHistory(of: output, catalogs.workspace).rollBack(to: kept, now: 1)
    #expect(try catalogs.output.text(Self.first) == before)
    #expect(try shown == Self.ids)
  }

  /// A file that can't be written leaves the catalog, and the screen that belongs to it.
  @Test(arguments: ["catalog.json", first, "a part"])
  func aDiskThatIsFullLeavesBothAsTheyWere(_ path: String) async throws {
    try await publish(["new"] + Self.ids)
    let part = try parts[3]
    catalogs.output.files = [:]
    try await publish(Self.ids)
    let before = try catalogs.files
    catalogs.output.setUnwritable(path == "a part" ? part : path)
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
    #expect(try await ScreenFolder.firsts(in: output).isEmpty)
  }

  /// Of images that other slots alone use nothing is in the screen, also of those that failed.
  @Test func aScreenHasTheImagesOfItsSlots() async throws {
    try await publish(
      ["a", "b", "c", "d", "e"],
      image: { id in
        let card = #""card":{"width":90,"height":90,"variants":[0,1,2]},"#
        return switch id {
        case "b": Self.image(id).replacing(card, with: "")
        case "c": #"{"id":"c","status":"failed","slots":{"card":{},"hero":{}}}"#
        case "d": #"{"id":"d","status":"failed","slots":{"hero":{"width":300,"height":9}}}"#
        default: Self.image(id)
        }
      })
    #expect(try shown == ["a", "c", "e"])
    #expect(try catalog(Self.first).images[1].slots == ["card": .init(width: nil, height: nil)])
  }

  // MARK: Forgotten images

  private func forget(_ ids: [String]) async throws {
    var erasure = try await CatalogErasure(ids, from: output, catalogs.workspace)
    try await erasure.eraseCurrent()
    try await erasure.eraseKept()
    try await erasure.deleteParts()
    try await erasure.deleteChanges()
  }

  /// A killed run has published the screen, and not the catalog.
  @Test(arguments: [0, 30])
  func whatAKilledRunHasLeftIsForgotten(_ place: Int) async throws {
    try await publish(Self.ids)
    let before = try catalogs.output.text("catalog.json")
    var ids = Self.ids
    ids.insert("secret", at: place)
    try await publish(ids)
    try catalogs.output.write("catalog.json", Array(before.utf8))
    try await forget(["secret"])
    for (path, text) in try catalogs.files { #expect(!text.contains("\"secret\""), "\(path)") }
  }

  @Test func aScreenMayLoseAllOfItsFirstImages() async throws {
    try await publish(Self.ids)
    let parts = try self.parts
    try await forget(Array(Self.ids.prefix(3)))
    #expect(try catalog(Self.first).images == [] && self.parts == parts)
    #expect(try catalog(Self.first).catalogDigest == catalog("catalog.json").digest)
    try await forget(Array(Self.ids[3..<7]))
    #expect(try self.parts == Array(parts.dropFirst()))
    try await forget(Self.ids)
    #expect(try catalog(Self.first).images == [] && catalog(Self.first).parts == nil)
    #expect(!catalogs.output.paths.contains(where: CatalogScreen.isPart))
  }

  /// No document has a forgotten image, and what is left of the screen is of the rest.
  @Test func aForgottenImageLeavesScreensAndChanges() async throws {
    try await publish(Self.ids, changes: 2)
    try await publish(["new"] + Self.ids, changes: 2)
    for id in ["i1", "i20"] {
      try await forget([id])
      for (path, text) in try catalogs.files { #expect(!text.contains("\"\(id)\""), "\(path)") }
    }
    #expect(try shown == ["new"] + Self.ids.filter { !["i1", "i20"].contains($0) })
    #expect(try catalog(Self.first).images.map(\.id) == ["new", "i0"])
    #expect(try await PublishedChanges.all(in: output) == [])
    // Of a catalog that is kept, too.
    let kept = try #require(try await CatalogHistory.kept(in: output)?.catalogs.first)
    try await CatalogHistory(of: output, catalogs.workspace).rollBack(to: kept, now: 1)
    #expect(try shown == Self.ids.filter { !["i1", "i20"].contains($0) })
  }
}
