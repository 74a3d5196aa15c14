import Foundation
import TesseraTestSupport
import Testing

/// The page that describes the format of a catalog.
@Suite struct FormatPageTests {
  private let page: String

  init() throws {
    page = try String(
      contentsOf: Places.root.appending(path: "Examples/catalog/README.md"), encoding: .utf8)
  }

  @Test func allSectionsOfTheCasesAreListed() throws {
    let cases = try JSONSerialization.jsonObject(
      with: Data(contentsOf: Places.root.appending(path: "Examples/catalog/cases.json")))
    let names = try #require(cases as? [String: Any]).keys.filter { $0 != "about" }
    for name in names { #expect(page.contains("`\(name)`"), "\(name)") }
  }

  /// Each document that it names is there.
  @Test func itsLinksLeadSomewhere() {
    for match in page.matches(of: /\]\(([^)#]+)\)/) {
      let path = Places.root.appending(path: "Examples/catalog/\(match.1)").path
      #expect(FileManager.default.fileExists(atPath: path), "\(match.1)")
    }
  }
}
