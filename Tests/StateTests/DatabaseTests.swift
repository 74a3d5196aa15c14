import Foundation
import TesseraTestSupport
import Testing

@testable import TesseraState

/// The connection to SQLite, and its statements.
@Suite struct DatabaseTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(
    arguments: [
      .null, .int(.min), .int(.max), .int(0), .double(0.1), .double(-1e300), .text(""),
      .text("a\u{0}b é"), .blob([]), .blob([0, 255]),
    ] as [Statement.Value])
  func valuesComeBackAsTheyWereBound(_ value: Statement.Value) throws {
    let select = try Database("").prepare("SELECT ?1, typeof(?1)")
    let found = try select.first([value]) { row in
      let bytes = Array(row.bytes(0))
      let read: Statement.Value =
        switch value {
        case .text, .key: .text(row.text(0))
        case .blob: .blob(bytes)
        case .null, .int, .double: row.number(0)
        }
      return ("\(read)", row.text(1), row.isNull(0))
    }
    let type =
      switch value {
      case .null: "null"
      case .int: "integer"
      case .double: "real"
      case .text, .key: "text"
      case .blob: "blob"
      }
    #expect(found?.0 == "\(value)")
    #expect(found?.1 == type)
    #expect(found?.2 == (type == "null"))
  }

  @Test func optionalValuesAreNullOrThere() {
    let values: [Statement.Value] = [
      .optional(nil as String?), .optional("t"), .optional(nil as Int?), .optional(3),
      .optional(nil as Double?), .optional(2.5), .optional(nil as Bool?), .optional(true),
      .optional(false), .bool(true), .bool(false),
    ]
    #expect(
      values.map { "\($0)" } == [
        "null", #"text("t")"#, "null", "int(3)", "null", "double(2.5)", "null", "int(1)", "int(0)",
        "int(1)", "int(0)",
      ])
  }

  @Test func rowsAreReadInTheirOrder() throws {
    let database = try Database("")
    let numbers = try database.prepare("SELECT value FROM json_each('[1, 2, 3, 4]')")
    var seen: [Int] = []
    try numbers.run { seen.append($0.int(0)) }
    #expect(seen == [1, 2, 3, 4])
    // The statement begins anew, and returns no row that it does not have.
    #expect(try numbers.first([]) { $0.int(0) } == 1)
    #expect(try database.prepare("SELECT 1 WHERE 0").first([]) { $0.int(0) } == nil)
    let pair = try database.prepare("SELECT NULL, 5, 'x', NULL, 2.5")
    let found = try pair.first([]) { row in
      let rest = row.dropFirst(1)
      return [
        "\(rest.int(0))", rest.text(1), "\(rest.optionalText(1) ?? "-")",
        rest.optionalText(2) ?? "-", "\(rest.optionalInt(0) ?? -1)",
        "\(rest.optionalInt(2) ?? -1)", "\(rest.optionalDouble(3) ?? -1)",
        "\(rest.optionalDouble(2) ?? -1)", "\(rest.hasBytes(1)) \(rest.hasBytes(0))",
        "\(row.dropFirst(2).dropFirst(2).double(0))",
      ]
    }
    #expect(found == ["5", "x", "x", "-", "5", "-1", "2.5", "-1.0", "true false", "2.5"])
  }

  @Test func changesAreCounted() throws {
    let database = try Database("")
    try database.execute("CREATE TABLE t (x); INSERT INTO t VALUES (1), (2), (3)")
    let delete = try database.prepare("DELETE FROM t WHERE x >= ?")
    #expect(try delete.change([.int(2)]) == 2)
    #expect(try delete.change([.int(2)]) == 0)
    #expect(try delete.change([.int(0)]) == 1)
  }

  @Test func transactionsAreSeen() throws {
    let database = try Database("")
    #expect(!database.isInTransaction)
    try database.execute("BEGIN")
    #expect(database.isInTransaction)
    try database.execute("COMMIT")
    #expect(!database.isInTransaction)
  }

  /// A file that is only read is not made, and stays as it is.
  @Test func readingCreatesNothing() throws {
    let path = folder.path("state")
    let error = #expect(throws: StateError.self) { try Database(path, isReadOnly: true) }
    #expect(error?.kind == .unavailable)
    #expect(!FileManager.default.fileExists(atPath: path))
    try Database(path).execute("CREATE TABLE t (x)")
    #expect(throws: StateError.self) {
      try Database(path, isReadOnly: true).execute("INSERT INTO t VALUES (1)")
    }
    #expect(try Database(path).prepare("SELECT count(*) FROM t").first([]) { $0.int(0) } == 0)
  }

  /// The path was resolved before: a link in it was put there since.
  @Test func linksAreNotFollowed() throws {
    try Database(folder.path("state")).execute("CREATE TABLE t (x)")
    symlink("state", folder.path("link"))
    for isReadOnly in [true, false] {
      #expect(throws: StateError.self) { try Database(folder.path("link"), isReadOnly: isReadOnly) }
    }
  }

  /// Only a damaged file, which has errors in many places, is read on after one.
  @Test func aConnectionForWritingIsOfNoUseAfterAnError() throws {
    let path = folder.path("state")
    let writer = try Database(path)
    try writer.execute("CREATE TABLE t (x)")
    let select = try writer.prepare("SELECT count(*) FROM t")
    let first = #expect(throws: StateError.self) { try writer.execute("odd") }
    #expect(first?.kind == .rejected && first?.path == path)
    #expect(first?.message == #"near "odd": syntax error"#)
    for body in [
      { try writer.execute("SELECT 1") }, { _ = try writer.prepare("SELECT 1") },
      { try select.run() },
    ] {
      #expect(throws: StateError.self) { try body() }
    }
    let later = #expect(throws: StateError.self) { try select.run() }
    #expect(later?.description == first?.description)
    let reader = try Database(path, isReadOnly: true)
    #expect(throws: StateError.self) { _ = try reader.prepare("SELECT x FROM missing") }
    #expect(throws: StateError.self) { try reader.execute("odd") }
    #expect(try reader.prepare("SELECT count(*) FROM t").first([]) { $0.int(0) } == 0)
  }

  @Test func aFailedStepIsAnError() throws {
    let database = try Database("")
    try database.execute("CREATE TABLE t (x UNIQUE); INSERT INTO t VALUES (1)")
    let insert = try database.prepare("INSERT INTO t VALUES (?)")
    try insert.run([.int(2)])
    let error = #expect(throws: StateError.self) { try insert.run([.int(1)]) }
    #expect(error?.message == "UNIQUE constraint failed: t.x")
    let other = try Database("").prepare("SELECT ?")
    // More values than the statement has.
    #expect(throws: StateError.self) { try other.run([.int(1), .int(2)]) }
  }

  /// A scan of a damaged file may never end.
  @Test func aScanWithoutEndIsInterrupted() throws {
    func count(_ database: Database, _ rows: String) throws -> Int? {
      try database.prepare(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n \(rows))"
          + " SELECT count(*) FROM n"
      ).first([]) { $0.int(0) }
    }
    let endless = try Database("")
    try endless.limitSteps()
    let error = #expect(throws: StateError.self) { try count(endless, "") }
    #expect(error?.kind == .corrupt)
    // What a file of this size may need is done.
    let database = try Database("")
    try database.limitSteps()
    #expect(try count(database, "WHERE i < 20000") == 20_000)
    database.unlimitSteps()
    #expect(try count(database, "WHERE i < 200000") == 200_000)
  }
}
