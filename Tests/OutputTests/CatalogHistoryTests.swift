import Foundation
import TesseraMemoryOutput
import TesseraSystem
import TesseraTestSupport
import Testing

@testable import TesseraOutput

/// Which earlier catalogs an output has after it was published, cleaned up, and rolled back.
@Suite struct CatalogHistoryTests {
  private let catalogs: MemoryCatalogs
  private var output: MemoryOutput { catalogs.output }
  private var history: CatalogHistory { CatalogHistory(of: output, catalogs.workspace) }
  private static let folder = ".tessera/catalogs"

  init() throws { catalogs = try MemoryCatalogs() }

  private static func ids(_ names: String) -> [String] { names.map { "\($0)" } }

  private func publish(_ names: String, pages: Int? = nil, keeping: Int = 3, now: Double)
    async throws
  {
    try await catalogs.publish(Self.ids(names), pages: pages, keeping: keeping, now: now)
  }

  /// The entry of a catalog of these images, and its text.
  private static func kept(_ names: String, pages: Bool = false, time: Int) async throws
    -> (entry: KeptCatalog, text: String, index: String?)
  {
    let other = try MemoryCatalogs()
    try await other.publish(ids(names), pages: pages ? 1 : nil)
    let text = try other.output.text("catalog.json")
    let digest = try #require(try await CurrentCatalog(of: other.output)?.digest)
    return (
      KeptCatalog(
        path: "\(folder)/\(digest.prefix(32)).json",
        companions: pages
          ? ["catalog/index.json": "\(folder)/\(digest.prefix(32)).catalog.index.json"] : [:],
        images: names.count,
        bytes: text.utf8.count, digest: digest, time: time), text,
      pages ? try other.output.text("catalog/index.json") : nil
    )
  }

  private func keptPaths() async throws -> [String] {
    try await CatalogHistory.kept(in: output)?.catalogs.map(\.path) ?? []
  }

  private var copies: [String] {
    output.paths.filter { $0.hasPrefix(Self.folder) && !$0.hasSuffix("list.json") }
  }

  @Test func replacedCatalogsAreKeptWithTheirPages() async throws {
    try await publish("a", pages: 1, now: 1)
    #expect(try await CatalogHistory.kept(in: output) == nil)
    #expect(copies == [])
    try await publish("ab", now: 2.5)
    try await publish("abc", now: 3)
    let (a, ab) = (
      try await Self.kept("a", pages: true, time: 2), try await Self.kept("ab", time: 3)
    )
    #expect(
      try await CatalogHistory.kept(in: output)
        == KeptCatalogs(CatalogRetention(count: 3, age: 1_000), [ab.entry, a.entry]))
    #expect(try output.text(a.entry.path) == a.text)
    #expect(try output.text(a.entry.indices[0]) == a.index)
    #expect(try output.text(ab.entry.path) == ab.text)
    #expect(copies.count == 3)
    // The catalog without pages took the index with it.
    #expect(!output.paths.contains("catalog/index.json"))
    // The same catalog again keeps nothing, and reads nothing but heads.
    let before = try catalogs.files
    try await publish("abc", now: 4)
    #expect(try catalogs.files == before)
  }

  /// Two numbers that no Double tells apart give one digest, and so one name.
  @Test func theCatalogThatWasReplacedLastIsKept() async throws {
    for (time, number) in ["12345678901234567890123", "7", "12345678901234567890124", "8"]
      .enumerated()
    {
      try await catalogs.publish(
        ["a"], head: MemoryCatalogs.head("feed", #","n":\#(number)"#), now: Double(time))
    }
    let kept = try #require(try await CatalogHistory.kept(in: output)?.catalogs)
    #expect(kept.map(\.time) == [3, 2])
    #expect(try output.text(kept[0].path).contains("12345678901234567890124"))
  }

  @Test func theListSaysWhatIsKept() async throws {
    try await publish("a", pages: 1, now: 1)
    try await publish("ab", now: 2)
    let a = try await Self.kept("a", pages: true, time: 2)
    #expect(
      try output.text("\(Self.folder)/list.json") == """
        {
          "schema": "tessera-kept-catalogs/1",
          "limit": 3,
          "age": 1000,
          "catalogs": [
            {
              "path": "\(a.entry.path)",
              "companions": {
                "catalog/index.json": "\(a.entry.indices[0])"
              },
              "images": 1,
              "bytes": \(a.text.utf8.count),
              "digest": "\(a.entry.digest)",
              "time": 2
            }
          ]
        }

        """)
  }

  /// With fewer to keep, or none, copies leave at once.
  @Test func copiesBeyondTheLimitLeave() async throws {
    for (count, names) in ["a", "ab", "abc", "abcd"].enumerated() {
      try await publish(names, keeping: 2, now: Double(count))
    }
    let (ab, abc) = (
      try await Self.kept("ab", time: 2).entry.path, try await Self.kept("abc", time: 3).entry.path
    )
    #expect(try await keptPaths() == [abc, ab])
    #expect(copies == [ab, abc].sorted())
    try await publish("abcde", keeping: 0, now: 5)
    #expect(try await keptPaths() == [])
    #expect(copies == [])
    #expect(
      try await CatalogHistory.kept(in: output)?.retention == CatalogRetention(count: 0, age: 1_000)
    )
  }

  /// They leave by themselves after their time.
  @Test func oldCopiesAreDropped() async throws {
    #expect(try await history.dropOld(now: 1) == 0)
    try await publish("a", now: 10)
    try await publish("ab", now: 20)
    try await publish("abc", now: 30)
    let (a, ab) = (
      try await Self.kept("a", time: 20).entry, try await Self.kept("ab", time: 30).entry
    )
    #expect(try await history.dropOld(now: 1_019.9) == 0)
    #expect(copies == [a.path, ab.path].sorted())
    try output.write("\(Self.folder)/left.json", [])
    #expect(try await history.dropOld(now: 1_019) == 0)
    #expect(copies.contains("\(Self.folder)/left.json"))
    #expect(try await history.dropOld(now: 1_020) == 1)
    #expect(copies == [ab.path])
    #expect(try await keptPaths() == [ab.path])
    #expect(try await history.dropOld(now: 1_030) == 1)
    #expect(try await keptPaths() == [] && copies == [])
    #expect(
      KeptCatalogs(CatalogRetention(count: 1, age: 1_000)).end(of: ab) == 1_030)
  }

  @Test func rollingBackExchangesCatalogs() async throws {
    try await publish("a", pages: 1, now: 1)
    try await publish("ab", pages: 1, now: 2)
    let (a, ab) = (
      try await Self.kept("a", pages: true, time: 2),
      try await Self.kept("ab", pages: true, time: 3)
    )
    try await history.rollBack(to: a.entry, now: 3)
    #expect(try output.text("catalog.json") == a.text)
    #expect(try output.text("catalog/index.json") == a.index)
    let kept = try #require(try await CatalogHistory.kept(in: output))
    #expect(kept.catalogs == [ab.entry, a.entry])
    #expect(kept.others(than: a.entry.path) == [ab.entry])
    // And forward again, to one without pages in another form.
    try await catalogs.publish(["a", "b", "c"], .jsonl, now: 4)
    try await history.rollBack(to: ab.entry, now: 5)
    #expect(try output.text("catalog.json") == ab.text)
    #expect(try output.text("catalog/index.json") == ab.index)
    #expect(!output.paths.contains("catalog.jsonl"))
    #expect(try await CatalogHistory.kept(in: output)?.catalogs.map(\.time) == [5, 4, 3])
  }

  /// A list that was lost: the catalog is rolled back, and the one that was current is kept for as
  /// long as usual.
  @Test func rollingBackNeedsNoList() async throws {
    try await publish("a", now: 1)
    try await publish("ab", now: 2)
    let a = try await Self.kept("a", time: 2)
    output.delete("\(Self.folder)/list.json")
    try await history.rollBack(to: a.entry, now: 3)
    let kept = try await CatalogHistory.kept(in: output)
    #expect(kept?.retention == CatalogRetention(count: 1, age: 604_800))
    let ab = try await Self.kept("ab", time: 3)
    #expect(kept?.catalogs == [ab.entry])
    #expect(try output.text("catalog.json") == a.text)
  }

  /// A copy that is there from a killed run is not believed, unless the list has it with the same
  /// size.
  @Test func copiesOfKilledRunsAreMadeAgain() async throws {
    try await publish("a", now: 1)
    let a = try await Self.kept("a", time: 2)
    try output.write(a.entry.path, Array(a.text.utf8.dropLast() + [0]))
    try await publish("ab", now: 2)
    #expect(try output.text(a.entry.path) == a.text)
    // Rolled back and on: the list has it, and only its time is new.
    try await history.rollBack(to: a.entry, now: 3)
    let reads = output.reads.count
    try await publish("abc", now: 4)
    #expect(output.reads.dropFirst(reads).allSatisfy { $0.path != a.entry.path })
    #expect(try await CatalogHistory.kept(in: output)?.catalogs.first?.time == 4)
    // Cut off: made again.
    try await history.rollBack(to: a.entry, now: 5)
    try output.write(a.entry.path, [1])
    try await publish("b", now: 6)
    #expect(try output.text(a.entry.path) == a.text)
  }

  /// A killed run may have published the index of the next catalog already: it is not this one's.
  @Test func anIndexOfAnotherCatalogIsNotKept() async throws {
    try await publish("a", pages: 1, now: 1)
    let other = try MemoryCatalogs()
    try await other.publish(["a", "b"], pages: 1)
    try output.write("catalog/index.json", Array(try other.output.text("catalog/index.json").utf8))
    try await publish("ab", pages: 1, now: 2)
    let a = try await Self.kept("a", time: 2)
    #expect(try await CatalogHistory.kept(in: output)?.catalogs == [a.entry])
  }

  // MARK: A full disk

  /// If the catalog can't be replaced, neither is its index.
  @Test(arguments: [(1, 1), (1, nil), (nil, 1), (nil, nil)] as [(Int?, Int?)])
  func aCatalogAndItsIndexStayTogether(_ before: Int?, _ after: Int?) async throws {
    try await publish("a", pages: before, now: 1)
    let files = try catalogs.files
    output.setUnwritable("catalog.json")
    await #expect(throws: MemoryOutput.full) {
      try await publish("ab", pages: after, keeping: 0, now: 2)
    }
    let left = try catalogs.files
    for name in ["catalog.json", "catalog/index.json"] {
      #expect(left[name] == files[name], "\(name)")
    }
    output.setUnwritable(nil)
    try await publish("ab", pages: after, keeping: 0, now: 3)
    #expect(output.paths.contains("catalog/index.json") == (after != nil))
    #expect(catalogs.workspace.staging("index.before").size == nil)
  }
}
