import TesseraCatalog
import Testing

@testable import TesseraPipeline
@testable import tessera

/// The end of a run in words.
@Suite struct RunSummaryTests {
  private static func lines(
    shard: String? = nil, output: String = "out", again: [String] = ["tessera", "run"],
    _ change: (inout RunReport) -> Void
  ) -> [String] {
    var report = RunReport()
    report.counts = ["ok": 2]
    change(&report)
    return RunSummary(report, output: output, again: again, shard: shard).lines
  }

  private static func item(_ number: Int, _ time: Duration) -> ItemReport {
    var item = ItemReport(id: "s\(number)", position: number, status: .ok)
    item.transcoding = time
    return item
  }

  /// Who names an image of which nothing is due learns why nothing happened.
  @Test func aNamedImageThatIsFreshIsNamed() {
    let idle =
      "no source was requested, as none is due; with --refresh they are fetched and made again"
    #expect(Self.lines { $0.others = 5 }[1] == idle)
    #expect(
      Self.lines { ($0.others, $0.requests) = (5, 1) }.contains(idle) == false)
    #expect(
      Self.lines { ($0.others, $0.bytesFetched) = (5, 1) }.contains(idle) == false)
    #expect(Self.lines { _ in }.contains(idle) == false)
  }

  @Test func aRunIsSummedUp() {
    let lines = Self.lines { report in
      report.counts = ["ok": 10, "stale": 1, "failed": 5, "pending": 2]
      report.notReached = 2
      report.before = 20
      report.forgotten = 3
      report.changes = [.new: 4, .reused: 6]
      report.errors = ["dns": 2, "decode": 1, "run-deadline": 2, "tls": 3]
      report.examples = [
        "dns": .init(id: "p 2", message: "no name", position: 2),
        "tls": .init(id: "p3", message: "not trusted", position: 3),
        "run-deadline": .init(id: "p1", message: "too late", position: 1),
      ]
      report.problemCount = 1
      (report.variantsAsked, report.variantsMade, report.variantsReused) = (30, 1, 20)
      (report.bytesWritten, report.sourceBytes, report.decodes) = (1_000, 10_000, 2)
      (report.bytesFetched, report.requests, report.retries) = (12_000, 1, 1)
      report.seconds = 61
      (report.fetching, report.transcoding) = (.seconds(2), .milliseconds(500))
      report.slowest = (1...6).map { Self.item($0, .seconds(7 - $0)) }
    }
    #expect(
      lines.joined(separator: "\n") == """
        18 images, 2 fewer than in the last run, 3 forgotten and left out: \
        10 ok, 1 stale, 3 failed, 2 not reached, 2 pending (4 new, 6 reused)
          3 tls, such as p3: not trusted
          2 dns, such as p 2: no name
          2 run-deadline, such as p1: too late
          1 decode
        1 line of the manifest could not be used
        1 file made (1.0 kB) from 2 images (10.0 kB), 20 reused
        12.0 kB fetched in 1 request, 1 retry
        1 min 1 s, in which requests took 2.0 s and workers 0.5 s, several at a time
        slowest: s1 6.0 s, s2 5.0 s, s3 4.0 s, s4 3.0 s, s5 2.0 s
        next: tessera why out 'p 2', and when its cause is gone, tessera run --retry-failed; \
        the others: tessera gallery out
        """)
  }

  @Test(arguments: [(109.9, nil), (110, "10.0 %"), (250, "150 %")] as [(Double, String?)])
  func theCostOfViewsIsNoted(_ bytes: Double, _ share: String?) {
    let lines = Self.lines { report in
      (report.sourceBytes, report.decodes) = (10_000, 2)
      report.views = ViewCost(views: 7, bytes: bytes, exactBytes: 100)
    }
    let found = lines.filter { $0.hasPrefix("rounded ") }
    #expect(
      found
        == (share.map {
          [
            "rounded sizes cost visitors \($0) more bytes; tessera plan --fit 8 finds sizes that cost less"
          ]
        } ?? []))
  }

  @Test func aRunWithoutChangesIsShort() {
    let start = ["2 images: 2 ok", "0 files made (0 B), 0 reused"]
    let end = ["0 B fetched in 0 requests", "0.0 s", "next: tessera gallery out"]
    #expect(Self.lines { _ in } == start + end)
    #expect(Self.lines { $0.before = 2 } == start + end)
    #expect(Self.lines { $0.before = 1 } == start + end)
    #expect(Self.lines { $0.counts = [:] }[0] == "0 images")
    #expect(Self.lines { $0.before = 3 }[0] == "2 images, 1 fewer than in the last run: 2 ok")
    #expect(Self.lines(shard: "0/2") { $0.before = 3 }[0] == "2 images: 2 ok")
    #expect(
      Self.lines { ($0.bytesFetched, $0.retries) = (5, 2) }[2]
        == "5 B read from files, 2 retries")
    #expect(
      Self.lines { ($0.bytesFetched, $0.requests) = (5, 2) }[2] == "5 B fetched in 2 requests")
    #expect(
      Self.lines { ($0.variantsDelivered, $0.variantsAsked, $0.sourceBytes) = (4, 1, 9) }[1]
        == "4 files of an image service")
  }

  @Test func timesThatAreShortAreLeftOut() {
    func times(_ fetching: Int, _ transcoding: Int) -> String {
      Self.lines {
        ($0.fetching, $0.transcoding) = (.milliseconds(fetching), .milliseconds(transcoding))
      }[3]
    }
    #expect(times(24, 25) == "0.0 s")
    #expect(
      times(25, 25) == "0.0 s, in which requests took 0.0 s and workers 0.0 s, several at a time")
    func slowest(_ times: [Int], total: Int = 6, decodes: Int = 1) -> String? {
      Self.lines { report in
        (report.counts, report.decodes) = (["ok": total], decodes)
        report.slowest = times.enumerated().map { Self.item($0, .milliseconds($1)) }
      }.first { $0.hasPrefix("slowest") }
    }
    #expect(slowest([60, 50, 49]) == "slowest: s0 0.1 s, s1 0.1 s")
    #expect(slowest([49]) == nil && slowest([]) == nil)
    // Of five images all would be named, and without a decoder none was slow.
    #expect(slowest([90], total: 5) == nil && slowest([90], decodes: 0) == nil)
  }

  @Test func tenReasonsAreListed() {
    func failures(_ count: Int) -> [String] {
      Self.lines { report in
        for number in 10..<10 + count { report.errors["e\(number)"] = 1 }
      }.filter { $0.hasPrefix("  ") }
    }
    let ten = (10..<20).map { "  1 e\($0)" }
    #expect(failures(10) == ten)
    #expect(failures(12) == ten + ["  and 2 other reasons; run.json has all of them"])
    #expect(Self.lines { $0.problemCount = 2 }[1] == "2 lines of the manifest could not be used")
  }

  /// Words as a shell needs them.
  @Test func theNextCommandCanBeCopied() {
    func next(
      _ output: String, _ again: [String] = [], shard: String? = nil,
      _ examples: [String: String] = [:]
    ) -> String? {
      Self.lines(shard: shard, output: output, again: ["tessera", "run"] + again) { report in
        for (code, id) in examples {
          report.examples[code] = .init(id: id, message: "m", position: 0)
        }
      }.last
    }
    #expect(next("a b") == "next: tessera gallery 'a b'")
    #expect(next("it's") == "next: tessera gallery 'it'\\''s'")
    #expect(next("") == "next: tessera gallery ''")
    #expect(next("/a_b/c.d:e,f@g%h+i=j-1") == "next: tessera gallery /a_b/c.d:e,f@g%h+i=j-1")
    #expect(
      next("o p", shard: "1/8")
        == "next: when all shards are done, tessera merge 'o p'  # 1/8")
    #expect(
      next("o", ["my feed"], ["run-deadline": "a"]) == "next: tessera run 'my feed', which goes on")
    let again =
      "and when its cause is gone, tessera run 'my feed' --retry-failed; the others: tessera gallery o"
    #expect(
      next("o", ["my feed"], ["run-deadline": "a", "dns": "c", "tls": "b"])
        == "next: tessera why o b, \(again)")
    #expect(next("o", ["my feed"], ["dns": "-c"]) == "next: tessera why -- o -c, \(again)")
  }
}

/// What a run says of changes.
@Suite struct ChangeSummaryTests {
  private static func summary(
    shard: String? = nil, _ change: (inout RunReport) -> Void
  ) -> RunSummary {
    var report = RunReport()
    report.counts = ["ok": 2]
    report.changes = [.reused: 2]
    report.before = 2
    change(&report)
    return RunSummary(report, output: "out", again: ["tessera", "run"], shard: shard)
  }

  @Test func whatIsNewIsNamed() {
    let lines = Self.summary { report in
      report.failures = [.new: 3, .known: 12, .solved: 5]
      for (number, host) in ["", "cdn.example", "cdn.example"].enumerated() {
        var item = ItemReport(id: "\(number)", position: number, status: .stale)
        (item.host, item.confirmed) = (host, Double(86_400 * (number + 1)))
        report.addStale(item)
      }
    }.lines
    #expect(
      lines[1...3] == [
        "failures since the last run: 3 new, 12 known, 5 solved",
        "2 images of cdn.example shown as before, last confirmed 1970-01-04T00:00:00Z",
        "1 image shown as before, last confirmed 1970-01-02T00:00:00Z",
      ])
    let first = Self.summary { ($0.before, $0.failures) = (nil, [.new: 3]) }.lines
    #expect(first[1] == "failures: 3 new")
  }

  @Test func anHourWithoutChangesIsOneLine() {
    #expect(
      Self.summary { _ in }.line
        == "2 images: 2 ok (2 reused); nothing has changed: 0 B fetched in 0 requests, 0.0 s")
    // What fails as before, and where, is said all the same.
    let failing = Self.summary { report in
      (report.failures, report.errors) = ([.known: 3], ["dns": 1, "tls": 2])
      var item = ItemReport(id: "a", position: 0, status: .stale)
      (item.host, item.confirmed) = ("cdn.example", 86_400)
      report.addStale(item)
    }.line
    #expect(
      failing == "2 images: 2 ok (2 reused); nothing has changed: as before 2 tls, 1 dns; "
        + "1 image of cdn.example shown as before, last confirmed 1970-01-02T00:00:00Z; "
        + "0 B fetched in 0 requests, 0.0 s")
    let changes: [(String, (inout RunReport) -> Void)] = [
      ("new", { $0.changes[.new] = 1 }), ("changed", { $0.changes[.changed] = 1 }),
      ("failing", { $0.failures = [.new: 1] }), ("solved", { $0.failures = [.solved: 1] }),
      ("made", { $0.variantsMade = 1 }), ("decoded", { $0.decodes = 1 }),
      ("tables", { $0.tablesMade = 1 }), ("upgraded", { $0.upgradedImages = 1 }),
      ("fewer", { $0.before = 3 }), ("of some", { $0.others = 1 }),
      ("problems", { $0.problemCount = 1 }), ("not reached", { $0.notReached = 1 }),
      ("forgotten", { $0.forgotten = 1 }), ("encoded", { $0.encodedURLs = 1 }),
      ("warned", { $0.warnings = ["w"] }), ("replaced", { $0.hasReplaced = true }),
      ("incomplete", { $0.isIncomplete = true }),
    ]
    for (name, change) in changes {
      #expect(Self.summary(change).line == nil, "\(name)")
    }
    #expect(Self.summary(shard: "0/2") { _ in }.line == nil)
  }
}
