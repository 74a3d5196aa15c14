/// The state's tables.
enum Schema {
  /// The version of ``tables``, stored in the file as its `user_version`. A state of an earlier one is set aside.
  static let version = 28

  private static let tables = """
    -- Each source. URLs may hold secrets, so they are stored as digests. A key or digest is a blob; see PackedKey.
    CREATE TABLE sources (
      key BLOB PRIMARY KEY,     -- that of the URL without its fragment and ignored parameters; see RecordKey
      content BLOB NOT NULL,    -- SHA-256 of the bytes
      etag TEXT,
      last_modified,            -- seconds since 1970; a text if it is not written as RFC 9110 asks
      checked REAL NOT NULL,    -- when the server last confirmed the bytes; seconds since 1970
      fresh_until REAL,         -- null if the server did not say
      run INTEGER NOT NULL,     -- the run in which that was
      url TEXT,                 -- after redirects, as it may be shown: the place of the validators; null if there were none
      robots TEXT,              -- the header X-Robots-Tag
      mark INTEGER,             -- a checksum of the other columns (RecordMark); so in other tables
      -- When `prune` first saw that nothing names the row; seconds since 1970. Saving the row clears it.
      retired REAL
    ) WITHOUT ROWID;

    -- The headers of sources that were read, but not fetched.
    CREATE TABLE headers (
      key BLOB PRIMARY KEY,     -- as in sources; so are the columns from etag on
      format TEXT NOT NULL,
      width INTEGER NOT NULL,   -- displayed pixels
      height INTEGER NOT NULL,
      alpha INTEGER NOT NULL,
      animated INTEGER,         -- null if the header does not say
      etag TEXT,
      last_modified,            -- seconds since 1970; a text if it is not written as RFC 9110 asks
      checked REAL NOT NULL,
      fresh_until REAL,
      run INTEGER NOT NULL,
      mark INTEGER,
      retired REAL,
      place TEXT,               -- after redirects, as it may be shown; null if it is not known
      frames INTEGER,
      bytes INTEGER
    ) WITHOUT ROWID;

    -- What the decoder saw in each content.
    CREATE TABLE contents (
      content BLOB PRIMARY KEY,
      format TEXT NOT NULL,
      width INTEGER NOT NULL,   -- displayed pixels
      height INTEGER NOT NULL,
      alpha INTEGER NOT NULL,
      frames INTEGER NOT NULL,
      warnings TEXT NOT NULL,   -- a line each
      header_width INTEGER,     -- the pixels in its header, before orientation: to compare with a later header
      header_height INTEGER,
      bytes INTEGER,
      orientation INTEGER,
      colour_space TEXT,
      profile TEXT,
      headroom REAL,
      mark INTEGER,
      retired REAL
    ) WITHOUT ROWID;

    -- Each file, by its path.
    CREATE TABLE variants (
      key BLOB PRIMARY KEY,
      name TEXT NOT NULL,       -- the path, of an image without its folders
      width INTEGER NOT NULL,   -- as read back from the file
      height INTEGER NOT NULL,
      bytes INTEGER NOT NULL,
      sha256 BLOB NOT NULL,
      mark INTEGER,
      run INTEGER               -- that made it
    ) WITHOUT ROWID;

    -- The placeholders of each content, by what made them.
    CREATE TABLE placeholders (
      key BLOB PRIMARY KEY,
      color TEXT,               -- null if the image is invisible
      thumbhash TEXT NOT NULL,
      blurhash TEXT NOT NULL,
      css TEXT,
      mark INTEGER,
      retired REAL
    ) WITHOUT ROWID;

    -- The qualities that were found for contents, so that no search is repeated.
    CREATE TABLE qualities (
      key BLOB PRIMARY KEY,     -- SHA-256 of the bytes, and 8 bytes of that of what was searched
      recipe TEXT NOT NULL,     -- what was searched, in words
      quality INTEGER NOT NULL,
      score REAL NOT NULL,      -- SSIMULACRA 2.1 at this quality, of the image at the size below
      tile REAL NOT NULL,       -- of its worst square of 64 pixels
      width INTEGER NOT NULL,
      height INTEGER NOT NULL,
      encodes INTEGER NOT NULL, -- qualities that were tried
      graphic INTEGER NOT NULL, -- whether the default quality was the least
      run INTEGER NOT NULL,     -- the run that searched
      mark INTEGER,
      retired REAL
    ) WITHOUT ROWID;

    -- URLs whose bytes cannot be shown, and why. While the bytes stay the same they are not examined again for a week.
    CREATE TABLE rejections (
      key BLOB PRIMARY KEY,     -- that of the URL without its fragment
      settings BLOB NOT NULL,   -- digest of everything but the bytes that decided
      kind TEXT NOT NULL,
      code TEXT NOT NULL,
      details TEXT NOT NULL,    -- the failure's arguments, as JSON
      format TEXT,              -- what is known of the image, like its displayed pixels
      width INTEGER,
      height INTEGER,
      content BLOB,             -- SHA-256 of the bytes, if all of them arrived
      etag TEXT,
      place TEXT NOT NULL,      -- the URL that the bytes came from, after redirects, as it may be shown
      seen REAL NOT NULL,       -- when they were last examined; seconds since 1970
      twice INTEGER NOT NULL,   -- whether two examinations had the same result
      mark INTEGER,
      retired REAL
    ) WITHOUT ROWID;

    -- The chunks of the last catalog in its order, a thousand in a row; see Chunk.
    CREATE TABLE chunks (part INTEGER PRIMARY KEY, records BLOB NOT NULL);

    -- Chunks whose items the next run has to look at.
    CREATE TABLE doubts (chunk INTEGER PRIMARY KEY);

    -- Each item, as the last run left it that looked at it: of a chunk whose lines were copied, nothing is written. Numbers
    -- follow the manifest in which items came first, so that neighbours share pages whatever their ids look like.
    CREATE TABLE items (
      number INTEGER PRIMARY KEY,  -- declared, because VACUUM changes numbers that are not
      id TEXT NOT NULL UNIQUE,
      chunk INTEGER NOT NULL,   -- its number
      place INTEGER NOT NULL,   -- in the manifest, counted from the first line of its chunk
      slot INTEGER NOT NULL,    -- in the lines of that run
      line INTEGER NOT NULL,    -- in the manifest of that run
      run INTEGER NOT NULL,
      entry INTEGER NOT NULL,   -- 64 bits of a digest of what the manifest said
      mark INTEGER NOT NULL,    -- a checksum of the columns above (RecordMark)
      done INTEGER NOT NULL,    -- whether the run has a result
      reason TEXT,              -- what was decided about it: JSON, see Reason
      lost REAL,                -- when a lasting error was first seen; seconds since 1970
      status TEXT,              -- as in its line of the catalog; null means ok
      sum INTEGER,              -- of the line; null if it has none
      made INTEGER,             -- of what the line was made of; null if it is not reusable. See LineInputs
      source BLOB,              -- the key in sources and headers
      request BLOB,             -- the key in rejections; null if it is the source's
      placeholder BLOB,         -- the key in placeholders; null if none is shown
      files BLOB,               -- what the names of its files begin with; null without any
      host TEXT,                -- that was requested, if it failed or is stale
      failing INTEGER           -- the run since which it has an error; null without one
    );
    CREATE INDEX items_by_status ON items (status) WHERE status IS NOT NULL;

    -- The boot id of the machine when the run began: its files may not be on the disk; null once they are. The rest is
    -- null until the run is completed.
    CREATE TABLE runs (
      number INTEGER PRIMARY KEY,
      boot TEXT,
      pipeline TEXT,            -- its name
      items INTEGER,            -- their number
      identity TEXT,            -- SHA-256 of the pipeline file's path
      addresses TEXT,           -- SHA-256 of what makes requests of the manifest's URLs
      last_item INTEGER,        -- the highest number of its items
      output TEXT,              -- the output's mark at its end; null before, and if that has none
      ended REAL,               -- seconds since 1970
      whole BLOB                -- all of its manifest as one chunk; see Chunk
    );

    CREATE TABLE retired (
      path TEXT PRIMARY KEY,
      since REAL NOT NULL,      -- when it left the catalog, or was first seen to have left it; seconds since 1970
      bytes INTEGER
    ) WITHOUT ROWID;

    -- What a state remembers of the output beside its records; see StateStore.
    CREATE TABLE notes (name TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;

    -- What an item had, and no longer has, so that `forget` finds all of it: a file, or a key of a table.
    CREATE TABLE former (
      kind TEXT NOT NULL,       -- "files", "sources", "rejections", "contents" or "placeholders"
      name BLOB NOT NULL,       -- what names of files begin with, or the key
      id TEXT NOT NULL,         -- of the item
      PRIMARY KEY (kind, name, id)
    ) WITHOUT ROWID;
    """

  /// Makes the tables of a new file.
  ///
  /// - Throws: ``StateError`` also for a file of another version.
  static func prepare(_ database: Database) throws(StateError) {
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
    guard version == 0 || version == Self.version else {
      throw StateError(
        kind: .older, path: database.path,
        message: "another version of tessera wrote it (schema \(version); this version reads "
          + "\(Self.version))",
        remedy: "run the pipeline, which sets it aside and fetches everything again")
    }
    guard version == 0 else { return }
    // With the number in the same transaction, a kill leaves no tables or all.
    try database.execute(
      "BEGIN IMMEDIATE; \(tables); PRAGMA user_version = \(Self.version); COMMIT")
  }

  private static func version(of database: Database) throws(StateError) -> Int {
    let version = try database.prepare("PRAGMA user_version").first([]) { $0.int(0) } ?? 0
    guard version >= 0 else {
      throw StateError(
        kind: .corrupt, path: database.path, message: "its schema has a negative number")
    }
    return version
  }

  /// Whether a file has no tables yet.
  static func isEmpty(_ database: Database) throws(StateError) -> Bool {
    try version(of: database) == 0
  }

  private static func newestColumns() throws(StateError) -> [String] {
    let newest = try Database("")
    try prepare(newest)
    return try columns(of: newest)
  }

  /// Whether the tables are those of this version.
  static func isWhole(_ database: Database) throws(StateError) -> Bool {
    guard try version(of: database) == version else { return false }
    return try columns(of: database) == newestColumns()
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
