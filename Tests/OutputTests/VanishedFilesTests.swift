import TesseraCatalog
import TesseraMemoryOutput
import Testing

@testable import TesseraOutput

/// The mark that a process leaves that has changed some of an output.
@Suite struct VanishedFilesTests {
  private let catalogs: MemoryCatalogs
  private let before: OutputMark

  init() async throws {
    catalogs = try MemoryCatalogs()
    catalogs.output.hasMark = true
    for id in ["a", "b"] {
      try catalogs.output.write(MemoryCatalogs.path(of: id), Array("12345".utf8))
    }
    try await catalogs.publish(["a"])
    let output: any Output = catalogs.output
    before = try #require(try await output.mark())
  }

  private var output: any Output { catalogs.output }

  /// Nothing can have vanished from folders that have not changed: the catalog may be large.
  @Test func anOutputThatHasNotChangedIsNotRead() async throws {
    let reads = catalogs.output.reads.count
    #expect(try await output.mark(after: before) == before)
    #expect(catalogs.output.reads.count == reads)
  }

  @Test func aFileThatTheCatalogNamesIsMissed() async throws {
    catalogs.output.delete(MemoryCatalogs.path(of: "b"))
    let after = try await output.mark(after: before)
    #expect(try await after == output.mark() && after != before)
    catalogs.output.delete(MemoryCatalogs.path(of: "a"))
    #expect(try await output.mark(after: before) == nil)
  }

  @Test func aPartOfAScreenIsMissed() async throws {
    try await catalogs.publish(["a", "c"], screens: [MemoryCatalogs.screen(first: 1)])
    try catalogs.output.write(MemoryCatalogs.path(of: "c"), Array("12345".utf8))
    let before = try #require(try await output.mark())
    try catalogs.output.write("screens/feed/other.json", [])
    #expect(try await output.mark(after: before) != nil)
    let part = try #require(catalogs.output.paths.first { CatalogScreen.isPart($0) })
    catalogs.output.delete(part)
    #expect(try await output.mark(after: before) == nil)
  }
}
