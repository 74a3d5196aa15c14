import TesseraTestSupport
import Testing

@testable import TesseraCatalog

/// The index of a catalog's pages.
@Suite struct PageTests {
  private static func path(_ digit: Character) -> String {
    "catalog/\(String(repeating: digit, count: 32)).json"
  }

  private static func page(_ path: String, count: Int = 2) -> String {
    #"{"path":"\#(path)","later":[1],"count":\#(count),"bytes":30,"digest":"d\#(count)"}"#
  }

  private static func index(_ pages: String..., count: Int = 5) -> String {
    #"{"schema":"tessera-catalog-pages/1","later":{},"count":\#(count),"digest":"abc","#
      + #""pages":[\#(pages.joined(separator: ","))]}"#
  }

  private static func message(_ text: String) -> String {
    do {
      _ = try CatalogPages(reading: text.utf8)
      return "read"
    } catch {
      return "\(error)"
    }
  }

  @Test func anIndexIsRead() throws {
    let text = Self.index(Self.page(Self.path("a")), "\n\(Self.page(Self.path("0"), count: 3))")
    let pages = try CatalogPages(reading: text.utf8)
    #expect(
      pages.count == 5 && pages.digest == "abc" && CatalogPages.schema == "tessera-catalog-pages/1")
    #expect(pages.pages.map(\.path) == [Self.path("a"), Self.path("0")])
    #expect(pages.pages.map(\.id) == [Self.path("a"), Self.path("0")])
    #expect(pages.pages.map(\.count) == [2, 3] && pages.pages.map(\.bytes) == [30, 30])
    #expect(pages.pages.map(\.digest) == ["d2", "d3"])
    #expect(try CatalogPages(reading: Self.index().utf8).pages.isEmpty)
  }

  /// Of a newer index, an app fetches the pages that it does not have.
  @Test func newPagesAreThoseOfOtherPaths() throws {
    func pages(_ digits: String) throws -> CatalogPages {
      var pages = try CatalogPages(reading: Self.index().utf8)
      pages.pages = digits.map { .init(path: Self.path($0), count: 1, bytes: 1, digest: "d") }
      return pages
    }
    let new = try pages("cadb")
    #expect(new.pages(newSince: try pages("abx")).map(\.path) == [Self.path("c"), Self.path("d")])
    #expect(new.pages(newSince: try pages("")) == new.pages && new.pages(newSince: new).isEmpty)
  }

  @Test(arguments: ["schema", "count", "digest", "pages"])
  func everyMemberIsRequired(_ name: String) {
    let text = Self.index(Self.page(Self.path("a"))).replacing(
      "\"\(name)\":", with: "\"x\":", maxReplacements: 1)
    let expected =
      #"line 1, column 1: expected "tessera-catalog-pages/1" with count, digest and pages"#
    #expect(Self.message(text) == expected)
  }

  @Test func otherDocumentsAreRejected() {
    #expect(
      Self.message(Self.index().replacing("pages/1", with: "pages/2")).hasSuffix(
        "with count, digest and pages"))
    #expect(Self.message("[]") == "line 1, column 1: expected an object, found [")
    #expect(
      Self.message(#"{"count":"x"}"#)
        == #"line 1, column 10: count: expected a whole number, found "x""#)
    #expect(
      Self.message("{\n\"pages\":[{\"count\":1.5}]}")
        == "line 2, column 19: pages[0].count: expected a whole number, found 1.5")
    #expect(
      Self.message(#"{"count":1,"count":1}"#)
        == #"line 1, column 12: count: duplicate member "count""#)
  }

  /// Paths are joined to URLs, and lead nowhere else.
  @Test func pathsOfPages() {
    let digest = "0123456789abcdef0123456789abcdef"
    #expect(Self.message(Self.index(Self.page("catalog/\(digest).json"))) == "read")
    for path in [
      "", "catalog/.json", "catalog/\(digest)", "\(digest).json", "Catalog/\(digest).json",
      "catalog/\(digest).JSON", "catalog/\(digest.dropLast()).json", "catalog/\(digest)0.json",
      "catalog/\(digest.dropLast())g.json", "catalog/\(digest.dropLast())A.json",
      "catalog/\(digest.dropLast())/.json", "catalog/\(digest.dropLast())`.json",
      "../alog/\(digest).json",
    ] {
      #expect(
        Self.message(Self.index(" \(Self.page(path))"))
          == "line 1, column 83: pages[0]: expected a path such as catalog/3f9c….json, found "
          + "\"\(path)\""
      )
    }
  }
}
