internal import TesseraCatalog
internal import TesseraState
internal import TesseraSystem

/// An SQLite database in which apps and servers look up images (`Pipelines/CATALOG.md`). It replaces one that is
/// there when it is complete, so that a reader has the old catalog or the new one.
final class DatabaseExport: Exporting {
  private let context: ExportContext
  private let writer: DatabaseWriter
  private let selection: CatalogSelection?

  init(_ context: ExportContext) throws {
    self.context = context
    selection = Self.selection(context.hasChosenSlots ? context.slots : nil)
    writer = try DatabaseWriter(context.target)
  }

  private static func selection(_ slots: [String]?) -> CatalogSelection? {
    slots.map { CatalogSelection(slots: $0) }
  }

  /// With the digest of the catalog.
  private static func head(_ catalog: Catalog, _ selection: CatalogSelection?) -> [UInt8] {
    (selection?.head(catalog) ?? catalog).sortedHeadLine
  }

  func add(_ image: CatalogImage, extra: String?) throws -> Int {
    let image = selection?.image(image, scales: context.head.scales) ?? image
    try writer.add(image, line: image.line(extra: extra))
    return 0
  }

  func finish() throws { try writer.end(head: Self.head(context.head, selection)) }

  // MARK: A database that is there

  /// Whether a file is a catalog's database, and so may be replaced.
  static func owns(_ path: String) -> Bool { DatabaseWriter.head(of: path) != nil }

  /// Whether a database has a catalog already.
  ///
  /// - Parameter slots: those that were chosen; nil for all.
  static func isCurrent(
    _ path: String, _ catalog: CatalogFile, slots: [String]?
  ) throws -> Bool {
    let head = try catalog.head()
    // What is beside it may change it when it is opened.
    guard !DatabaseWriter.companions(of: path).contains(where: FileSystem.exists),
      let digest = head.digest,
      DatabaseWriter.head(of: path) == Self.head(head, selection(slots)),
      try !catalog.hasForgotten()
    else { return false }
    // Another program may have changed the catalog, and left its digest.
    return try catalog.contentDigest() == digest
  }

  /// Removes what SQLite would take for a part of the next database with this name.
  static func removeCompanions(of path: String) throws(SystemError) {
    for companion in DatabaseWriter.companions(of: path) where FileSystem.exists(companion) {
      try FileSystem.remove(companion)
    }
  }
}

/// Writes a catalog into a new database: `Pipelines/CATALOG.md` describes its tables.
final class DatabaseWriter {
  /// `TSRC`, in the file's header (sqlite.org/fileformat.html, "application_id").
  private static let application = 0x5453_5243
  /// Of the tables. Tables and columns may be added within a version.
  private static let version = 1

  private static let create = """
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

  private let database: Database
  private let insert: Statement
  /// The number of images so far.
  private var count = 0

  /// - Parameter path: of the database, where nothing is.
  /// - Throws: ``DatabaseError`` if it can't be written.
  init(_ path: String) throws(DatabaseError) {
    (database, insert) = try DatabaseError.wrap { () throws(StateError) in
      let database = try Database(Self.withoutLinks(path))
      // The file gets its name when it is complete, so it needs no journal. With pages of 8 kB, images of about 1 kB leave
      // little of a page empty.
      try database.execute(
        "PRAGMA page_size = 8192; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
      try database.execute("\(Self.create); BEGIN")
      // Of two images with the same id the first counts, as in the manifest.
      let insert = try database.prepare(
        "INSERT OR IGNORE INTO images (place, id, status, width, height, color, json) VALUES (?, ?, ?, ?, ?, ?, ?)"
      )
      return (database, insert)
    }
  }

  /// Adds the next image in the catalog's order.
  ///
  /// - Parameter line: the image as JSON.
  func add(_ image: CatalogImage, line: [UInt8]) throws(DatabaseError) {
    count += try DatabaseError.wrap { () throws(StateError) in
      try insert.change([
        .int(count), .text(image.id), .text(image.status.rawValue), .optional(image.width),
        .optional(image.height), .optional(image.placeholder?.color),
        .text(String(decoding: line, as: UTF8.self)),
      ])
    }
  }

  /// Completes the database.
  func end(head: [UInt8]) throws(DatabaseError) {
    try DatabaseError.wrap { () throws(StateError) in
      try database.prepare("INSERT INTO head (json) VALUES (?)")
        .run([.text(String(decoding: head, as: UTF8.self))])
      try database.execute("COMMIT")
    }
  }

  /// The head in a catalog's database; nil if the file is something else.
  static func head(of path: String) -> [UInt8]? {
    guard let database = try? Database(withoutLinks(path), isReadOnly: true),
      (try? database.prepare("PRAGMA application_id").first { $0.int(0) }) == application,
      (try? database.prepare("PRAGMA user_version").first { $0.int(0) }) == version
    else { return nil }
    return try? database.prepare("SELECT json FROM head").first { Array($0.bytes(0)) } ?? []
  }

  /// A state's path has no links, and a database is opened without following one; an export may be below one.
  private static func withoutLinks(_ path: String) -> String {
    if let path = FileSystem.realPath(path) { return path }
    let folder = FileSystem.parent(of: path)
    return FileSystem.join(FileSystem.realPath(folder) ?? folder, FileSystem.name(of: path))
  }

  /// Files that SQLite may have beside a database, and would take for those of another one with the same name.
  static func companions(of path: String) -> [String] {
    ["-journal", "-wal", "-shm"].map { path + $0 }
  }
}

/// Why a database of a catalog can't be written or read.
struct DatabaseError: ReportedError, CustomStringConvertible {
  /// The database's file.
  var path: String
  /// What is wrong with it.
  var reason: String

  /// What to do about a full disk; nil for all else.
  var room: String?

  var report: TesseraError {
    TesseraError(
      room == nil ? .output : .diskFull, "\"\(path)\": \(reason)", remedy: room, subject: path)
  }
  var description: String { report.description }

  static func wrap<Value>(
    _ body: () throws(StateError) -> Value
  ) throws(DatabaseError) -> Value {
    do throws(StateError) {
      return try body()
    } catch {
      throw DatabaseError(
        path: error.path, reason: error.message, room: error.isFullDisk ? error.remedy : nil)
    }
  }
}
