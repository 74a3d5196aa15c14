import TesseraJSON
import Testing

@testable import TesseraOutput
@testable import TesseraState
@testable import tessera

/// The reports of the tools.
@Suite struct ReportTests {
  @Test func reportsAreJSON() throws {
    var prune = PruneReport()
    prune.count(.kept(by: .init(OutputPlace.catalog.rawValue)), bytes: 1)
    prune.count(.kept(by: .init(OutputPlace.keptCatalogs.rawValue, until: 259_200)), bytes: 1)
    prune.count(.kept(by: .init(OutputPlace.keptCatalogs.rawValue, until: 86_400)), bytes: 1)
    prune.dropped = 1
    prune.count(.waiting(until: 172_800), bytes: 15)
    prune.count(.waiting(until: 86_400), bytes: 5)
    prune.count(.deleted, bytes: 300)
    prune.count(.deleted, bytes: 4_000)
    prune.count(rows: "sources", deleted: 5, waiting: 3)
    prune.count(rows: "headers", deleted: 0, waiting: 4)
    #expect(prune.deletedRows == 5)
    #expect(
      String(decoding: prune.json, as: UTF8.self) == """
        {
          "schema": "tessera-prune/1",
          "kept": 3,
          "keptBy": {
            "kept catalogs": 2
          },
          "keptUntil": "1970-01-04T00:00:00Z",
          "droppedCatalogs": 1,
          "deleted": 2,
          "deletedBytes": 4300,
          "waiting": 2,
          "waitingBytes": 20,
          "nextDeletion": "1970-01-02T00:00:00Z",
          "foreign": 0,
          "rows": {
            "sources": 5,
            "headers": 0
          },
          "waitingRows": 7
        }

        """)
    var verify = VerifyReport()
    verify.images = 3
    _ = verify.add(id: "a", path: "variants/x", "is missing")
    #expect(
      String(decoding: verify.json, as: UTF8.self) == """
        {
          "schema": "tessera-verify/1",
          "images": 3,
          "files": 0,
          "problemCount": 1,
          "removed": 0,
          "withoutDigest": 0,
          "served": 0,
          "bytesFetched": 0,
          "drafts": [],
          "problems": [
            {
              "id": "a",
              "path": "variants/x",
              "message": "The file is missing."
            }
          ]
        }

        """)
    let export = ExportReport(
      images: 2, empty: 1, files: 4, isRelative: true, withoutAlt: 3)
    #expect(
      String(decoding: export.json, as: UTF8.self) == """
        {
          "schema": "tessera-export/1",
          "images": 2,
          "empty": 1,
          "files": 4,
          "relative": true,
          "withoutAlt": 3
        }

        """)
  }

  /// All problems are counted, and the first 10,000 are listed.
  @Test func theListOfProblemsIsBounded() {
    var report = VerifyReport()
    for number in 0..<10_001 { _ = report.add(id: "\(number)", path: "", "is missing") }
    #expect(report.problemCount == 10_001)
    #expect(report.problems.count == 10_000)
  }
}
