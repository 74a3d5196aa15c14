/// Schema 13 lets damage and loss be noticed: a checksum of each line of the catalog; since when an image's source
/// is gone; which pipeline made the catalog, and where its requests went. It also records what an item had
/// before, so that `forget` finds all of it.
enum Migration13 {
  static let sql = """
    -- Checksum of the item's id and the line (RecordMark). Lines of earlier versions have none, and are made again.
    ALTER TABLE results ADD COLUMN sum INTEGER;
    ALTER TABLE items ADD COLUMN lost REAL;       -- when a lasting error was first seen; seconds since 1970
    ALTER TABLE runs ADD COLUMN identity TEXT;    -- SHA-256 of the pipeline file's path
    ALTER TABLE runs ADD COLUMN addresses TEXT;   -- SHA-256 of what makes requests of the manifest's URLs
    -- What an item had, and no longer has: a file, or a key of a table.
    CREATE TABLE former (
      name TEXT NOT NULL,       -- "file", "sources", "rejections", "contents" or "placeholders", and the path or key
      id TEXT NOT NULL,         -- of the item
      PRIMARY KEY (name, id)
    ) WITHOUT ROWID;
    """
}
