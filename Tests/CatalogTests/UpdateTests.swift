import Foundation
import TesseraBytes
import TesseraTestSupport
import Testing

@testable import TesseraCatalog
@testable import TesseraCatalogFoundation

/// How an app keeps its catalog up to date: by changes that it can verify, or else by the whole catalog.
@Suite struct UpdateTests {
  private static func sha256(_ bytes: [UInt8]) -> [UInt8] {
    MessageDigest.sha256.digest(of: bytes)
  }

  private static func document(_ ids: String) -> [UInt8] {
    CatalogFixture.document(ids.map { #"{"id":"\#($0)","status":"pending"}"# })
  }

  private static func digest(_ document: [UInt8]) -> String {
    CatalogDocument.statedDigest(of: document) ?? ""
  }

  private let old = Self.document("abcd")
  private let new = Self.document("axcb")

  /// The changes from `old` to `new`; without arguments they are right.
  private func changes(
    from: String? = nil, to: String? = nil, lines: String? = nil, head: String? = nil
  ) -> String {
    let first = String(decoding: new.prefix { $0 != 10 }, as: UTF8.self)
    let text = (head ?? first).replacing("\"", with: "\\\"")
    let lines = lines ?? #"[[0,0],"{\"id\":\"x\",\"status\":\"pending\"}",[2,2],[1,1]]"#
    return #"{"schema":"tessera-changes/1","from":"\#(from ?? Self.digest(old))","#
      + #""to":"\#(to ?? Self.digest(new))","head":"\#(text)","lines":\#(lines)}"#
  }

  private func applied(_ text: String, to document: [UInt8]? = nil) -> String {
    do {
      let changes = try CatalogChanges(reading: text.utf8)
      let bytes = try changes.applied(to: document ?? old, sha256: Self.sha256)
      return bytes == new ? "new" : String(decoding: bytes, as: UTF8.self)
    } catch {
      return "\(error)"
    }
  }

  @Test func changesLeadToTheNewDocument() throws {
    #expect(applied(changes()) == "new")
    // What leads to itself leaves it as it is, whatever the lines are.
    for lines in ["[[0,3]]", "[]"] {
      let same = changes(
        to: Self.digest(old), lines: lines,
        head: String(decoding: old.prefix { $0 != 10 }, as: UTF8.self))
      #expect(applied(same) == String(decoding: old, as: UTF8.self))
    }
  }

  @Test(.faults(.c15)) func otherChangesAreNotApplied() {
    let other = String(repeating: "0", count: 64)
    let (from, to) = (Self.digest(old), Self.digest(new))
    #expect(
      applied(changes(from: other))
        == "line 1, column 1: the changes are for the catalog \(other), and this is another one")
    #expect(
      applied(changes(), to: new).hasSuffix("for the catalog \(from), and this is another one"))
    let wrong = "line 1, column 1: the changes do not lead to the catalog \(to), as they state"
    #expect(applied(changes(lines: "[[0,1]]")) == wrong)
    #expect(applied(changes(lines: "[]")) == wrong)
    #expect(applied(changes(head: "{")) == wrong)
    #expect(
      applied(changes(to: other)).hasSuffix("do not lead to the catalog \(other), as they state"))
    #expect(
      applied(changes(lines: "[[0,0],[3,4]]"))
        == "line 1, column 1: the changes name the images 3 to 4 of a catalog with 4")
    for lines in ["[[1,0]]", "[[-1,0]]", "[[1]]", "[[0,1,2]]"] {
      #expect(
        applied(changes(lines: lines)).hasSuffix(
          "expected a line, or the first and the last of a range of lines"), "\(lines)")
    }
    for lines in ["[[0.5,1]]", "[5]", "[null]", "[\"\\ud800\"]", "5"] {
      #expect(applied(changes(lines: lines)).hasPrefix("line 1, column "), "\(lines)")
    }
    let form = "expected \"tessera-changes/1\" with from, to, head and lines"
    #expect(applied("{}").hasSuffix(form))
    #expect(applied(changes().replacing("changes/1", with: "changes/2")).hasSuffix(form))
    #expect(applied(changes() + "x").hasSuffix("expected nothing after the changes"))
    // Cut off anywhere.
    let bytes = Array(changes().utf8)
    for count in 0..<bytes.count {
      #expect(throws: CatalogError.self, "\(count)") {
        try CatalogChanges(reading: bytes[..<count])
      }
    }
    // A document that was cut off is another one than its digest says.
    #expect(applied(changes(), to: Array(old.dropLast(3))) != "new")
    #expect(applied(changes(), to: []).hasSuffix("and this is another one"))
  }

  @Test func whereChangesAre() throws {
    let catalog = try Catalog(reading: old)
    let name = "from-\(Self.digest(old)).json"
    #expect(
      catalog.changesURL(from: "https://example.com/feed/catalog.json?v=1#x")
        == "https://example.com/feed/\(name)")
    for digest in [nil, "", "x", Self.digest(old).uppercased()] {
      var other = catalog
      other.digest = digest
      #expect(other.changesURL(from: "https://example.com/catalog.json") == nil)
    }
  }

  @Test func readingVerifies() throws {
    #expect(
      try Catalog(reading: new, verifiedBy: Self.sha256).images.map(\.id) == ["a", "x", "c", "b"])
    let text = String(decoding: new, as: UTF8.self)
    let altered = text.replacing("\"c\"", with: "\"d\"")
    let error = #expect(throws: CatalogError.self) {
      try Catalog(reading: Array(altered.utf8), verifiedBy: Self.sha256)
    }
    #expect(error?.description.hasPrefix("line 1, column 1: digest: the catalog was alt") == true)
    // Members that this version does not know take part in the digest.
    let later = CatalogFixture.document([], head: CatalogFixture.head + #","later":[1]"#)
    #expect(try Catalog(reading: later, verifiedBy: Self.sha256).images == [])
    let other = String(decoding: later, as: UTF8.self).replacing("[1]", with: "[2]")
    #expect(throws: CatalogError.self) {
      try Catalog(reading: Array(other.utf8), verifiedBy: Self.sha256)
    }
  }
}
