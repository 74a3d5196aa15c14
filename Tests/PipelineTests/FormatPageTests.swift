import Foundation
import TesseraTestSupport
import Testing

/// The page that describes the format of a catalog.
@Suite struct FormatPageTests {
  private let page: String

  init() throws {
    page = try String(
      contentsOf: Places.root.appending(path: "Pipelines/CATALOG.md"), encoding: .utf8)
  }

  /// The table of cases says of each section what a row has.
  @Test func allSectionsOfTheCasesAreListed() throws {
    let table = try JSONSerialization.jsonObject(
      with: Data(contentsOf: Places.root.appending(path: "Examples/catalog/cases.json")))
    let cases = try #require(table as? [String: Any])
    let about = try #require(cases["about"] as? [String: String])
    #expect(Set(about.keys).subtracting(["all"]) == Set(cases.keys).subtracting(["about"]))
    #expect(page.contains("`about` describes the rows"))
  }

  /// Each document that it names is there.
  @Test func itsLinksLeadSomewhere() {
    for match in page.matches(of: /\]\(([^)#]+)\)/) {
      let path = Places.root.appending(path: "Pipelines/\(match.1)").path
      #expect(FileManager.default.fileExists(atPath: path), "\(match.1)")
    }
  }
}
