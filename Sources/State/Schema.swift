/// The state's tables, and the migrations from older ones.
enum Schema {
  /// Stored in the file as its `user_version`. Each migration raises it by one.
  static var version: Int { migrations.count }

  private static let migrations =
    steps
    + [Migration9.sql, Migration10.sql, Migration11.sql, Migration12.sql, Migration13.sql]

  private static let steps = [
    """
    -- Each source. URLs may hold secrets, so they are stored as digests.
    CREATE TABLE sources (
      key TEXT PRIMARY KEY,     -- SHA-256 of the URL without its fragment and ignored parameters
      content TEXT NOT NULL,    -- SHA-256 of the bytes
      etag TEXT,
      last_modified TEXT,
      checked REAL NOT NULL,    -- when the server last confirmed the bytes; seconds since 1970
      fresh_until REAL,         -- null if the server did not say
      run INTEGER NOT NULL      -- the run in which that was
    ) WITHOUT ROWID;

    -- What the decoder saw in each content.
    CREATE TABLE contents (
      content TEXT PRIMARY KEY,
      format TEXT NOT NULL,
      width INTEGER NOT NULL,   -- displayed pixels
      height INTEGER NOT NULL,
      alpha INTEGER NOT NULL,
      frames INTEGER NOT NULL,
      warnings TEXT NOT NULL    -- a line each
    ) WITHOUT ROWID;

    -- Each file, by what made it: content, recipe and versions.
    CREATE TABLE variants (
      key TEXT PRIMARY KEY,
      path TEXT NOT NULL,
      width INTEGER NOT NULL,   -- as read back from the file
      height INTEGER NOT NULL,
      bytes INTEGER NOT NULL
    ) WITHOUT ROWID;

    -- Each item's position in the manifest of a run, and its line of the catalog.
    CREATE TABLE items (
      id TEXT PRIMARY KEY,
      run INTEGER NOT NULL,
      position INTEGER NOT NULL,
      line INTEGER NOT NULL,
      entry TEXT NOT NULL,      -- SHA-256 of what the manifest said
      result TEXT               -- null while the item is in flight
    ) WITHOUT ROWID;
    CREATE INDEX items_in_order ON items (run, position);

    CREATE TABLE runs (number INTEGER PRIMARY KEY);
    """,
    """
    -- The headers of sources that were read, but not fetched.
    CREATE TABLE headers (
      key TEXT PRIMARY KEY,     -- as in sources; so are the columns from etag on
      format TEXT NOT NULL,
      width INTEGER NOT NULL,   -- displayed pixels
      height INTEGER NOT NULL,
      alpha INTEGER NOT NULL,
      animated INTEGER,         -- null if the header does not say
      etag TEXT,
      last_modified TEXT,
      checked REAL NOT NULL,
      fresh_until REAL,
      run INTEGER NOT NULL
    ) WITHOUT ROWID;
    """,
    """
    -- The pixels in each content's header, before orientation: to compare with a later header.
    ALTER TABLE contents ADD COLUMN header_width INTEGER;
    ALTER TABLE contents ADD COLUMN header_height INTEGER;
    """,
    """
    -- The placeholders of each content, by what made them.
    CREATE TABLE placeholders (
      key TEXT PRIMARY KEY,
      color TEXT,               -- null if the image is invisible
      thumbhash TEXT NOT NULL,
      blurhash TEXT NOT NULL,
      lqip TEXT NOT NULL
    ) WITHOUT ROWID;
    """,
    """
    -- For the full catalog. Null in records of earlier versions.
    ALTER TABLE sources ADD COLUMN url TEXT;      -- after redirects, without secrets
    ALTER TABLE sources ADD COLUMN robots TEXT;   -- the header X-Robots-Tag
    ALTER TABLE contents ADD COLUMN bytes INTEGER;
    ALTER TABLE contents ADD COLUMN orientation INTEGER;
    ALTER TABLE contents ADD COLUMN colour_space TEXT;
    ALTER TABLE contents ADD COLUMN profile TEXT;
    ALTER TABLE variants ADD COLUMN sha256 TEXT;
    """,
    """
    -- For `why`, `--retry-failed` and `prune`.
    ALTER TABLE items ADD COLUMN reason TEXT;   -- what was decided about it, and why
    ALTER TABLE items ADD COLUMN content TEXT;  -- SHA-256 of its source's bytes
    ALTER TABLE items ADD COLUMN status TEXT;   -- in the last catalog, until the item is processed again
    -- A checksum of the other columns (RecordMark).
    ALTER TABLE sources ADD COLUMN mark INTEGER;
    ALTER TABLE headers ADD COLUMN mark INTEGER;
    ALTER TABLE contents ADD COLUMN mark INTEGER;
    ALTER TABLE variants ADD COLUMN mark INTEGER;
    ALTER TABLE placeholders ADD COLUMN mark INTEGER;
    CREATE TABLE retired (
      path TEXT PRIMARY KEY,
      since REAL NOT NULL       -- when the catalog was first seen without it; seconds since 1970
    ) WITHOUT ROWID;
    """,
    """
    -- The boot id of the machine when the run began. Its files may not be on the disk; null once they are.
    ALTER TABLE runs ADD COLUMN boot TEXT;
    -- The run that made it.
    ALTER TABLE variants ADD COLUMN run INTEGER;

    -- The small part of an item, which every run writes, and the large part, which only changes with the item.
    CREATE TABLE results (
      id TEXT PRIMARY KEY,
      result TEXT NOT NULL,     -- its line of the catalog
      status TEXT,              -- as in that line
      content TEXT,             -- SHA-256 of its source's bytes
      settings TEXT,            -- digest of everything but the source that shaped the line; null if it is not reusable
      mark INTEGER              -- checksum of the line, the settings and the source
    ) WITHOUT ROWID;
    INSERT INTO results (id, result, status, content)
      SELECT id, coalesce(result, ''), status, content FROM items;
    CREATE TABLE places (
      id TEXT PRIMARY KEY,
      run INTEGER NOT NULL,
      position INTEGER NOT NULL,
      line INTEGER NOT NULL,
      entry TEXT NOT NULL,      -- SHA-256 of what the manifest said
      done INTEGER NOT NULL,    -- whether that run has a result
      reason TEXT               -- what was decided
    ) WITHOUT ROWID;
    INSERT INTO places SELECT id, run, position, line, entry, result IS NOT NULL, reason FROM items;
    DROP TABLE items;
    ALTER TABLE places RENAME TO items;
    CREATE INDEX items_by_position ON items (position);
    """,
    """
    -- URLs whose bytes cannot be shown, and why. While the bytes stay the same they are not examined again for a week.
    CREATE TABLE rejections (
      key TEXT PRIMARY KEY,     -- SHA-256 of the URL without its fragment
      settings TEXT NOT NULL,   -- digest of everything but the bytes that decided
      kind TEXT NOT NULL,
      code TEXT NOT NULL,
      message TEXT NOT NULL,
      format TEXT,              -- what is known of the image, like its displayed pixels
      width INTEGER,
      height INTEGER,
      content TEXT,             -- SHA-256 of the bytes, if all of them arrived
      etag TEXT,
      place TEXT NOT NULL,      -- SHA-256 of the URL that the bytes came from, after redirects
      seen REAL NOT NULL,       -- when they were last examined; seconds since 1970
      twice INTEGER NOT NULL,   -- whether two examinations had the same result
      mark INTEGER
    ) WITHOUT ROWID;
    """,
  ]

  /// - Parameter last: the version to stop at; tests migrate from earlier ones.
  static func migrate(
    _ database: Database, to last: Int = version
  ) throws(StateError) {
    let version = try version(of: database)
    guard version <= Self.version else {
      // The number alone may be damaged, and must not lock its owner out.
      if try columns(of: database) == newestColumns() {
        throw StateError(
          kind: .corrupt, path: database.path, message: "its schema has a wrong number (\(version))"
        )
      }
      throw StateError(
        kind: .newer, path: database.path,
        message: "a later version of tessera wrote it (schema \(version); this version reads up to "
          + "\(Self.version))", remedy: "use that version, or another output")
    }
    for step in version..<max(version, last) {
      try database.execute("BEGIN IMMEDIATE; \(migrations[step])")
      // This part is Swift, because SQL cannot take the stored sentences apart.
      if step == 8 { try Migration9.convertWarnings(database) }
      // With the number in the same transaction, a kill leaves the old schema or the new one.
      try database.execute("PRAGMA user_version = \(step + 1); COMMIT")
    }
  }

  private static func version(of database: Database) throws(StateError) -> Int {
    let version = try database.prepare("PRAGMA user_version").first([]) { $0.int(0) } ?? 0
    guard version >= 0 else {
      throw StateError(
        kind: .corrupt, path: database.path, message: "its schema has a negative number")
    }
    return version
  }

  /// Whether a file's tables are those of this version.
  static func isNewest(_ database: Database) throws(StateError) -> Bool {
    try version(of: database) == version
  }

  private static func newestColumns() throws(StateError) -> [String] {
    let newest = try Database("")
    try migrate(newest)
    return try columns(of: newest)
  }

  /// Whether the tables have the columns that their version has.
  static func isWhole(_ database: Database) throws(StateError) -> Bool {
    // More versions than there are: the number is damaged.
    if try version(of: database) > version { return false }
    let expected = try Database("")
    try migrate(expected, to: try version(of: database))
    return try columns(of: database) == columns(of: expected)
  }

  private static func columns(of database: Database) throws(StateError) -> [String] {
    var columns: [String] = []
    try database.prepare(
      "SELECT m.type, m.name, c.name FROM sqlite_master m LEFT JOIN pragma_table_info(m.name) c"
        + " ORDER BY m.name, c.cid"
    ).run { row in columns.append("\(row.text(0)) \(row.text(1)) \(row.text(2))") }
    return columns
  }
}
