import Foundation
import TesseraJSON
import TesseraManifest
import TesseraPipelineFile
import TesseraPlan
import TesseraSystem
import TesseraTestSupport
import Testing

@testable import TesseraOutput
@testable import TesseraState
@testable import tessera

/// What `why` says of an item.
@Suite struct ExplanationTests {
  private let small: SmallOutput

  init() throws { small = try SmallOutput() }

  /// Writes the state and the catalog of a run.
  private func write(_ items: [SmallState.Item]) async throws {
    try await SmallState.write(items, to: try small.statePath)
    try small.write(SmallOutput.document(items.map(\.line)), to: "catalog.json")
  }

  private func why(_ id: String) async throws -> String {
    String(decoding: try await Explanation.of(id, in: small.root).json, as: UTF8.self)
  }

  private static func item(
    _ id: String, _ line: String? = nil, _ reasons: [Reason] = [], content: String? = nil
  ) -> SmallState.Item {
    SmallState.Item(
      id: id, line: line ?? SmallOutput.line(id), reasons: reasons, content: content, url: id)
  }

  @Test func anItemWithItsDecisions() async throws {
    try await write([
      Self.item("a", nil, [.unknownSource, .decoded(made: 1, reused: 2)], content: "cafe"),
      Self.item("b", content: "cafe"), Self.item("c", content: "cafe"),
    ])
    #expect(
      try await why("a") == """
        {
          "schema": "tessera-why/1",
          "id": "a",
          "line": 1,
          "status": "ok",
          "url": "https://example.com/a",
          "decisions": [
            "requested: the source was not known",
            "decoded: 1 file made, 2 reused"
          ],
          "sha256": "cafe",
          "sameBytesAs": "b"
        }

        """)
    #expect(try await why("c").contains("\"line\": 3,"))
    #expect(try await why("c").contains("\"sameBytesAs\": \"a\""))
  }

  /// What was decided before stands; that the catalog is an earlier one has to be said.
  @Test func aRunThatMadeNoCatalogIsNamed() async throws {
    try await write([Self.item("a")])
    for (second, reason) in [(1.0, nil), (2, TesseraError.Code.lostImages), (3, nil)]
      as [(Double, TesseraError.Code?)]
    {
      var entry = HistoryEntry(.run, ended: second, seconds: 1, reason == nil ? .done : .failed)
      (entry.run, entry.reason) = (Int(second), reason?.rawValue)
      let history = try small.workspace.readHistory()
      try small.workspace.writeHistory(history.adding(entry), after: history)
      let failure = try await Explanation.of("a", in: small.root).failure
      #expect(failure?.reason == reason?.rawValue)
      #expect(failure?.time == (reason == nil ? nil : "1970-01-01T00:00:02Z"))
    }
  }

  @Test func aFailureWithItsRemedy() async throws {
    let error = #","error":{"code":"too-large","message":"It is too large.","retryable":false}"#
    try await write([
      Self.item("a", SmallOutput.line("a", status: "failed", more: error)),
      Self.item(
        "file",
        #"{"id":"file","url":"file:a.png","status":"stale","error":{"code":"?","message":"m"}}"#,
        [.notModified]),
    ])
    #expect(
      try await why("a") == """
        {
          "schema": "tessera-why/1",
          "id": "a",
          "line": 1,
          "status": "failed",
          "url": "https://example.com/a",
          "decisions": [],
          "error": {
            "code": "too-large",
            "message": "It is too large.",
            "remedy": "offer a smaller file, or raise fetch.max-bytes",
            "retryable": false
          }
        }

        """)
    #expect(
      try await why("file") == """
        {
          "schema": "tessera-why/1",
          "id": "file",
          "line": 2,
          "status": "stale",
          "url": "file:a.png",
          "decisions": [
            "the file has not changed"
          ],
          "error": {
            "code": "?",
            "message": "m"
          }
        }

        """)
  }

  /// The decisions are worth showing without a line of the catalog, and say the error, too.
  @Test func withoutACatalogTheDecisionsRemain() async throws {
    try await SmallState.write(
      [
        Self.item("odd", "not JSON", [.notModified]),
        SmallState.Item(
          id: "bad", line: "{}", status: "failed",
          reasons: [.failed(code: "too-large", message: "It is too large.")], url: "bad"),
      ], to: try small.statePath)
    let bad = try await why("bad")
    #expect(bad.contains(#""message": "It is too large.""#) && bad.contains(#""remedy": "offer a"#))
    #expect(bad.contains(#""status": "failed""#) && !bad.contains(#""url""#))
    #expect(
      try await why("odd") == """
        {
          "schema": "tessera-why/1",
          "id": "odd",
          "line": 1,
          "status": "ok",
          "decisions": [
            "the server answered that it has not changed"
          ]
        }

        """)
  }

  @Test func anUnknownItemIsNotGuessed() async throws {
    #expect(
      await sentence { try await why("p") }
        == "\"\(small.root)\" holds no state (.tessera/state.sqlite); it must be the output of a run"
    )
    let start = "no item of the last run has the id \"p\""
    for (count, end) in [
      (0, ""), (1, #"; there are "p0""#), (3, #"; there are "p0", "p1", "p2""#),
      (4, #"; there are "p0", "p1", "p2" and others"#),
    ] {
      try await write((0..<count).map { Self.item("p\($0)") })
      #expect(await sentence { try await why("p") } == start + end)
    }
  }

  /// What the list says of an id that the last run did not have: a draft, a row without an image, or a new one.
  @Test(arguments: [
    (
      "hat",
      "; line 3 of the list has it, and does not say that it is published (\"published\" under columns; published: [] includes it)"
    ),
    ("bag", "; line 5 of the list has it, without an image"),
    ("new", "; line 6 of the list has it, and that run did not process it"),
    ("none", #"; there are "shirt""#),
  ])
  func theListSaysWhatIsNoImage(_ id: String, _ end: String) async throws {
    try await write([Self.item("shirt")])
    try small.folder.write(
      """
      Handle,Status,Image Src
      shirt,active,https://a/1.jpg
      hat,draft,https://a/2.jpg
      hat,,
      bag,active,
      new,active,https://a/3.jpg
      """, to: "list.csv")
    var pipeline = PipelineFile(reading: .file(small.folder.path("list.csv")))
    pipeline.columns = ColumnMapping([
      .url: ["Image Src"], .id: ["Handle"], .published: ["Status"],
    ])
    func said(_ pipeline: PipelineFile?) async -> String {
      await sentence {
        try await Explanation.of(id, in: small.root, of: pipeline)
      }
    }
    let start = #"no item of the last run has the id "\#(id)""#
    #expect(await said(pipeline) == start + end)
    // Without the pipeline, and for a list that would have to be fetched, the state alone answers.
    #expect(await said(nil).hasPrefix(start + "; there are"))
    pipeline.manifest = .url("https://a/list.csv")
    #expect(await said(pipeline) == (await said(nil)))
  }

  /// After a rollback the catalog may say something else than the last run.
  @Test func theCurrentCatalogMayBeAnEarlierOne() async throws {
    let failed = SmallOutput.line("a", status: "failed")
    try await small.publish(
      [SmallOutput.line("a"), SmallOutput.line("same"), SmallOutput.line("old")])
    try await small.publish([failed, SmallOutput.line("same"), SmallOutput.line("new")])
    try await write([Self.item("a", failed), Self.item("same"), Self.item("new")])
    #expect(try await !why("a").contains("statusInCatalog"))
    #expect(
      await sentence { try await why("old") }
        == #"no item of the last run has the id "old"; it left the catalog with that which was replaced at "#
        + "1970-01-01T00:00:00Z (tessera rollback --list)")
    #expect(
      await sentence { try await why("never") }
        == #"no item of the last run has the id "never"; there are "new""#)
    _ = try await Rollback(small.root, now: 9).run(to: 1)
    #expect(try await Explanation.of("a", in: small.root).statusInCatalog == "ok")
    #expect(try await why("a").hasSuffix(",\n  \"statusInCatalog\": \"ok\"\n}\n"))
    #expect(try await Explanation.of("same", in: small.root).statusInCatalog == nil)
    #expect(try await Explanation.of("new", in: small.root).statusInCatalog == "missing")
    #expect(
      await sentence { try await why("old") }
        == "no item of the last run has the id \"old\"; the current catalog is an earlier one (tessera "
        + "rollback), in which this image is ok")
    // One that was removed by hand is an error, and not taken for one without images.
    let kept = ".tessera/catalogs/\(try small.digest().prefix(32)).json"
    let text = try small.text(kept)
    try small.remove(kept)
    #expect(
      await sentence { try await why("a") }.hasPrefix("could not open \"\(small.root)/\(kept)\": "))
    try small.write(text, to: kept)
    #expect(
      await sentence { try await why("xyz") }.hasPrefix(
        "no item of the last run has the id \"xyz\"; there"))
  }

  // MARK: Qualities

  private static func quality(
    _ quality: Int, score: Double = 71.25, tile: Double = -0.04, encodes: Int = 3,
    isGraphic: Bool = false, _ recipe: String = "webp quality 40 to 92 for 72", run: Int = 1
  ) -> QualityRecord {
    QualityRecord(
      recipe: recipe,
      found: FoundQuality(
        quality: quality, score: score, worstTile: tile, size: Size(512, 300), encodes: encodes,
        isGraphic: isGraphic), run: run)
  }

  private static let graphic = "; flat areas or text: the default, if the range has it, or above"
  private static let miss = "; a higher one is outside quality-range"

  @Test(
    arguments: [
      (quality(77), "77 3 71.3 0.0", ""),
      (
        quality(40, score: 9.94, tile: -12.36, encodes: 1),
        "40 1 9.9 -12.4", ""
      ),
      (quality(77, encodes: 2, isGraphic: true), "77 2 71.3 0.0", graphic),
      // At the end of the range a score below the target by more than a point is a miss.
      (quality(92, score: 70.9), "92 3 70.9 0.0", miss),
      (quality(92, score: 71), "92 3 71.0 0.0", ""),
      (quality(91, score: 60), "91 3 60.0 0.0", ""),
      (quality(92, score: 60, isGraphic: true), "92 3 60.0 0.0", graphic + miss),
    ])
  func aFoundQualityIsAClause(_ record: QualityRecord, _ numbers: String, _ end: String) {
    let parts = numbers.split(separator: " ")
    let attempts = parts[1] == "1" ? "1 attempt" : "\(parts[1]) attempts"
    #expect(
      record.sentence == "a search found quality \(parts[0]) in \(attempts): SSIMULACRA 2.1 is "
        + "\(parts[2]), and \(parts[3]) in the worst tile (webp quality 40 to 92 for 72)\(end)")
  }

  @Test(arguments: [
    (100, "jpeg quality 40 to 100 for 95"), (99, "jpeg quality 40 to 100 for 95"),
    (92, "jpeg quality 92"),
  ])
  func theBestQualityIsNoMiss(_ quality: Int, _ recipe: String) {
    #expect(Self.quality(quality, score: 50, recipe).sentence.hasSuffix("(\(recipe))"))
  }

  @Test func theLastSearchComesFirst() async throws {
    let path = try small.statePath
    try await SmallState.write(
      [Self.item("a", content: "cafe")], to: path,
      qualities: [(1, "0", 60), (3, "1", 50), (2, "2", 70)].map { run, digest, quality in
        (QualityRecord.key(content: "cafe", digest: digest), Self.quality(quality, run: run))
      })
    let qualities = try await Explanation.of("a", in: small.root).qualities
    #expect(qualities.map { $0.split(separator: " ")[4] } == ["50", "70", "60"])
    #expect(
      try await why("a").contains("\"decisions\": [],\n  \"qualities\": [\n    \"a search found"))
  }

  // MARK: Remedies

  @Test(arguments: [
    ("not-found", "put the file back"), ("not-readable", "let the user"),
    ("symlink", "put the file itself there"), ("address-rejected", "permit the address"),
    ("http-status", "correct the URL in the manifest, or send"),
    ("bad-url", "correct the URL in the manifest"), ("unknown-slot", "correct \"slots\""),
    ("dns", "tessera doctor with the URL shows each"),
    ("network", "tessera doctor with the URL shows each"),
    ("tls", "tessera doctor with the URL shows each"),
    ("redirect", "tessera doctor with the URL shows each"),
    ("bad-response", "tessera doctor with the URL shows each"),
    ("timeout", "tessera doctor with the URL shows where the time goes"),
    ("too-large", "offer a smaller file"),
    ("too-many-pixels", "offer a smaller image, or raise limits.pixels"),
    ("too-many-frames", "offer a shorter animation"),
    ("unsupported-format", "offer another format"),
    ("not-image", "replace the file"), ("malformed", "replace the file"),
    ("truncated", "replace the file"), ("decode", "replace the file"),
    ("worker-timeout", "offer a smaller image, or raise limits.time"),
    ("out-of-memory", "offer a smaller image, or raise limits.memory"),
    ("run-deadline", "give the run more time"),
  ])
  func eachCodeHasItsRemedy(_ code: String, _ start: String) throws {
    func clause(_ retryable: Bool) throws -> String? {
      let text = #"{"code":"\#(code)","retryable":\#(retryable)}"#
      return ErrorWords.remedy(for: try JSONParser.parse(Array(text.utf8)))
    }
    #expect(try clause(false)?.hasPrefix(start) == true)
    #expect(
      try clause(true) == (code == "http-status" ? "wait until the server is well" : clause(false)))
  }

  @Test(arguments: ["{}", #"{"code":"other"}"#, #"{"code":7}"#])
  func otherErrorsHaveNone(_ error: String) throws {
    #expect(ErrorWords.remedy(for: try JSONParser.parse(Array(error.utf8))) == nil)
  }
}
