import TesseraSystem
import TesseraTestSupport
import Testing

@testable import TesseraOutput

/// Which catalogs are kept, and in which order.
@Suite struct HistoryTests {
  private static func entry(_ name: Character, time: Int = 0) -> KeptCatalog {
    let digest = String(repeating: name, count: 64)
    return KeptCatalog(
      path: KeptCatalog.path(digest: digest), companions: [:], images: 1, bytes: 2,
      digest: digest, time: time)
  }

  /// The list before, the catalog that is replaced, the one that replaces it, and how many are kept.
  @Test(
    arguments: [
      ("", "a", "b", 3, "a"), ("a", "b", "c", 3, "ba"), ("cba", "d", "e", 3, "dcb"),
      ("cba", "d", "e", 1, "d"), ("cba", "d", "e", 0, ""), ("cba", nil, "d", 2, "cb"),
      // A run was killed before it published: the current catalog is first already.
      ("dcb", "d", "e", 3, "dcb"),
      // Rolled back to the second, and on from there: the one that is current does not count.
      ("cba", "d", "b", 3, "dcba"), ("dcba", "b", "e", 3, "bdc"), ("dcba", "b", "d", 3, "bdca"),
      ("dcba", nil, "b", 3, "dcba"), ("b", nil, "b", 0, ""),
    ] as [(String, Character?, Character, Int, String)])
  func theNewestAreKept(
    _ before: String, _ replaced: Character?, _ next: Character, _ limit: Int, _ after: String
  ) {
    let retention = CatalogRetention(count: limit, age: 100)
    var kept = KeptCatalogs(retention, before.map { Self.entry($0) })
    kept.keep(replaced.map { Self.entry($0, time: 7) }, before: Self.entry(next).path, now: 7)
    #expect(kept.catalogs.compactMap(\.digest.first) == Array(after))
    #expect(replaced == nil || limit == 0 || kept.catalogs.first?.time == 7)
    #expect(
      kept.others(than: Self.entry(next).path).map(\.digest)
        == kept.catalogs.map(\.digest).filter { $0.first != next })
  }

  /// A catalog leaves after some time, also if no other one takes its place; one from the future does not stay.
  @Test func oldCatalogsAreDropped() {
    func kept(at now: Double) -> [Character?] {
      let list = zip("abc", [100, 150, 400]).map { Self.entry($0, time: $1) }
      var kept = KeptCatalogs(CatalogRetention(count: 9, age: 100), list)
      kept.keep(nil, before: Self.entry("d").path, now: now)
      return kept.catalogs.map(\.digest.first)
    }
    #expect(kept(at: 199.9) == ["a", "b"])
    #expect(kept(at: 200) == ["b"])
    #expect(kept(at: 250) == [])
    #expect(kept(at: 300) == ["c"])
    #expect(kept(at: 499) == ["c"])
    #expect(kept(at: 500) == [])
  }

  @Test func theListIsReadAsItWasWritten() throws {
    var indexed = Self.entry("b", time: 1_795_459_387)
    let start = ".tessera/catalogs/\(indexed.digest.prefix(32))"
    indexed.companions = [MemoryCatalogs.first: "\(start).screens.feed.first.json"]
    indexed.images = nil
    let kept = KeptCatalogs(
      CatalogRetention(count: 5, age: 60), [Self.entry("a"), indexed])
    #expect(KeptCatalogs(document: kept.document) == kept)
    let text = String(decoding: kept.document, as: UTF8.self)
    for (old, new) in [
      ("kept-catalogs/1", "kept-catalogs/2"), (".tessera/catalogs/a", "../catalogs/a"),
      (".screens.feed.first.json", "/x.json"), ("feed/first", "feed/other"),
      ("\"limit\"", "\"limits\""), ("\"bytes\"", "\"size\""),
      ("]", ""),
    ] {
      #expect(text.contains(old))
      #expect(KeptCatalogs(document: Array(text.replacing(old, with: new).utf8)) == nil, "\(new)")
    }
  }

  private static let head = """
    {"schema":"tessera-catalog/1","generator":{"name":"tessera","version":"0.1.0","libvips":"8"},\
    "pipeline":{"name":"feed","fingerprint":"0"},"slots":{},"scales":[1]}
    """

  /// A catalog, one that another program has written again, and files that are not catalogs.
  @Test(
    arguments: [
      (MemoryCatalogs.document([]), true), (MemoryCatalogs.document(["{}"]), true),
      (MemoryCatalogs.document([]).replacing(":", with: ": "), false),
      (head, false), ("", false), ("{}", false), ("<html>", false),
    ])
  func whatCanBeReadIsKept(_ catalog: String, _ isKept: Bool) async throws {
    let folder = try TemporaryFolder()
    let output = try DirectoryOutput(folder.path("out"), creates: true)
    try folder.write(catalog, to: "out/catalog.json")
    let workspace = try output.workspace()
    try workspace.clear()
    let draft = try await CatalogDraft(
      head: Array(Self.head.utf8), count: 0,
      through: LineGate(of: output), in: workspace)
    try await draft.publish(keeping: CatalogRetention(count: 3, age: 60), now: 12.5)
    let kept = try await CatalogHistory.kept(in: output)?.catalogs ?? []
    #expect(kept.count == (isKept ? 1 : 0))
    for entry in kept {
      #expect(entry.time == 12 && entry.bytes == catalog.utf8.count)
      #expect(try folder.text("out/\(entry.path)") == catalog)
    }
    #expect(try folder.text("out/catalog.json").contains("\"count\":0"))
    guard isKept else { return }
    // What the list does not name is removed; a list that is not one is not written over.
    try folder.write("left", to: "out/.tessera/catalogs/left.json")
    let history = CatalogHistory(of: output, workspace)
    try await history.removeUnlisted(try await CatalogHistory.kept(in: output))
    #expect(!folder.files(below: "out/.tessera/catalogs").contains("left.json"))
    try folder.write("{}", to: "out/.tessera/catalogs/list.json")
    let error = await #expect(throws: SystemError.self) {
      try await CatalogHistory.kept(in: output)
    }
    #expect(
      error?.description
        == "\"\(folder.path("out/.tessera/catalogs/list.json"))\" is damaged: expected a list of kept "
        + "catalogs; remove it, and earlier catalogs are forgotten")
  }
}
