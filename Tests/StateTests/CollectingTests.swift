import Foundation
import TesseraPlan
import TesseraTestSupport
import Testing

@testable import TesseraState

/// Rows that nothing names leave the state after a while.
@Suite struct CollectingTests {
  private let folder: TemporaryFolder
  private let path: String
  private static let day = 86_400.0

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("state")
  }

  private static let confirmation = Confirmation(
    etag: "e", lastModified: nil, checked: 1, freshUntil: nil, run: 1)

  private static let digest = "0123456789abcdef"

  static func quality(run: Int) -> QualityRecord {
    QualityRecord(
      recipe: "search webp",
      found: FoundQuality(
        quality: 72, score: 67.125, worstTile: -3.5, size: Size(256, 9), encodes: 4,
        isGraphic: true), run: run)
  }

  /// A run of items, each an id that is also the name of its source, its content and all else. The key
  /// of the request differs from the source's.
  private func run(_ names: [String]) async throws {
    let state = try StateStore(path: path)
    let run = try await state.beginRun(boot: "1")
    _ = try await state.claim(
      names.map { .init(id: $0, line: 1, entry: $0) }, run: run)
    for name in names {
      var change = StateStore.SourceChange()
      change.source = SourceRecord(content: "c-\(name)", confirmation: Self.confirmation)
      change.header = HeaderRecord(
        format: "gif", width: 3, height: 4, hasAlpha: true, isAnimated: nil,
        confirmation: Self.confirmation)
      change.rejection = .save(
        RejectionRecord(
          settings: "s", kind: .rejected, code: "not-image", details: "[]", content: nil, etag: "e",
          place: "p", seen: 1))
      change.made = StateStore.Made(
        digest: "c-\(name)",
        content: ContentRecord(
          format: "gif", facts: SourceFacts(size: Size(3, 4), hasAlpha: true, frames: 1),
          warnings: []),
        variants: [
          ("v-\(name)", Self.file(name))
        ],
        placeholder: (
          "p-\(name)", Placeholders()
        ), run: run)
      change.made?.qualities = [
        (QualityRecord.key(content: "c-\(name)", digest: Self.digest), Self.quality(run: run))
      ]
      try await state.save(
        ItemResult(
          id: name, line: "{}", status: "ok", reasons: [], placeholder: "p-\(name)"), change,
        key: "s-\(name)", url: "r-\(name)")
    }
    try await state.endRun(run, .init(pipeline: "p", items: 1))
  }

  /// Of "a" it is that of an image, of which the state has the name without its folders.
  private static func file(_ name: String) -> VariantRecord {
    name == "a" ? Files.record(name) : Files.record(at: "tables/\(name)")
  }

  /// What a call does to each table: rows deleted, and rows waiting.
  private func collect(
    _ paths: [String], day: Double, grace: Double = 0, isDryRun: Bool = false
  ) async throws -> [String: [Int]] {
    let state = try StateStore(path: path)
    try await state.beginNaming()
    try await state.name(paths.map { Self.file($0).path }, by: .init("the catalog"))
    var counts: [String: [Int]] = [:]
    try await state.nameRows()
    for table in StateStore.Table.allCases {
      var last: String? = ""
      var sums = [0, 0]
      while let key = last {
        let part = try await state.collect(
          table, after: key, now: day * Self.day, grace: grace * Self.day, isDryRun: isDryRun)
        sums = [sums[0] + part.deleted, sums[1] + part.waiting]
        last = part.last
      }
      counts[table.rawValue] = sums
    }
    if !isDryRun { try await state.shrink() }
    return counts
  }

  /// The keys of all rows, by table.
  private func rows() throws -> [String: [String]] {
    let database = try Database(path, isReadOnly: true)
    var rows: [String: [String]] = [:]
    for table in StateStore.Table.allCases where table != .retired {
      let key = table == .contents ? "content" : "key"
      var keys: [String] = []
      try database.prepare("SELECT \(key) FROM \(table.rawValue) ORDER BY 1").run {
        keys.append($0.text(0))
      }
      rows[table.rawValue] = keys
    }
    return rows
  }

  private static func rows(of names: [String]) -> [String: [String]] {
    let letters = [
      "sources": "s", "headers": "s", "rejections": "r", "contents": "c", "placeholders": "p",
      "variants": "v",
    ]
    var rows = letters.mapValues { letter in names.map { "\(letter)-\($0)" }.sorted() }
    rows["qualities"] = names.map { "c-\($0)\(digest)" }.sorted()
    return rows
  }

  /// The same number of rows in each table that has a time, and of files' records.
  private static func counts(_ timed: [Int], files: [Int]) -> [String: [Int]] {
    var counts: [String: [Int]] = ["variants": files, "retired": [0, 0]]
    for table in [
      "sources", "headers", "rejections", "contents", "placeholders", "qualities",
    ] {
      counts[table] = timed
    }
    return counts
  }

  @Test func whatNoItemNeedsIsDeleted() async throws {
    try await run(["a", "b"])
    try await run(["b", "c"])
    #expect(try rows() == Self.rows(of: ["a", "b", "c"]))
    let dry = try await collect(["b", "c"], day: 1, isDryRun: true)
    #expect(dry == Self.counts([1, 0], files: [1, 0]))
    #expect(try rows() == Self.rows(of: ["a", "b", "c"]))
    #expect(try await collect(["b", "c"], day: 1) == dry)
    #expect(try rows() == Self.rows(of: ["b", "c"]))
    #expect(try await collect(["b", "c"], day: 1) == Self.counts([0, 0], files: [0, 0]))
  }

  @Test func unnamedRowsWaitForTheGracePeriod() async throws {
    try await run(["a", "b"])
    try await run(["b"])
    // The file waits as well, so its path is named.
    func prune(_ day: Double, isDryRun: Bool = false) async throws -> [String: [Int]] {
      try await collect(["a", "b"], day: day, grace: 7, isDryRun: isDryRun)
    }
    let waiting = Self.counts([0, 1], files: [0, 0])
    // A dry run does not begin the time.
    for (day, isDryRun) in [(0.0, true), (1, false), (7.9, true), (7.9, false)] {
      #expect(try await prune(day, isDryRun: isDryRun) == waiting, "day \(day)")
    }
    // Named again for a while: the time begins again.
    try await run(["a", "b"])
    #expect(try await prune(8) == Self.counts([0, 0], files: [0, 0]))
    try await run(["b"])
    for day in [9.0, 15.9] { #expect(try await prune(day) == waiting, "day \(day)") }
    // The clock was ahead: a moment in the future counts as now.
    #expect(try await prune(3) == waiting)
    #expect(try await prune(9.9) == waiting)
    #expect(try await prune(10) == Self.counts([1, 0], files: [0, 0]))
    #expect(try rows()["sources"] == ["s-b"])
    #expect(try rows()["variants"] == ["v-a", "v-b"])
  }

  /// An item may come back without being saved again, if it is found to stand.
  @Test func aRowThatIsNamedAgainWaitsAnew() async throws {
    try await run(["a"])
    let database = try Database(path)
    try database.execute("UPDATE sources SET retired = 0; UPDATE contents SET retired = 0")
    #expect(try await collect(["a"], day: 9, grace: 7)["sources"] == [0, 0])
    try database.execute("DELETE FROM items")
    #expect(try await collect([], day: 10, grace: 7)["sources"] == [0, 1])
    #expect(try await collect([], day: 10, grace: 7)["contents"] == [0, 1])
  }

  /// Notes of files that are gone for another reason go, too.
  @Test func notesOfLostFilesAreDeleted() async throws {
    try await run(["a"])
    let state = try StateStore(path: path)
    let paths = ["a", "b"].map { Self.file($0).path }
    for path in paths { _ = try await state.retired(path, now: 1, notes: true) }
    try await state.commit()
    #expect(try await collect(["a"], day: 1, grace: 7)["retired"] == [1, 0])
    #expect(try await state.retired(paths[0], now: 5, notes: false) == 1)
    #expect(try await state.retired(paths[1], now: 5, notes: false) == 5)
  }

  /// The file shrinks, also one of an earlier version, in many parts.
  @Test func theFileShrinks() async throws {
    try await run(["a"])
    func fill() throws {
      try Database(path).execute(
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 25000)
        INSERT INTO headers (key, format, width, height, alpha, checked, run)
          SELECT printf('h%063d', i), 'gif', 1, 1, 0, 1, 1 FROM n;
        PRAGMA wal_checkpoint(TRUNCATE)
        """)
    }
    func size() throws -> Int {
      try Database(path).execute("PRAGMA wal_checkpoint(TRUNCATE)")
      return try folder.read("state").count
    }
    let small = try size()
    // The first time the file is rewritten, and later it gives back what it does not need.
    for isIncremental in [false, true] {
      try fill()
      #expect(try size() > small + 1_000_000)
      #expect(
        try Database(path).prepare("PRAGMA auto_vacuum").first([]) { $0.int(0) }
          == (isIncremental ? 2 : 0))
      #expect(try await collect(["a"], day: 1)["headers"] == [25_000, 0])
      #expect(try size() < small + 20_000)
    }
    #expect(try rows() == Self.rows(of: ["a"]))
  }
}
