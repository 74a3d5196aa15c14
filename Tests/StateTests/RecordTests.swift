import TesseraPlan
import TesseraTestSupport
import Testing

@testable import TesseraState

/// Each kind of record, whole: as SQLite has it, and as it is read again.
@Suite struct RecordTests {
  private let database: Database

  init() throws {
    database = try Database("")
    try Schema.prepare(database)
  }

  private static let confirmation = Confirmation(
    etag: "e", lastModified: "Mon", checked: 1000.5, freshUntil: 2000.25, run: 7)
  private static let confirmed = [
    "etag": "'e'", "last_modified": "'Mon'", "checked": "1000.5", "fresh_until": "2000.25",
    "run": "7",
  ]

  /// Saves a record, reads it, and compares its row, without the mark, as SQL literals.
  private func expect<Record: MarkedRecord & Equatable>(
    _ record: Record, stored: [String: String], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let table = try RecordTable<Record>(database)
    try table.save(record, key: "k")
    #expect(try table.find("k") == record, sourceLocation: sourceLocation)
    #expect(try table.find("l") == nil, sourceLocation: sourceLocation)
    let names = stored.keys.sorted()
    var row: [String: String] = [:]
    let columns = names.map { "quote(\($0))" }.joined(separator: ", ")
    try database.prepare("SELECT \(columns) FROM \(Record.table) WHERE \(Record.key) = 'k'").run {
      for (index, name) in names.enumerated() { row[name] = $0.text(Int32(index)) }
    }
    #expect(row == stored, sourceLocation: sourceLocation)
    let count = try database.prepare("SELECT count(*) FROM pragma_table_info(?)")
      .first([.text(Record.table)]) { $0.int(0) }
    // The key, the mark, and since when nothing names the row, or the run of a file.
    #expect(count == stored.count + 3, sourceLocation: sourceLocation)
  }

  @Test func sources() throws {
    try expect(
      SourceRecord(content: "c", confirmation: Self.confirmation, url: "u", robots: "noai"),
      stored: Self.confirmed.merging(["content": "'c'", "url": "'u'", "robots": "'noai'"]) { $1 })
    let bare = Confirmation(etag: nil, lastModified: nil, checked: 0, freshUntil: nil, run: 0)
    try expect(
      SourceRecord(content: "", confirmation: bare),
      stored: [
        "etag": "NULL", "last_modified": "NULL", "checked": "0.0", "fresh_until": "NULL",
        "run": "0", "content": "''", "url": "NULL", "robots": "NULL",
      ])
  }

  @Test(arguments: [(true, "1"), (false, "0"), (nil, "NULL")] as [(Bool?, String)])
  func headers(_ isAnimated: Bool?, _ stored: String) throws {
    try expect(
      HeaderRecord(
        format: "gif", width: 3, height: 4, hasAlpha: isAnimated != nil, isAnimated: isAnimated,
        frames: isAnimated == nil ? nil : 60, bytes: isAnimated == nil ? nil : 99,
        confirmation: Self.confirmation, place: "p"),
      stored: Self.confirmed.merging([
        "format": "'gif'", "width": "3", "height": "4", "alpha": isAnimated != nil ? "1" : "0",
        "animated": stored, "place": "'p'", "frames": isAnimated == nil ? "NULL" : "60",
        "bytes": isAnimated == nil ? "NULL" : "99",
      ]) { $1 })
  }

  @Test func contents() throws {
    var content = ContentRecord(
      format: "jpeg",
      facts: SourceFacts(
        size: Size(30, 40), hasAlpha: true, frames: 5, colourSpace: "cmyk", profile: "Display P3",
        headroom: 4.5),
      warnings: [.damagedProfile], pixels: Size(41, 31), orientation: 6)
    content.bytes = 99
    try expect(
      content,
      stored: [
        "format": "'jpeg'", "width": "30", "height": "40", "alpha": "1", "frames": "5",
        "warnings": "'[[\"damaged-profile\"]]'", "header_width": "41", "header_height": "31",
        "bytes": "99", "orientation": "6", "colour_space": "'cmyk'", "profile": "'Display P3'",
        "headroom": "4.5",
      ])
    // Half of a size is none.
    try change(content, "header_height", to: .null)
    content.pixels = nil
    #expect(try RecordTable<ContentRecord>(database).find("k") == content)
  }

  @Test func files() throws {
    try expect(
      Files.record(at: "tables/a"),
      stored: [
        "name": "'tables/a'", "width": "3", "height": "4", "bytes": "9", "sha256": "'ab'",
      ])
  }

  /// Saves a record with another value, which its mark covers.
  private func change<Record: MarkedRecord>(
    _ record: Record, _ column: String, to value: Statement.Value
  ) throws {
    var values = record.values
    values[try #require(Record.columns.firstIndex(of: column))] = value
    let columns = [Record.key] + Record.columns + ["mark"]
    try database.prepare(
      "INSERT OR REPLACE INTO \(Record.table) (\(columns.joined(separator: ", "))) VALUES ("
        + repeatElement("?", count: columns.count).joined(separator: ", ") + ")"
    ).run(RecordMark.row("k", values))
  }

  /// Of the path of a file of an image, the name is stored: the folders follow from it. The key follows from the path.
  @Test func pathsOfFiles() throws {
    let start = "0123456789abcdef0123456789abcdef-3x4"
    let recipe = "fedcba9876543210"
    let table = try RecordTable<VariantRecord>(database)
    for (folder, name, isShort) in [
      ("variants/01/23", "\(start)-\(recipe).webp", true),
      ("variants/01/23", "\(start)-89abcdef-\(recipe).webp", true),
      ("variants/01/23", "\(start)-\(recipe)", false), ("variants/01/23", "a", false),
      ("variants/01/24", "\(start)-\(recipe).webp", false),
      ("variants/01", "\(start)-\(recipe).webp", false), ("tables/01", "\(start).webp", false),
    ] {
      let record = Files.record(at: "\(folder)/\(name)")
      let key = VariantRecord.key(path: record.path)
      #expect(key == RecordKey.of(record.path))
      try table.save(record, key: key)
      let found = try database.prepare(
        "SELECT name, \(VariantRecord.wholePath) FROM variants WHERE key = ?"
      ).first([.key(key)]) { [$0.text(0), $0.text(1)] }
      #expect(found == [isShort ? name : record.path, record.path])
      #expect(try table.find(key) == record)
    }
  }

  /// A file is found at its path, and only there.
  @Test func filesAreFoundAtTheirPaths() async throws {
    let state = try StateStore(path: "")
    let record = Files.record("a")
    try await state.saveTableFile(record, key: VariantRecord.key(path: record.path), run: 1)
    #expect(try await state.file(at: record.path) == record)
    #expect(try await state.file(at: Files.path("a", fileExtension: "avif")) == nil)
  }

  /// Dates as servers write them are stored as numbers, others as they are.
  @Test(arguments: [
    ("Sat, 28 Nov 2026 13:58:56 GMT", "1795874336"), ("Thu, 01 Jan 1970 00:00:00 GMT", "0"),
    ("Sun, 06 Nov 1994 08:49:37 GMT", "784111777"), ("Tue, 29 Feb 2028 23:59:59 GMT", "1835481599"),
    ("Fri, 31 Dec 9999 23:59:59 GMT", "253402300799"),
    // Another day of the week, another form, no date, and numbers that are too large.
    ("Sun, 28 Nov 2026 13:58:56 GMT", nil), ("Sunday, 06-Nov-94 08:49:37 GMT", nil),
    ("Sat, 28 Nov 2026 13:58:56", nil), ("Sat, 99 Nov 2026 99:99:99 GMT", nil), ("Mon", nil),
    ("Sat, 28 Nov 2147483647 13:58:56 GMT", nil), ("Sat, -1 Nov -2147483648 13:58:56 GMT", nil),
    ("", nil), ("7", nil),
  ])
  func datesOfSources(_ date: String, _ stored: String?) throws {
    let table = try RecordTable<SourceRecord>(database)
    var confirmation = Self.confirmation
    confirmation.lastModified = date
    let record = SourceRecord(content: "c", confirmation: confirmation)
    try table.save(record, key: "k")
    let found = try database.prepare("SELECT quote(last_modified) FROM sources").first([]) {
      $0.text(0)
    }
    #expect(found == stored ?? "'\(date)'")
    #expect(try table.find("k") == record)
  }

  @Test func qualities() throws {
    try expect(
      QualityRecord(
        recipe: "search webp",
        found: FoundQuality(
          quality: 72, score: 67.125, worstTile: -3.5, size: Size(256, 9), encodes: 4,
          isGraphic: true), run: 3),
      stored: [
        "recipe": "'search webp'", "quality": "72", "score": "67.125", "tile": "-3.5",
        "width": "256", "height": "9", "encodes": "4", "graphic": "1", "run": "3",
      ])
  }

  @Test(arguments: [RejectionRecord.Kind.rejected, .undecodable])
  func rejections(_ kind: RejectionRecord.Kind) throws {
    var rejection = RejectionRecord(
      settings: "s", kind: kind, code: "decode", details: "[]", content: "c", etag: "e",
      place: "p", seen: 1.5)
    (rejection.format, rejection.width, rejection.height) = ("gif", 3, 4)
    rejection.repeats = 5
    try expect(
      rejection,
      stored: [
        "settings": "'s'", "kind": kind == .rejected ? "'rejected'" : "'undecodable'",
        "code": "'decode'", "details": "'[]'", "format": "'gif'", "width": "3", "height": "4",
        "content": "'c'", "etag": "'e'", "place": "'p'", "seen": "1.5", "twice": "5",
      ])
    try change(rejection, "kind", to: .text("odd"))
    #expect(try RecordTable<RejectionRecord>(database).find("k") == nil)
  }

  /// Only a colour may be missing as such: an image that is invisible has none. Other placeholders
  /// that
  /// were not made are empty.
  @Test func placeholders() throws {
    let table = try RecordTable<PlaceholderRecord>(database)
    for (made, row) in [
      (
        Placeholders([.color: "#010203", .thumbhash: "A", .blurhash: "B"]),
        "'#010203' 'A' 'B'"
      ), (Placeholders(), "NULL '' ''"), (Placeholders([.blurhash: "B"]), "NULL '' 'B'"),
    ] {
      try table.save(PlaceholderRecord(made), key: "k")
      #expect(try table.find("k")?.placeholders == made)
      let stored = try database.prepare(
        "SELECT quote(color) || ' ' || quote(thumbhash) || ' ' || quote(blurhash) FROM placeholders"
      ).first([]) { $0.text(0) }
      #expect(stored == row)
    }
  }

  /// Sizes are computed with: those of a header fit in 31 bits.
  @Test func sidesOfHeadersAreLimited() throws {
    let table = try RecordTable<HeaderRecord>(database)
    func isRead(_ width: Int, _ height: Int) throws -> Bool {
      let header = HeaderRecord(
        format: "gif", width: width, height: height, hasAlpha: false, isAnimated: nil,
        confirmation: Self.confirmation)
      try table.save(header, key: "k")
      return try table.find("k") == header
    }
    try expectLeast(1) { try isRead($0, 5) }
    try expectLeast(1) { try isRead(5, $0) }
    try expectMost(0x7FFF_FFFF) { try isRead($0, 5) }
    try expectMost(0x7FFF_FFFF) { try isRead(5, $0) }
  }

  @Test(
    arguments: [
      ([], ""), ([.damaged(.truncated, detail: "odd\n")], #"[["damaged","truncated","odd\n"]]"#),
      (
        [.damagedProfile, .unusableProfile(detail: "x"), .damaged(.none, detail: "")],
        #"[["damaged-profile"],["unusable-profile","x"],["damaged","none",""]]"#
      ), ([.toneMapped, .stillOfAnimation], #"[["tone-mapped"],["still-of-animation"]]"#),
      ([.headerDiffers(detail: "x")], #"[["header-differs","x"]]"#),
      ([.drawingIncomplete(detail: "@media")], #"[["drawing-incomplete","@media"]]"#),
    ] as [([SourceWarning], String)])
  func warningsAreStoredWithTheirNames(_ warnings: [SourceWarning], _ stored: String) {
    #expect(SourceWarning.stored(warnings) == stored)
    #expect(SourceWarning.list(stored: stored) == warnings)
  }

  /// Without one of its warnings, a damaged image would count as a whole one.
  @Test(arguments: [
    "x", "{}", "[[]]", "[\"damaged-profile\"]", "[[\"damaged\"]]", "[[\"damaged\",\"truncated\"]]",
    "[[\"damaged\",\"odd\",\"x\"]]", "[[\"damaged-profile\",\"x\"]]", "[[\"unusable-profile\"]]",
    "[[\"damaged-profile\"],[\"of a later version\"]]",
  ])
  func otherTextsAreNoWarnings(_ text: String) throws {
    #expect(SourceWarning.list(stored: text) == nil)
    let content = ContentRecord(
      format: "jpeg", facts: SourceFacts(size: Size(3, 4), hasAlpha: false, frames: 1))
    try change(content, "warnings", to: .text(text))
    #expect(try RecordTable<ContentRecord>(database).find("k") == nil)
  }

  /// Sources that are saved again forget the header that was read before, also in a state that was
  /// opened since.
  @Test func deletingFindsRowsOfEarlierConnections() throws {
    let header = HeaderRecord(
      format: "gif", width: 3, height: 4, hasAlpha: false, isAnimated: nil,
      confirmation: Self.confirmation)
    let before = try RecordTable<HeaderRecord>(database)
    try before.delete("k")
    for key in ["k", "l"] { try before.save(header, key: key) }
    let later = try RecordTable<HeaderRecord>(database)
    try later.delete("k")
    try before.delete("m")
    #expect(try later.find("k") == nil)
    #expect(try later.find("l") == header)
    try before.delete("l")
    #expect(try later.find("l") == nil)
  }
}
