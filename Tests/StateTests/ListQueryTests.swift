import Foundation
import TesseraTestSupport
import Testing

@testable import TesseraState

/// Queries on databases of others.
@Suite struct ListQueryTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("shop.db")
    let database = try Database(path)
    try database.execute(
      "CREATE TABLE p (id, url, price REAL, note BLOB);"
        + "INSERT INTO p VALUES (1, 'https://a/1', 1.5, NULL), ('b', NULL, 2, x'C3A9')")
  }

  private func failure(_ sql: String) -> String? {
    do throws(ListQuery.Failure) {
      _ = try ListQuery(path, sql: sql).next(10)
      return nil
    } catch {
      return error.message
    }
  }

  @Test func rowsAreTexts() throws {
    let query = try ListQuery(path, sql: "SELECT id, url, price, note AS n FROM p ORDER BY rowid; ")
    #expect(query.columns == ["id", "url", "price", "n"])
    #expect(try query.next(1) == [.fields(["1", "https://a/1", "1.5", nil])])
    #expect(try query.next(9) == [.fields(["b", nil, "2.0", "é"])])
    #expect(try query.next(9).isEmpty)
  }

  /// SQLite keeps any bytes as a text. Repaired, a URL would be another URL.
  @Test(.faults(.m27)) func invalidUTF8IsNotRepaired() throws {
    let query = try ListQuery(
      path,
      sql: "SELECT 1 AS id, CAST(x'68FF' AS TEXT) AS url UNION ALL SELECT 2, x'C3A9' ORDER BY 1")
    #expect(try query.next(9) == [.notUTF8(column: "url"), .fields(["2", "é"])])
  }

  /// The database stays as it is, and no other file is read or made.
  @Test func onlyASelectIsRun() throws {
    let before = try Data(contentsOf: URL(filePath: path))
    for sql in [
      "DELETE FROM p", "SELECT 1; DELETE FROM p", "ATTACH 'other.db' AS o", "CREATE TABLE q (x)",
      "PRAGMA journal_mode = WAL", "VACUUM INTO 'copy.db'",
      "INSERT INTO p VALUES (1,2,3,4) RETURNING id",
      "", "-- nothing", "BEGIN", "SELECT 1; SELECT 2",
    ] {
      #expect(failure(sql) == "the query must be one SELECT statement", "\(sql)")
    }
    #expect(failure("SELECT x FROM p") == "no such column: x")
    #expect(failure("SELECT FROM") == "near \"FROM\": syntax error")
    #expect(failure("SELECT load_extension('x')")?.isEmpty == false)
    #expect(failure("WITH q AS (SELECT id FROM p) SELECT * FROM q") == nil)
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["shop.db"])
  }

  @Test func anEndlessQueryCanBeStopped() throws {
    let query = try ListQuery(
      path,
      sql: "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c")
    // From a thread: the threads of tasks may all be busy with tests, and this one waits for its end.
    Thread.detachNewThread {
      usleep(50_000)
      query.interrupt()
    }
    #expect(throws: ListQuery.Failure(message: "interrupted", isInterrupted: true)) {
      try query.next(1)
    }
    #expect(throws: ListQuery.Failure.self) { try query.next(1) }
  }

  @Test func whatIsNoDatabaseIsAnError() throws {
    try folder.write(
      "not a database, but longer than its header is, so that it is read as one", to: "x.db")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("l.db"), withDestinationPath: path)
    for (name, message) in [
      ("x.db", "file is not a database"), ("none.db", "unable to open database file"),
      ("l.db", "unable to open database file"),
    ] {
      do throws(ListQuery.Failure) {
        _ = try ListQuery(folder.path(name), sql: "SELECT 1").next(1)
        // Without a table, the file is not read.
        _ = try ListQuery(folder.path(name), sql: "SELECT * FROM sqlite_schema").next(1)
        Issue.record("\(name)")
      } catch {
        #expect(error.message == message, "\(name)")
      }
    }
  }

  @Test func anOrderIsSeen() {
    for sql in ["SELECT 1 ORDER BY x", "select 1 order\n  by x"] {
      #expect(ListQuery.isOrdered(sql))
    }
    for sql in ["SELECT 1", "SELECT border BYTES FROM x"] { #expect(!ListQuery.isOrdered(sql)) }
  }
}
