import TesseraJSON
import Testing

@testable import tessera

/// A report that was put together from those of its shards, and that of `merge`.
@Suite struct MergedReportTests {
  private static func merged(_ reports: String...) throws -> String? {
    var sum = MergedRunReport()
    for report in reports { sum.add(try JSONParser.parse(Array(report.utf8))) }
    return sum.json.map { String(decoding: $0, as: UTF8.self).filter { $0 != " " && $0 != "\n" } }
  }

  @Test func theBestStatusIsFirst() {
    var report = MergeReport()
    #expect(report.countsInOrder.isEmpty)
    report.counts = ["pending": 4, "failed": 3, "stale": 2, "ok": 1]
    #expect(
      report.countsInOrder.map { "\($0.count) \($0.status)" } == [
        "1 ok", "2 stale", "3 failed", "4 pending",
      ])
  }

  @Test func withoutReportsThereIsNone() throws { #expect(try Self.merged() == nil) }

  @Test func oneReportStaysWhatItIs() throws {
    var sum = MergedRunReport()
    sum.add(try JSONParser.parse(Array(#"{"b":1.50,"a":[]}"#.utf8)))
    #expect(
      sum.json.map { String(decoding: $0, as: UTF8.self) } == """
        {
          "b": 1.50,
          "a": []
        }

        """)
  }

  @Test(arguments: [
    // Counts are added up, of the longest time and the highest memory the larger one remains.
    (
      #"{"items":{"ok":3,"all":4}}"#, #"{"items":{"all":5,"ok":1}}"#, #"{"items":{"ok":4,"all":9}}"#
    ),
    // A host that bans several shards is one; those without a name stay apart.
    (
      #"{"bans":[{"host":"a","answers":9,"rejected":8},{"answers":5,"rejected":5}]}"#,
      #"{"bans":[{"host":"b","answers":6,"rejected":6},{"host":"a","answers":2,"rejected":2},{"answers":5,"rejected":5}]}"#,
      #"{"bans":[{"host":"a","answers":11,"rejected":10},{"answers":5,"rejected":5},"#
        + #"{"host":"b","answers":6,"rejected":6},{"answers":5,"rejected":5}]}"#
    ),
    (#"{"share":0.5}"#, #"{"share":0.25}"#, #"{"share":0.75}"#),
    (#"{"share":1}"#, #"{"share":0.25}"#, #"{"share":1.25}"#),
    (#"{"seconds":1.5}"#, #"{"seconds":1.25}"#, #"{"seconds":1.5}"#),
    (#"{"seconds":1}"#, #"{"seconds":2}"#, #"{"seconds":2}"#),
    (#"{"seconds":2}"#, #"{"seconds":2.0}"#, #"{"seconds":2}"#),
    (
      #"{"m":{"peakMemoryBytes":7}}"#, #"{"m":{"peakMemoryBytes":9}}"#,
      #"{"m":{"peakMemoryBytes":9}}"#
    ),
    (
      #"{"m":{"peakMemoryBytes":9}}"#, #"{"m":{"peakMemoryBytes":7}}"#,
      #"{"m":{"peakMemoryBytes":9}}"#
    ),
    // The first start.
    (#"{"started":"2026-02"}"#, #"{"started":"2026-01"}"#, #"{"started":"2026-01"}"#),
    (#"{"started":"2026-01"}"#, #"{"started":"2026-02"}"#, #"{"started":"2026-01"}"#),
    // What only one has.
    (#"{"b":1}"#, #"{"c":2,"a":3}"#, #"{"b":1,"c":2,"a":3}"#),
    (
      #"{"errors":{"z":1,"b":2}}"#, #"{"errors":{"a":3,"z":4}}"#, #"{"errors":{"a":3,"b":2,"z":5}}"#
    ),
    (
      #"{"examples":{"z":{"id":"p"}}}"#, #"{"examples":{"a":{"id":"q"},"z":{"id":"r"}}}"#,
      #"{"examples":{"a":{"id":"q"},"z":{"id":"p"}}}"#
    ),
    // Other values, and values of two types.
    (#"{"is":true}"#, #"{"is":false}"#, #"{"is":true}"#), (#"{"n":1}"#, #"{"n":"x"}"#, #"{"n":1}"#),
    // A warning of two shards is listed once.
    (#"{"w":["a","b"]}"#, #"{"w":["c","a"]}"#, #"{"w":["a","b","c"]}"#),
    (
      #"{"slowest":[{"seconds":3},{"seconds":1}]}"#, #"{"slowest":[{"seconds":2},{"seconds":3}]}"#,
      #"{"slowest":[{"seconds":3},{"seconds":3},{"seconds":2},{"seconds":1}]}"#
    ),
  ])
  func reportsAreAddedUp(_ one: String, _ other: String, _ sum: String) throws {
    #expect(try Self.merged(one, other) == sum)
    #expect(try Self.merged(one, "{}", other) == sum)
  }

  /// Lists do not grow with the shards.
  @Test func listsAreBounded() throws {
    func list(_ numbers: some Sequence<Int>) -> String {
      numbers.map { "{\"seconds\":\($0)}" }.joined(separator: ",")
    }
    #expect(
      try Self.merged(
        "{\"slowest\":[\(list(0..<6))]}", "{\"slowest\":[\(list(6..<12))]}")
        == "{\"slowest\":[\(list((2..<12).reversed()))]}")
    #expect(
      try Self.merged("{\"w\":[\(list(0..<60))]}", "{\"w\":[\(list(60..<120))]}")
        == "{\"w\":[\(list(0..<100))]}")
  }

  @Test(
    arguments: [
      ([:], 0, false), (["ok": 3, "pending": 1], 0, false), (["failed": 1], 0, true),
      (["stale": 1], 0, true), (["ok": 9], 1, true), (["failed": 0, "stale": 0], 0, false),
      (["failed": 2, "stale": 3], 4, true),
    ] as [([String: Int], Int, Bool)])
  func whatIsAFailure(_ counts: [String: Int], _ problems: Int, _ hasFailures: Bool) {
    var report = MergeReport()
    #expect(!report.hasFailures)
    (report.counts, report.problems) = (counts, problems)
    #expect(report.hasFailures == hasFailures)
  }

  @Test func theReportIsJSON() {
    var report = MergeReport()
    #expect(
      String(decoding: report.json, as: UTF8.self) == """
        {
          "schema": "tessera-merge/1",
          "catalog": "",
          "shards": 0,
          "images": 0,
          "counts": {},
          "manifestProblems": 0,
          "copied": 0,
          "copiedBytes": 0,
          "standing": 0
        }

        """)
    (report.shards, report.images, report.problems) = (2, 5, 3)
    (report.copied, report.copiedBytes, report.catalog) = (4, 44, "out/catalog.json")
    report.counts = ["stale": 1, "ok": 2, "failed": 2]
    report.standing = 6
    #expect(
      String(decoding: report.json, as: UTF8.self) == """
        {
          "schema": "tessera-merge/1",
          "catalog": "out/catalog.json",
          "shards": 2,
          "images": 5,
          "counts": {
            "failed": 2,
            "ok": 2,
            "stale": 1
          },
          "manifestProblems": 3,
          "copied": 4,
          "copiedBytes": 44,
          "standing": 6
        }

        """)
  }
}
