import TesseraBytes
import TesseraCatalog
import TesseraMemoryOutput
import TesseraTestSupport
import TesseraText
import Testing

@testable import TesseraOutput

/// Images are taken out of all documents: what is left is as if they had never been there.
@Suite struct CatalogErasureTests {
  private let catalogs: MemoryCatalogs
  private var output: MemoryOutput { catalogs.output }

  init() throws { catalogs = try MemoryCatalogs() }

  /// All images in the first document of a screen, or each in a part of its own.
  enum Screens: String, CaseIterable, CustomStringConvertible {
    case none, first, parts
    var description: String { rawValue }
    var list: [CatalogScreen] {
      self == .none ? [] : [MemoryCatalogs.screen(first: self == .first ? 100 : 0)]
    }
  }

  /// Publishes catalogs one after the other, each of some images.
  private static func publish(
    _ lists: [String], _ screens: Screens, without gone: Set<Character> = [],
    to catalogs: MemoryCatalogs
  ) async throws {
    for (time, list) in lists.enumerated() {
      try await catalogs.publish(
        list.filter { !gone.contains($0) }.map { "id-\($0)" }, screens: screens.list,
        now: Double(time))
    }
  }

  private func erasure(_ names: String) async throws -> CatalogErasure {
    try await CatalogErasure(names.map { "id-\($0)" }, from: output, catalogs.workspace)
  }

  @Test(arguments: Screens.allCases, [("abc", "b"), ("abcd", "ad"), ("abc", "c"), ("abc", "abc")])
  func theCurrentCatalogIsWrittenWithoutThem(
    _ screens: Screens, _ images: (String, String)
  ) async throws {
    let (list, gone) = images
    try await Self.publish([list], screens, to: catalogs)
    let before = Set(output.paths)
    var erasure = try await self.erasure(gone + "z")
    try await erasure.eraseCurrent()
    let other = try MemoryCatalogs()
    try await Self.publish([list], screens, without: Set(gone), to: other)
    let (left, expected) = try (catalogs.files, other.files)
    for (path, text) in expected { #expect(left[path] == text, "\(path)") }
    // The old parts stay for now: other documents may name them.
    let old = Set(left.keys).subtracting(expected.keys)
    #expect(old.allSatisfy(CatalogScreen.isPart) && old.isSubset(of: before))
    var documents: Set<String> = ["catalog.json"]
    if screens != .none { documents.formUnion([MemoryCatalogs.first] + old) }
    #expect(erasure.erased == MemoryCatalogs.erased(gone, documents))
    // What was done is found done.
    var again = try await self.erasure(gone)
    try await again.eraseCurrent()
    #expect(again.erased == .init())
    #expect(try catalogs.files == left)
  }

  @Test func anImageThatIsNotThereChangesNothing() async throws {
    var erasure = try await self.erasure("z")
    try await erasure.eraseCurrent()
    try await erasure.eraseKept()
    #expect(output.paths == [])
    try await Self.publish(["a", "ab"], .parts, to: catalogs)
    let before = try catalogs.files
    try await erasure.eraseCurrent()
    try await erasure.eraseKept()
    try await erasure.eraseShards()
    try await erasure.deleteParts()
    #expect(try catalogs.files == before)
    #expect(erasure.erased == .init())
  }

  /// A run was killed between a screen and its catalog: the screen goes, and the next run writes it again.
  @Test func aScreenOfAnotherCatalogGoes() async throws {
    try await Self.publish(["abc"], .parts, to: catalogs)
    let first = try output.text(MemoryCatalogs.first)
    let digest = try #require(try await CurrentCatalog(of: output)).digest
    let other = first.replacing(digest, with: String(digest.reversed()))
    try #require(other != first)
    try output.write(MemoryCatalogs.first, Array(other.utf8))
    var erasure = try await self.erasure("b")
    try await erasure.eraseCurrent()
    #expect(!output.paths.contains(MemoryCatalogs.first))
    #expect(
      erasure.erased.documents == Set<Identifier>(of: ["catalog.json", MemoryCatalogs.first]))
    #expect(!(try output.text("catalog.json").contains("id-b")))
  }

  /// Kept catalogs get new names, and parts go with the last document that names them.
  @Test(arguments: Screens.allCases)
  func allCatalogsAreWrittenWithoutThem(_ screens: Screens) async throws {
    let lists = ["ab", "abc", "bcd", "acd"]
    try await Self.publish(lists, screens, to: catalogs)
    try output.write(".tessera/catalogs/left.json", [])
    var erasure = try await self.erasure("b")
    try await erasure.eraseKept()
    #expect(erasure.erased.ids == ["id-b"])
    try await erasure.eraseCurrent()
    try await erasure.deleteParts()
    let other = try MemoryCatalogs()
    try await Self.publish(lists, screens, without: ["b"], to: other)
    #expect(try catalogs.files == other.files)
    for text in try catalogs.files.values { #expect(!text.contains("id-b")) }
  }

  /// A kept catalog that is gone stays in the list, without what is left of it: that may say something of the images, too.
  @Test(arguments: Screens.allCases)
  func aMissingKeptCatalogIsLeftAlone(_ screens: Screens) async throws {
    try await Self.publish(["ab", "b", "a"], screens, to: catalogs)
    let kept = try #require(try await CatalogHistory.kept(in: output))
    output.delete(kept.catalogs[0].path)
    var erasure = try await self.erasure("a")
    try await erasure.eraseKept()
    let left = try #require(try await CatalogHistory.kept(in: output))
    var first = kept.catalogs[0]
    #expect(first.companions.isEmpty == (screens == .none))
    first.companions = [:]
    #expect(left.catalogs[0] == first)
    #expect(left.catalogs[1] != kept.catalogs[1])
    #expect(left.catalogs.map(\.images) == [1, 1])
    #expect(left.catalogs.map(\.time) == kept.catalogs.map(\.time))
  }

  /// Only parts that no document names are deleted, and only those with the images.
  @Test func namedPartsStay() async throws {
    try await Self.publish(["ab"], .parts, to: catalogs)
    let parts = try #require(
      try await ScreenFolder.parts(of: MemoryCatalogs.first, in: output)
    ).parts
    try output.write("screens/feed/other.json", Array("id-a".utf8))
    var erasure = try await self.erasure("a")
    try await erasure.deleteParts()
    #expect(erasure.erased == .init())
    output.delete(MemoryCatalogs.first)
    try await erasure.deleteParts()
    var erased = MemoryCatalogs.erased("a", [parts[0]])
    // A screen does not show them.
    erased.sources = []
    #expect(erasure.erased == erased)
    #expect(
      output.paths.filter { $0.hasPrefix("screens/") }
        == [parts[1], "screens/feed/other.json"].sorted())
  }

  /// A file of a table shows all of its images, so it leaves the catalog; the other files stay.
  @Test func filesOfTablesWithTheImagesLeave() async throws {
    let bit = TableHash.of("id-a")[0] >> 7
    func table(_ prefixes: [String]) -> String {
      let files = prefixes.map { prefix in
        let digest = SHA256.of(prefix)
        let path = "tables/\(digest.prefix(2))/\(digest.prefix(32))-8x8.bgra8"
        return #"{"path":"\#(path)","prefix":"\#(prefix)","width":8,"height":8,"count":1,"#
          + #""bytes":9,"sha256":"\#(digest)"}"#
      }.joined(separator: ",")
      return #","tables":{"card":[{"scale":1,"pixels":"bgra8","files":[\#(files)]}]}"#
    }
    try await catalogs.publish(
      ["id-b"], head: MemoryCatalogs.head("feed", table(["\(bit)", "\(1 - bit)"])))
    var erasure = try await self.erasure("a")
    try await erasure.eraseCurrent()
    #expect(erasure.erased == .init(documents: ["catalog.json"]))
    let other = try MemoryCatalogs()
    try await other.publish(
      ["id-b"], head: MemoryCatalogs.head("feed", table(["\(1 - bit)"])))
    #expect(try catalogs.files == other.files)
  }
}
