package import TesseraCatalog

/// Writes a catalog into a database, or changes one that is there into it: images that did not change are not written. All in
/// one transaction, so that who reads it at the same time sees the old catalog or the new one.
package final class CatalogDatabaseWriter {
  private let connection: Connection
  private let path: String
  private var statements: Statements?
  /// The number of images so far.
  private var count = 0
  /// Images that were written.
  package private(set) var written = 0
  private var isOpen = false

  private struct Statements {
    let find, insert, update, place, setPlace: Query

    init(_ connection: Connection) throws(CatalogDatabaseError) {
      find = try connection.prepare("SELECT number, json FROM images WHERE id = ?")
      insert = try connection.prepare(
        "INSERT INTO images (status, width, height, color, json, id) VALUES (?, ?, ?, ?, ?, ?) RETURNING number"
      )
      update = try connection.prepare(
        "UPDATE images SET status = ?, width = ?, height = ?, color = ?, json = ? WHERE id = ? RETURNING number"
      )
      place = try connection.prepare("SELECT number FROM places WHERE place = ?")
      setPlace = try connection.prepare(
        "INSERT OR REPLACE INTO places (place, number) VALUES (?, ?)")
    }
  }

  /// - Parameter path: of the database, which is made if it is not there.
  /// - Throws: ``CatalogDatabaseError`` if it is another program's, or can't be written.
  package init(_ path: String, isNew: Bool) throws(CatalogDatabaseError) {
    self.path = path
    connection = try Connection(path, .write)
    // What is deleted is overwritten: nothing of an image stays in pages that are free.
    try connection.execute("PRAGMA secure_delete = ON; PRAGMA busy_timeout = 10000")
    if isNew {
      // The file gets its name when it is complete, so it needs no journal.
      // With pages of 8 kB, images of about 1 kB leave little of a page empty.
      try connection.execute(
        "PRAGMA page_size = 8192; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
      try connection.execute(CatalogTables.create)
    } else {
      try CatalogTables.check(connection, path)
    }
  }

  /// Whether the database has the catalog with this head already.
  package func isOf(head: [UInt8]) throws(CatalogDatabaseError) -> Bool {
    try connection.prepare("SELECT json FROM head").first { $0.bytes(0) } == head
  }

  package func begin() throws(CatalogDatabaseError) {
    try connection.execute("BEGIN IMMEDIATE")
    isOpen = true
    statements = try Statements(connection)
  }

  /// Adds the next image in the catalog's order.
  ///
  /// - Parameter line: the image as JSON.
  package func add(_ image: CatalogImage, line: [UInt8]) throws(CatalogDatabaseError) {
    guard let statements else { return }
    let known = try statements.find.first([.text(image.id)]) { ($0.int(0), $0.bytes(1)) }
    var number = known?.0
    if known?.1 != line {
      let query = known == nil ? statements.insert : statements.update
      number = try query.first([
        .text(image.status.rawValue), .optional(image.width), .optional(image.height),
        .optional(image.placeholder?.color), .bytes(line), .text(image.id),
      ]) { $0.int(0) }
      written += 1
    }
    guard let number else { return }
    if try statements.place.first([.int(count)], { $0.int(0) }) != number {
      try statements.setPlace.run([.int(count), .int(number)])
    }
    count += 1
  }

  /// Removes what the catalog no longer has, and makes the change visible.
  package func end(head: [UInt8]) throws(CatalogDatabaseError) {
    statements = nil
    try connection.prepare("DELETE FROM places WHERE place >= ?").run([.int(count)])
    try connection.execute(
      "DELETE FROM images WHERE number NOT IN (SELECT number FROM places); DELETE FROM head")
    try connection.prepare("INSERT INTO head (json) VALUES (?)").run([.bytes(head)])
    try connection.execute("COMMIT")
    isOpen = false
  }

  /// Leaves the database as it was, if the work did not end.
  package func close() {
    statements = nil
    // An error here is that of a transaction that SQLite has ended by itself.
    if isOpen { try? connection.execute("ROLLBACK") }
    isOpen = false
  }
}
