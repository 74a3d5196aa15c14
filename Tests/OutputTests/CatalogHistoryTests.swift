import Foundation
import TesseraCatalog
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

  private static let screens = [MemoryCatalogs.screen(first: 1)]

  private func publish(
    _ names: String, _ screens: [CatalogScreen] = [], keeping: Int = 3, now: Double
  ) async throws {
    try await catalogs.publish(Self.ids(names), screens: screens, keeping: keeping, now: now)
  }

  /// The entry of a catalog of these images, its text, and the first document of its screen.
  private static func kept(
    _ names: String, _ screens: [CatalogScreen] = [], time: Int
  ) async throws -> (entry: KeptCatalog, text: String, first: String?) {
    let other = try MemoryCatalogs()
    try await other.publish(ids(names), screens: screens)
    let text = try other.output.text("catalog.json")
    let digest = try #require(try await CurrentCatalog(of: other.output)?.digest)
    return (
      KeptCatalog(
        path: "\(folder)/\(digest.prefix(32)).json",
        companions: screens.isEmpty
          ? [:]
          : [MemoryCatalogs.first: "\(folder)/\(digest.prefix(32)).screens.feed.first.json"],
        images: names.count,
        bytes: text.utf8.count, digest: digest, time: time), text,
      screens.isEmpty ? nil : try other.output.text(MemoryCatalogs.first)
    )
  }

  private func keptPaths() async throws -> [String] {
    try await CatalogHistory.kept(in: output)?.catalogs.map(\.path) ?? []
  }

  private var copies: [String] {
    output.paths.filter { $0.hasPrefix(Self.folder) && !$0.hasSuffix("list.json") }
  }

  @Test func replacedCatalogsAreKeptWithTheirScreens() async throws {
    try await publish("a", Self.screens, now: 1)
    #expect(try await CatalogHistory.kept(in: output) == nil)
    #expect(copies == [])
    try await publish("ab", now: 2.5)
    try await publish("abc", now: 3)
    let (a, ab) = (
      try await Self.kept("a", Self.screens, time: 2), try await Self.kept("ab", time: 3)
    )
    #expect(
      try await CatalogHistory.kept(in: output)
        == KeptCatalogs(CatalogRetention(count: 3, age: 1_000), [ab.entry, a.entry]))
    #expect(try output.text(a.entry.path) == a.text)
    let first = try #require(a.entry.companions[MemoryCatalogs.first])
    #expect(try output.text(first) == a.first)
    #expect(try output.text(ab.entry.path) == ab.text)
    #expect(copies.count == 3)
    // The catalog without a screen took its first document with it.
    #expect(!output.paths.contains(MemoryCatalogs.first))
    // The same catalog again keeps nothing, and reads nothing but heads.
    let before = try catalogs.files
    try await publish("abc", now: 4)
    #expect(try catalogs.files == before)
  }

  @Test func theListSaysWhatIsKept() async throws {
    try await publish("a", Self.screens, now: 1)
    try await publish("ab", now: 2)
    let a = try await Self.kept("a", Self.screens, time: 2)
    let first = try #require(a.entry.companions[MemoryCatalogs.first])
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
                "\(MemoryCatalogs.first)": "\(first)"
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
    try await publish("a", Self.screens, now: 1)
    try await publish("ab", Self.screens, now: 2)
    let (a, ab) = (
      try await Self.kept("a", Self.screens, time: 2),
      try await Self.kept("ab", Self.screens, time: 3)
    )
    try await history.rollBack(to: a.entry, now: 3)
    #expect(try output.text("catalog.json") == a.text)
    #expect(try output.text(MemoryCatalogs.first) == a.first)
    let kept = try #require(try await CatalogHistory.kept(in: output))
    #expect(kept.catalogs == [ab.entry, a.entry])
    #expect(kept.others(than: a.entry.path) == [ab.entry])
    // And forward again, from one without a screen.
    try await publish("abc", now: 4)
    #expect(!output.paths.contains(MemoryCatalogs.first))
    try await history.rollBack(to: ab.entry, now: 5)
    #expect(try output.text("catalog.json") == ab.text)
    #expect(try output.text(MemoryCatalogs.first) == ab.first)
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

  /// A killed run may have published the screen of the next catalog already: it is not this one's.
  @Test func aScreenOfAnotherCatalogIsNotKept() async throws {
    try await publish("a", Self.screens, now: 1)
    let other = try MemoryCatalogs()
    try await other.publish(["a", "b"], screens: Self.screens)
    let first = try other.output.text(MemoryCatalogs.first)
    try output.write(MemoryCatalogs.first, Array(first.utf8))
    try await publish("ab", Self.screens, now: 2)
    let a = try await Self.kept("a", time: 2)
    #expect(try await CatalogHistory.kept(in: output)?.catalogs == [a.entry])
  }

  // MARK: A full disk

  /// If the catalog can't be replaced, neither is its screen.
  @Test(arguments: [true, false], [true, false])
  func aCatalogAndItsScreenStayTogether(_ before: Bool, _ after: Bool) async throws {
    try await publish("a", before ? Self.screens : [], now: 1)
    let files = try catalogs.files
    output.setUnwritable("catalog.json")
    await #expect(throws: MemoryOutput.full) {
      try await publish("ab", after ? Self.screens : [], keeping: 0, now: 2)
    }
    let left = try catalogs.files
    for name in ["catalog.json", MemoryCatalogs.first] {
      #expect(left[name] == files[name], "\(name)")
    }
    output.setUnwritable(nil)
    try await publish("ab", after ? Self.screens : [], keeping: 0, now: 3)
    #expect(output.paths.contains(MemoryCatalogs.first) == after)
    #expect(catalogs.workspace.staging("before-screens-feed-first.json").size == nil)
  }
}
