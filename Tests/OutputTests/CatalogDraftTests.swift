import TesseraBytes
import TesseraCatalog
import TesseraJSON
import TesseraMemoryOutput
import TesseraSystem
import TesseraTestSupport
import Testing

@testable import TesseraOutput

/// Catalogs and their pages, byte by byte.
@Suite struct CatalogDraftTests {
  private let catalogs: MemoryCatalogs

  init() throws { catalogs = try MemoryCatalogs() }

  /// SHA-256 of the canonical form (RFC 8785): members sorted by name, without count and digest.
  private static func digest(_ ids: [String], name: String = "feed") -> String {
    let images = ids.map { id in
      let path = MemoryCatalogs.path(of: id)
      return #"{"id":"\#(id)","status":"ok","url":"https://example.com/\#(id).jpg","variants":["#
        + #"{"also":[{"type":"image/avif","url":"https://service.example/\#(id)"}],"bytes":5,"#
        + #""height":6,"path":"\#(path)","type":"image/webp","width":8}]}"#
    }
    return SHA256.of(
      #"{"generator":{"libvips":"8","name":"tessera","version":"0.1.0"},"images":["#
        + images.joined(separator: ",")
        + #"],"pipeline":{"fingerprint":"0","name":"\#(name)"},"scales":[1],"#
        + #""schema":"tessera-catalog/1","slots":{}}"#)
  }

  private static func json(_ ids: [String], name: String = "feed") -> String {
    let head = MemoryCatalogs.head(name).dropLast()
    let images = ids.map { MemoryCatalogs.image($0) }.joined(separator: ",\n")
    return "\(head),\"count\":\(ids.count),\"digest\":\"\(digest(ids, name: name))\",\"images\":["
      + (ids.isEmpty ? "" : "\n") + images + "\n]}\n"
  }

  private static func jsonl(_ ids: [String]) -> String {
    "\(MemoryCatalogs.head().dropLast()),\"count\":\(ids.count),\"digest\":\"\(digest(ids))\"}\n"
      + ids.map { MemoryCatalogs.image($0) + "\n" }.joined()
  }

  @Test(arguments: [[], ["a"], ["b", "a", "c"]])
  func aCatalogHasItsHeadAndItsImages(_ ids: [String]) async throws {
    try await catalogs.publish(ids)
    #expect(try catalogs.files == ["catalog.json": Self.json(ids)])
    // In another form it replaces the first one, which is kept.
    try await catalogs.publish(ids, .jsonl, keeping: 0)
    #expect(try catalogs.files == ["catalog.jsonl": Self.jsonl(ids)])
  }

  /// What readers see is the new catalog, whatever follows.
  @Test func replacingIsReportedOnceReadersSeeIt() async throws {
    let head = Array(MemoryCatalogs.head().utf8)
    func publish() async throws -> Int {
      var count = 0
      let draft = try await CatalogDraft(
        .json, head: head, count: 0, through: LineGate(of: catalogs.output), in: catalogs.workspace)
      try await draft.publish(
        keeping: CatalogRetention(count: 1, age: 9), now: 0
      ) { _ in count += 1 }
      return count
    }
    #expect(try await publish() == 1)
    catalogs.output.setUnwritable("catalog.json")
    await #expect(throws: MemoryOutput.full) { try await publish() }
  }

  @Test func aLineThatIsNotJSONIsDamage() async throws {
    let gate = try await LineGate(of: catalogs.output)
    let head = Array(MemoryCatalogs.head().utf8)
    var draft = try CatalogDraft(.json, head: head, count: 1, through: gate, in: catalogs.workspace)
    do throws(SystemError) {
      try draft.add(Array("{".utf8))
      Issue.record("it was added")
    } catch {
      #expect(error.isDamage && error.path == "catalog")
    }
    #expect(throws: SystemError.self) {
      _ = try CatalogDraft(
        .json, head: Array("[".utf8), count: 1, through: gate, in: catalogs.workspace)
    }
  }

  // MARK: Pages

  private static func path(_ ids: [String], name: String = "feed") -> String {
    "catalog/\(SHA256.of(json(ids, name: name)).prefix(32)).json"
  }

  private static func pages(_ parts: [[String]], name: String = "feed") -> [String: String] {
    Dictionary(
      uniqueKeysWithValues: parts.map { ids in
        (path(ids, name: name), json(ids, name: name))
      })
  }

  /// The index of pages with these images.
  private static func index(_ parts: [[String]]) -> String {
    let entries = parts.map { ids in
      #"{"path":"\#(path(ids))","count":\#(ids.count),"bytes":"#
        + #"\#(json(ids).utf8.count),"digest":"\#(digest(ids))"}"#
    }
    let all = parts.flatMap(\.self)
    return #"{"schema":"tessera-catalog-pages/1","count":\#(all.count),"digest":"\#(digest(all))","#
      + #""pages":[\#(entries.joined(separator: ","))]}"# + "\n"
  }

  /// Whether the digest of an id, its first twelve digits as a number, says that a page of about so
  /// many images
  /// ends behind it.
  private static func ends(_ id: String, _ size: UInt64) -> Bool {
    (UInt64(SHA256.of(id).prefix(12), radix: 16) ?? 1) % size == 0
  }

  /// A page has at least a quarter of the size, and at most four times of it.
  @Test(arguments: [1, 2, 3, 4, 8, 9])
  func aPageEndsBehindAnImageThatDecidesSo(_ size: Int) async throws {
    let ids = (0..<60).map { "i\($0)" }
    var parts: [[String]] = []
    var part: [String] = []
    for id in ids {
      part.append(id)
      if part.count == size * 4
        || part.count >= max(1, size / 4) && Self.ends(id, UInt64(size))
      {
        parts.append(part)
        part = []
      }
    }
    if !part.isEmpty { parts.append(part) }
    try await catalogs.publish(ids, pages: size)
    var expected = Self.pages(parts)
    expected["catalog.json"] = Self.json(ids)
    expected["catalog/index.json"] = Self.index(parts)
    #expect(try catalogs.files == expected)
    let named = try await PageIndex.read(PageFolder.whole.index, in: catalogs.output)?.pages
    #expect(
      named?.map { "\($0.path) \($0.bytes)" }
        == parts.map { "\(Self.path($0)) \(Self.json($0).utf8.count)" })
    #expect(
      try await PageIndex.read(PageFolder.whole.index, in: catalogs.output)?.digest
        == Self.digest(ids))
  }

  /// Two numbers that no Double tells apart, with as many digits, have one digest.
  @Test func aPageHasTheNumbersOfItsCatalog() async throws {
    let head = Array(MemoryCatalogs.head().utf8)
    let screen = CatalogScreen(name: "feed", selection: .init(slots: ["card"]), first: 1, pages: 1)
    for digit in 3...4 {
      let line = #"{"id":"a","status":"failed","extra":{"n":1234567890123456789012\#(digit)}}"#
      var draft = try await CatalogDraft(
        .json, head: head, count: 1, publication: .init(pages: 1, screens: [screen]),
        through: LineGate(of: catalogs.output), in: catalogs.workspace)
      try draft.add(Array(line.utf8))
      try await draft.publish(keeping: CatalogRetention(count: 1, age: 9), now: 0)
      for path in [PageFolder.whole.index, "screens/feed/index.json", "screens/feed/lookup.json"] {
        let page = try #require(try await PageIndex.read(path, in: catalogs.output)?.pages.first)
        let text = try catalogs.output.text(page.path)
        #expect(text.contains("1234567890123456789012\(digit)"), "\(path): \(text)")
      }
    }
  }

  /// No image ends a page: it ends at four times its size.
  @Test func aPageHasFourTimesItsSizeAtMost() async throws {
    let ids = (0...).lazy.map { "i\($0)" }.filter { !Self.ends($0, 2) }.prefix(19)
    try await catalogs.publish(Array(ids), pages: 2)
    let counts = try await PageIndex.read(PageFolder.whole.index, in: catalogs.output)?.pages
    #expect(counts?.map(\.count) == [8, 8, 3])
  }

  /// A page that is there is not written again; one that another size shows to be cut off is.
  @Test func pagesThatAreThereStay() async throws {
    func publish() async throws {
      var draft = try await CatalogDraft(
        .json, head: Array(MemoryCatalogs.head().utf8), count: 2, publication: .init(pages: 1),
        through: LineGate(of: catalogs.output), in: catalogs.workspace)
      for id in ["a", "b"] { try draft.add(Array(MemoryCatalogs.image(id).utf8)) }
      try await draft.publish(
        keeping: CatalogRetention(count: 0, age: 9), now: 0)
    }
    try await publish()
    let pages = Self.pages([["a"], ["b"]])
    #expect(try catalogs.files.filter { CatalogPages.isPage($0.key) } == pages)
    let paths = pages.keys.sorted()
    let same = String(repeating: "x", count: pages[paths[0]]?.utf8.count ?? 0)
    try catalogs.output.write(paths[0], Array(same.utf8))
    try catalogs.output.write(paths[1], Array("{".utf8))
    try await publish()
    #expect(try catalogs.output.text(paths[0]) == same)
    #expect(try catalogs.output.text(paths[1]) == pages[paths[1]])
    #expect(catalogs.workspace.staging("pages").size == nil)
  }

  @Test(arguments: [
    ("{}", "expected a list of pages"), ("x", "expected a list of pages"),
    (#"{"pages":[{"path":"catalog/x.json","bytes":1}]}"#, "expected a path such as "),
    (#"{"pages":[{"path":"catalog/0123456789abcdef0123456789abcdef.json"}]}"#, "expected a path "),
    (#"{"pages":[{"bytes":1}]}"#, "expected a path "),
  ])
  func anotherIndexIsDamage(_ text: String, _ reason: String) async throws {
    try catalogs.output.write(PageFolder.whole.index, Array(text.utf8))
    let error = await #expect(throws: SystemError.self) {
      try await PageIndex.read(PageFolder.whole.index, in: catalogs.output)?.pages
    }
    #expect(
      error?.description.hasPrefix("\"memory/catalog/index.json\" is damaged: \(reason)") == true)
    #expect(try await PageIndex.catalogDigest(PageFolder.whole.index, in: catalogs.output) == nil)
  }

  @Test func withoutAnIndexNothingIsNamed() async throws {
    #expect(try await PageIndex.read(PageFolder.whole.index, in: catalogs.output)?.pages == nil)
    #expect(try await PageIndex.read(PageFolder.whole.index, in: catalogs.output)?.digest == nil)
    // Members that an index may lack.
    let path = "catalog/0123456789abcdef0123456789abcdef.json"
    try catalogs.output.write(
      "other.json", Array(#"{"digest":"d","pages":[{"path":"\#(path)","bytes":7}]}"#.utf8))
    let pages = try await PageIndex.read("other.json", in: catalogs.output)?.pages
    #expect(pages == [.init(path: path, digest: "", count: 0, bytes: 7)])
    #expect(
      try await PageIndex.read("other.json", in: catalogs.output)?.digest == "d")
  }

  @Test(arguments: [
    ("catalog/0123456789abcdef0123456789abcdef.json", true),
    ("catalog/0123456789abcdef0123456789abcde.json", false),
    ("catalog/0123456789abcdef0123456789abcdef0.json", false),
    ("catalog/0123456789ABCDEF0123456789abcdef.json", false),
    ("catalog/0123456789abcdef0123456789abcdef-json", false), ("catalog/index.json", false),
    ("x/catalog/0123456789abcdef0123456789abcdef.json", false), ("catalog", false),
  ])
  func pagesAreNamedByTheirDigests(_ path: String, _ isPage: Bool) {
    #expect(CatalogPages.isPage(path) == isPage)
  }
}
