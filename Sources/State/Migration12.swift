/// Schema 12 records the qualities that were found for contents, so that no search is repeated.
enum Migration12 {
  static let sql = """
    CREATE TABLE qualities (
      key TEXT PRIMARY KEY,     -- SHA-256 of the bytes, "-", and a digest of what was searched
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
      retired REAL              -- as in contents
    ) WITHOUT ROWID;
    """
}
