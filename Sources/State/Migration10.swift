/// Schema 10 records what each item needs, so that `prune` finds the rows that none does; and what the
/// last completed run made, so that the next one notices a manifest that was cut off, or another
/// pipeline.
enum Migration10 {
  static let sql = """
    -- Keys of what an item's line was made from. In results of schema 9 and earlier the source is null:
    -- their items are processed once more.
    ALTER TABLE results ADD COLUMN source TEXT;       -- in sources and headers
    ALTER TABLE results ADD COLUMN request TEXT;      -- in rejections; null if it is the source's
    ALTER TABLE results ADD COLUMN placeholder TEXT;  -- in placeholders; null if none is shown
    -- When `prune` first saw that nothing names the row; seconds since 1970. Saving the row clears it.
    ALTER TABLE sources ADD COLUMN retired REAL;
    ALTER TABLE headers ADD COLUMN retired REAL;
    ALTER TABLE rejections ADD COLUMN retired REAL;
    ALTER TABLE contents ADD COLUMN retired REAL;
    ALTER TABLE placeholders ADD COLUMN retired REAL;
    -- The pipeline's name and the number of items; null until the run is completed.
    ALTER TABLE runs ADD COLUMN pipeline TEXT;
    ALTER TABLE runs ADD COLUMN items INTEGER;
    """
}
