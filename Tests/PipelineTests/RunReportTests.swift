import Foundation
import TesseraCatalog
import TesseraManifest
import TesseraNet
import TesseraState
import TesseraSystem
import TesseraTestSupport
import Testing

@testable import TesseraPipeline

/// The document `run.json`, as whole texts.
@Suite struct RunReportTests {
  private static func report() -> RunReport {
    var report = RunReport()
    (report.started, report.seconds, report.before) = (1_767_268_800, 12.3456, 99)
    report.counts = ["ok": 1, "stale": 2, "failed": 3, "pending": 4]
    (report.notReached, report.forgotten) = (5, 6)
    report.changes = [.new: 7, .changed: 8, .reused: 9]
    report.errors = ["tls": 11, "dns": 10]
    report.examples = [
      "tls": RunReport.Example(id: "b", message: "No certificate.", position: 98),
      "dns": RunReport.Example(id: "a", message: "No name.", position: 97),
    ]
    (report.problems, report.problemCount) = ([ManifestProblem(line: 12, message: "odd")], 13)
    report.encodedURLs = 39
    report.failures = [.new: 1, .known: 42, .solved: 43]
    var item = ItemReport(id: "n", position: 99, status: .stale)
    (item.failure, item.host, item.confirmed) = (.new, "h:8443", 44)
    report.add(.init(code: "tls", message: "It is gone.", retryable: false), of: item)
    report.errors["tls"] = 11
    report.addStale(item)
    report.bans = [HostBan(host: "h:8443", answers: 41, rejected: 40)]
    (report.requests, report.retries, report.notModified, report.bytesFetched) = (14, 15, 16, 17)
    (report.fetching, report.transcoding) = (.milliseconds(18_500), .milliseconds(30_250))
    (report.variantsAsked, report.variantsDelivered, report.variantsMade) = (19, 20, 21)
    (report.variantsReused, report.bytesWritten, report.variantsStanding) = (22, 23, 40)
    (report.upgradedImages, report.upgradedFiles, report.upgradedBytes) = (34, 35, 36)
    (report.upgradesWaiting, report.upgradeSeconds) = (37, 38.5)
    (report.tablesMade, report.tablesReused, report.tablesLeftOut) = (24, 25, 26)
    (report.tablesUnmade, report.decodes, report.sourceBytes) = (96, 27, 28)
    report.views = ViewCost(views: 3, bytes: 150, exactBytes: 100)
    (report.workers, report.workersReplaced, report.peakMemory) = (29, 31, 32)
    report.slowest = [
      ItemReport(
        id: "c", position: 1, status: .ok, fetching: .seconds(2), transcoding: .milliseconds(500))
    ]
    report.warnings = ["one", "two"]
    return report
  }

  private static let items = """
    {
      "schema": "tessera-run/1",
      "started": "2026-01-01T12:00:00Z",
      "seconds": 12.346,
      "items": {
        "total": 10,
        "ok": 1,
        "stale": 2,
        "failed": 3,
        "pending": 4,
        "notReached": 5,
        "forgotten": 6,
        "encodedURLs": 39,
        "others": 0
      },
      "changes": {
        "new": 7,
        "changed": 8,
        "reused": 9
      },
      "errors": {
        "dns": 10,
        "tls": 11
      },
      "examples": {
        "dns": {
          "id": "a",
          "message": "No name."
        },
        "tls": {
          "id": "b",
          "message": "No certificate."
        }
      },
      "failures": {
        "new": 1,
        "known": 42,
        "solved": 43,
        "firstNew": [
          {
            "id": "n",
            "message": "It is gone."
          }
        ]
      },
      "stale": [
        {
          "host": "h:8443",
          "images": 1,
          "confirmed": "1970-01-01T00:00:44Z"
        }
      ],
      "manifestProblems": {
        "total": 13,
        "first": [
          {
            "line": 12,
            "message": "odd"
          }
        ]
      },

    """

  private static let work = """
      "bans": [
        {
          "host": "h:8443",
          "answers": 41,
          "rejected": 40
        }
      ],
      "fetch": {
        "requests": 14,
        "retries": 15,
        "notModified": 16,
        "bytes": 17,
        "transferSeconds": 18.5
      },
      "variants": {
        "asked": 19,
        "delivered": 20,
        "made": 21,
        "reused": 22,
        "standing": 40,
        "bytesWritten": 23
      },
      "upgrade": {
        "images": 34,
        "files": 35,
        "bytes": 36,
        "waiting": 37,
        "jobSeconds": 38.5
      },
      "tables": {
        "made": 24,
        "reused": 25,
        "leftOut": 26
      },
      "decodes": 27,
      "headerDiffers": 0,
      "sourceBytes": 28,
      "view": {
        "bytes": 50,
        "exactBytes": 33
      },
      "workers": {
        "count": 29,
        "jobSeconds": 30.25,
        "replaced": 31
      },
      "peakMemoryBytes": 32,
      "slowest": [
        {
          "id": "c",
          "seconds": 2.5,
          "fetchSeconds": 2,
          "transcodeSeconds": 0.5
        }
      ],
      "warnings": [
        "one",
        "two"
      ]
    }

    """

  @Test func theDocumentHasEverythingInItsPlace() {
    let report = Self.report()
    #expect(String(decoding: report.json, as: UTF8.self) == Self.items + Self.work)
    #expect((report.total, report.failed, report.hasFailures) == (10, 5, true))
    #expect((report.fetchSeconds, report.transcodeSeconds) == (18.5, 30.25))
    #expect(report.slowest.map(\.ownSeconds) == [2.5])
  }

  /// Paths of the output may be private, and its files are named as they are in it.
  @Test func warningsNameFilesOfTheOutputFromThere() throws {
    var report = RunReport()
    report.warnings = [
      "\"/a/b/catalog.json\" and \"/a/x\" differ from \"/b/y\"", "\"/a/bc\"", "/a/x", "a \"/a\"",
    ]
    let text = String(decoding: report.json(below: ["/a", "/a/b"]), as: UTF8.self)
    #expect(
      text.hasSuffix(
        """
          "warnings": [
            "\\"catalog.json\\" and \\"x\\" differ from \\"/b/y\\"",
            "\\"bc\\"",
            "/a/x",
            "a \\"/a\\""
          ]
        }

        """), "\(text)")
    // Also by the path without links.
    let folder = try TemporaryFolder()
    let path = folder.path("..") + "/" + folder.url.lastPathComponent
    report.warnings = ["\"\(folder.url.path)/f\"", "\"\(path)/g\""]
    let resolved = String(decoding: report.json(below: [path]), as: UTF8.self)
    #expect(resolved.contains("[\n    \"\\\"f\\\"\",\n    \"\\\"g\\\"\"\n  ]"), "\(resolved)")
  }

  @Test(arguments: [
    (["ok": 5, "pending": 1], 0, false, false), (["failed": 1], 0, false, true),
    (["stale": 1], 0, false, true), ([:], 1, false, true), ([:], 0, true, true),
  ])
  func anythingThatIsNotAsItShouldBeIsAFailure(
    _ counts: [String: Int], _ problems: Int, _ isIncomplete: Bool, _ expected: Bool
  ) {
    var report = RunReport()
    (report.counts, report.problemCount, report.isIncomplete) = (counts, problems, isIncomplete)
    #expect(report.hasFailures == expected)
  }

  /// A catalog without URLs has a report without them.
  @Test func hostsAreNamedOnlyIfURLsAreShown() {
    var report = Self.report()
    report.showsHosts = false
    let text = String(decoding: report.json, as: UTF8.self)
    #expect(!text.contains("h:8443") && text.contains("\"rejected\": 40"))
  }
}
