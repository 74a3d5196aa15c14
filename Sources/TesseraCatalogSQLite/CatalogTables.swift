/// The tables of a catalog's database. Version 1; tables and columns may be added.
enum CatalogTables {
  /// `TSRC`, in the file's header (sqlite.org/fileformat.html, "application_id").
  private static let application = 0x5453_5243
  private static let version = 1

  static let create = """
    PRAGMA application_id = \(application);
    PRAGMA user_version = \(version);
    CREATE TABLE head (json TEXT NOT NULL);
    CREATE TABLE images (
      place INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      status TEXT NOT NULL,
      width INTEGER,
      height INTEGER,
      color TEXT,
      json TEXT NOT NULL
    )
    """

  /// - Throws: ``CatalogDatabaseError`` if a database is another program's, or of another version.
  static func check(_ connection: Connection, _ path: String) throws(CatalogDatabaseError) {
    let owner = try connection.prepare("PRAGMA application_id").first { $0.int(0) }
    guard owner == application else {
      throw CatalogDatabaseError(path: path, reason: "not a database of a catalog")
    }
    let found = try connection.prepare("PRAGMA user_version").first { $0.int(0) } ?? 0
    guard found == version else {
      throw CatalogDatabaseError(
        path: path,
        reason: "its tables have version \(found); this library reads version \(version)")
    }
  }
}
