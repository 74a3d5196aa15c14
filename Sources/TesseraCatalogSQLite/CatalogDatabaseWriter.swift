package import TesseraCatalog

/// Writes a catalog into a new database.
package final class CatalogDatabaseWriter {
  private let connection: Connection
  private let insert: Query
  /// The number of images so far.
  private var count = 0

  /// - Parameter path: of the database, where nothing is.
  /// - Throws: ``CatalogDatabaseError`` if it can't be written.
  package init(_ path: String) throws(CatalogDatabaseError) {
    connection = try Connection(path, .write)
    // The file gets its name when it is complete, so it needs no journal. With pages of 8 kB, images of about 1 kB leave
    // little of a page empty.
    try connection.execute(
      "PRAGMA page_size = 8192; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
    try connection.execute("\(CatalogTables.create); BEGIN")
    // Of two images with the same id the first counts, as in the manifest.
    insert = try connection.prepare(
      "INSERT OR IGNORE INTO images (place, id, status, width, height, color, json) VALUES (?, ?, ?, ?, ?, ?, ?)"
    )
  }

  /// Adds the next image in the catalog's order.
  ///
  /// - Parameter line: the image as JSON.
  package func add(_ image: CatalogImage, line: [UInt8]) throws(CatalogDatabaseError) {
    try insert.run([
      .int(count), .text(image.id), .text(image.status.rawValue), .optional(image.width),
      .optional(image.height), .optional(image.placeholder?.color), .bytes(line),
    ])
    count += connection.changes
  }

  /// Completes the database.
  package func end(head: [UInt8]) throws(CatalogDatabaseError) {
    try connection.prepare("INSERT INTO head (json) VALUES (?)").run([.bytes(head)])
    try connection.execute("COMMIT")
  }

  /// The head in a catalog's database; nil if the file is something else.
  package static func head(of path: String) -> [UInt8]? {
    guard let connection = try? Connection(path, .read),
      (try? CatalogTables.check(connection, path)) != nil
    else { return nil }
    return try? connection.prepare("SELECT json FROM head").first { $0.bytes(0) } ?? []
  }

  /// Files that SQLite may have beside a database, and would take for those of another one with the same name.
  package static func companions(of path: String) -> [String] {
    ["-journal", "-wal", "-shm"].map { path + $0 }
  }
}
