/// The state's tables, and how an older state becomes a current one.
enum Schema {
  /// Written into the file as its `user_version`. Each step of ``migrations`` raises it by one.
  static var version: Int { migrations.count }

  private static let migrations = [
    """
    -- What is known of each source. URLs may hold secrets, so they are kept as digests.
    CREATE TABLE sources (
      key TEXT PRIMARY KEY,     -- SHA-256 of the URL without its fragment and ignored parameters
      content TEXT NOT NULL,    -- SHA-256 of the bytes
      etag TEXT,
      last_modified TEXT,
      checked REAL NOT NULL,    -- when the server last confirmed the bytes; seconds since 1970
      fresh_until REAL,         -- null where the server did not say
      run INTEGER NOT NULL      -- the run in which that was
    ) WITHOUT ROWID;

    -- What its decoder saw in each content.
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

    -- Each item's place in the manifest of a run, and its line of the catalog.
    CREATE TABLE items (
      id TEXT PRIMARY KEY,
      run INTEGER NOT NULL,
      position INTEGER NOT NULL,
      line INTEGER NOT NULL,
      entry TEXT NOT NULL,      -- SHA-256 of what the manifest said
      result TEXT               -- null while the item is under way
    ) WITHOUT ROWID;
    CREATE INDEX items_in_order ON items (run, position);

    CREATE TABLE runs (number INTEGER PRIMARY KEY);
    """,
    """
    -- What the headers of sources told that were looked at, but not fetched.
    CREATE TABLE headers (
      key TEXT PRIMARY KEY,     -- as in sources; so are the columns from etag on
      format TEXT NOT NULL,
      width INTEGER NOT NULL,   -- displayed pixels
      height INTEGER NOT NULL,
      alpha INTEGER NOT NULL,
      animated INTEGER,         -- null where the header did not tell
      etag TEXT,
      last_modified TEXT,
      checked REAL NOT NULL,
      fresh_until REAL,
      run INTEGER NOT NULL
    ) WITHOUT ROWID;
    """,
    """
    -- The pixels that each content's header tells, unturned: to compare with another look at it.
    ALTER TABLE contents ADD COLUMN header_width INTEGER;
    ALTER TABLE contents ADD COLUMN header_height INTEGER;
    """,
    """
    -- What can be shown of each content before its files are there, by what made it.
    CREATE TABLE placeholders (
      key TEXT PRIMARY KEY,
      color TEXT,               -- null where nothing can be seen
      thumbhash TEXT NOT NULL,
      blurhash TEXT NOT NULL,
      lqip TEXT NOT NULL
    ) WITHOUT ROWID;
    """,
    """
    -- For the full catalog. Null where an earlier version did not note it.
    ALTER TABLE sources ADD COLUMN url TEXT;      -- after redirects, without secrets
    ALTER TABLE sources ADD COLUMN robots TEXT;   -- the header X-Robots-Tag
    ALTER TABLE contents ADD COLUMN bytes INTEGER;
    ALTER TABLE contents ADD COLUMN orientation INTEGER;
    ALTER TABLE contents ADD COLUMN colour_space TEXT;
    ALTER TABLE contents ADD COLUMN profile TEXT;
    ALTER TABLE variants ADD COLUMN sha256 TEXT;
    """,
    """
    -- Files that no catalog names any more.
    ALTER TABLE items ADD COLUMN reason TEXT;   -- what was decided about it, and why
    ALTER TABLE items ADD COLUMN content TEXT;  -- SHA-256 of its source's bytes
    ALTER TABLE items ADD COLUMN status TEXT;   -- in the last catalog that has it, until it is done again
    -- Of the other columns, so that damage shows.
    ALTER TABLE sources ADD COLUMN mark INTEGER;
    ALTER TABLE headers ADD COLUMN mark INTEGER;
    ALTER TABLE contents ADD COLUMN mark INTEGER;
    ALTER TABLE variants ADD COLUMN mark INTEGER;
    ALTER TABLE placeholders ADD COLUMN mark INTEGER;
    CREATE TABLE retired (
      path TEXT PRIMARY KEY,
      since REAL NOT NULL       -- when that was first seen; seconds since 1970
    ) WITHOUT ROWID;
    """,
    """
    -- The start of the machine (boot id) under which a run began whose files may not be on the disk yet; null when
    -- they are.
    ALTER TABLE runs ADD COLUMN boot TEXT;
    -- The run that made it.
    ALTER TABLE variants ADD COLUMN run INTEGER;

    -- The small part of an item, which each run writes, and the large one, which stays while nothing changes.
    CREATE TABLE results (
      id TEXT PRIMARY KEY,
      result TEXT NOT NULL,     -- its line of the catalog
      status TEXT,              -- as in that line
      content TEXT,             -- SHA-256 of its source's bytes
      settings TEXT,            -- everything but the source that shaped the line; null where it can't be used again
      mark INTEGER              -- of the line, the settings, and what is known of the source
    ) WITHOUT ROWID;
    INSERT INTO results (id, result, status, content)
      SELECT id, coalesce(result, ''), status, content FROM items;
    CREATE TABLE places (
      id TEXT PRIMARY KEY,
      run INTEGER NOT NULL,
      position INTEGER NOT NULL,
      line INTEGER NOT NULL,
      entry TEXT NOT NULL,      -- SHA-256 of what the manifest said
      done INTEGER NOT NULL,    -- whether that run has come to a result
      reason TEXT               -- what was decided, and why
    ) WITHOUT ROWID;
    INSERT INTO places SELECT id, run, position, line, entry, result IS NOT NULL, reason FROM items;
    DROP TABLE items;
    ALTER TABLE places RENAME TO items;
    CREATE INDEX items_by_position ON items (position);
    """,
    """
    -- URLs whose bytes there is nothing to show of, and why: while these are the same, nobody looks again for a while.
    CREATE TABLE rejections (
      key TEXT PRIMARY KEY,     -- SHA-256 of the URL without its fragment
      settings TEXT NOT NULL,   -- everything but the bytes that was decisive
      kind TEXT NOT NULL,
      code TEXT NOT NULL,
      message TEXT NOT NULL,
      format TEXT,              -- what is known of the picture, like its displayed pixels
      width INTEGER,
      height INTEGER,
      content TEXT,             -- SHA-256 of the bytes, where all of them came
      etag TEXT,
      place TEXT NOT NULL,      -- SHA-256 of the URL that the bytes came from, after redirects
      seen REAL NOT NULL,       -- when they were looked at last; seconds since 1970
      twice INTEGER NOT NULL,   -- whether two looks came to the same
      mark INTEGER
    ) WITHOUT ROWID;
    """,
  ]

  /// - Parameter last: an earlier version to stop at, to be migrated from.
  static func migrate(
    _ database: Database, to last: Int = version
  ) throws(StateError) {
    let version =
      try database.prepare("PRAGMA user_version").first([]) { $0.int(0) } ?? 0
    guard version <= Self.version else {
      throw StateError(
        kind: .newer, path: database.path,
        message: "a later version of tessera wrote it (schema \(version), this one knows "
          + "\(Self.version)); use that version, or another output")
    }
    for step in version..<max(version, last) {
      try database.execute(
        "BEGIN IMMEDIATE; \(migrations[step])\n PRAGMA user_version = \(step + 1); COMMIT")
    }
  }
}
