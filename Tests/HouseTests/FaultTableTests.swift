import Foundation
import TesseraTestSupport
import Testing

/// `Tests/FAULTS.md`, the table from each fault to its tests.
@Suite struct FaultTableTests {
  /// A row of the table.
  private struct Row {
    var fault: String
    var text: String
    /// "Suite.test"
    var tests: [String]
  }

  /// The faults by the letter of their kind: network, images, manifest, files, workers, catalog, what is
  /// published, the state, what is written beside the catalog, what may be reached.
  private static let faults = [
    ("N", 56), ("X", 3), ("I", 37), ("U", 1), ("M", 29), ("F", 23), ("W", 21), ("C", 21), ("P", 10),
    ("S", 7), ("R", 3),
  ]
  .flatMap { kind, count in (1...count).map { "\(kind)\($0)" } }

  private let rows: [Row]

  init() throws {
    let text = try String(
      contentsOf: Places.root.appending(path: "Tests/FAULTS.md"), encoding: .utf8)
    rows = text.split(separator: "\n").compactMap { line in
      let cells = line.split(separator: "|", omittingEmptySubsequences: false).map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      guard cells.count >= 5, cells[1].wholeMatch(of: /[A-Z][0-9]+/) != nil else { return nil }
      let tests = cells[cells.count - 2].matches(of: /`([^`]*)`/).map { String($0.1) }
      return Row(fault: cells[1], text: cells[2], tests: tests)
    }
  }

  @Test func everyFaultHasOneRow() {
    #expect(Self.faults.count == 211)
    #expect(rows.map(\.fault).sorted() == Self.faults.sorted())
  }

  @Test func noRowIsEmpty() {
    for row in rows {
      #expect(!row.text.isEmpty, "\(row.fault) says nothing")
      #expect(!row.tests.isEmpty, "\(row.fault) has no test")
    }
  }

  @Test func everyTestExists() throws {
    let tests = try Self.tests()
    #expect(tests.count > 500)
    for row in rows {
      for test in row.tests {
        #expect(tests.contains(test), "\(row.fault): there is no test \(test)")
      }
    }
  }

  /// The tests of the project as "Suite.test".
  private static func tests() throws -> Set<String> {
    let folder = Places.root.appending(path: "Tests")
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    var tests: Set<String> = []
    let (suites, functions) = (/(?:struct|class|extension) (\w+Tests)\b/, /func `?(\w+)/)
    for path in paths where path.hasSuffix("Tests.swift") {
      let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
      var suite = ""
      var isTest = false
      for line in text.split(separator: "\n") {
        if let match = line.firstMatch(of: suites) {
          suite = String(match.1)
        }
        isTest = isTest || line.contains("@Test")
        if isTest, let match = line.firstMatch(of: functions) {
          tests.insert("\(suite).\(match.1)")
          isTest = false
        }
      }
    }
    return tests
  }
}
