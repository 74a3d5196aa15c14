/// Schema 11 numbers items, and stores their lines by these numbers.
///
/// SQLite keeps about a quarter of a page of a row whose key is a text, and puts the rest on a page of
/// its own: most lines of the catalog are longer. A row with a number as its key may fill the page.
/// Numbers also follow the manifest in which items came first, so that neighbours share pages whatever
/// their ids look like.
enum Migration11 {
  /// The rows wait in a temporary table, so that the new tables take the pages of the old ones.
  static let sql = """
    CREATE TEMP TABLE old AS SELECT * FROM items LEFT JOIN results USING (id) ORDER BY position;
    DROP TABLE items;
    DROP TABLE results;
    CREATE TABLE items (
      number INTEGER PRIMARY KEY,  -- declared, because VACUUM changes numbers that are not
      id TEXT NOT NULL UNIQUE,
      run INTEGER NOT NULL,
      position INTEGER NOT NULL,
      line INTEGER NOT NULL,
      entry TEXT NOT NULL,      -- SHA-256 of what the manifest said
      done INTEGER NOT NULL,    -- whether that run has a result
      reason TEXT               -- what was decided
    );
    INSERT INTO items SELECT rowid, id, run, position, line, entry, done, reason FROM old;
    CREATE INDEX items_by_position ON items (position);
    CREATE TABLE results (
      item INTEGER PRIMARY KEY, -- its number
      result TEXT NOT NULL,     -- its line of the catalog
      status TEXT,              -- as in that line
      content TEXT,             -- SHA-256 of its source's bytes
      settings TEXT,            -- digest of everything but the source that shaped the line; null if it is not reusable
      mark INTEGER,             -- checksum of the line, the settings and the source
      source TEXT,              -- the key in sources and headers; null before schema 10
      request TEXT,             -- the key in rejections; null if it is the source's
      placeholder TEXT          -- the key in placeholders; null if none is shown
    );
    INSERT INTO results
      SELECT rowid, result, status, content, settings, mark, source, request, placeholder FROM old
      WHERE result IS NOT NULL;
    DROP TABLE old;
    """
}
