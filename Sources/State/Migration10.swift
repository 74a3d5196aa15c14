/// Schema 10 records what each item needs, so that `prune` finds the rows that none does; what the last
/// completed run made, so that the next one notices a manifest that was cut off, or another pipeline; and
/// which place gave a validator. It believes no lifetime of before.
///
/// Earlier versions took the freshness of the last hop alone, so what they hold as fresh may be the
/// target of a redirect that leads elsewhere now: everything is revalidated once. A source's `url`
/// is the place of its validators, so that this request is conditional. `rejections.place` is that
/// URL, too, from now on; earlier ones are digests and match none, and headers have none yet: the
/// first request for those is unconditional.
///
/// Changed rows lose their marks, as in ``Migration9``, until their source is confirmed.
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

    ALTER TABLE headers ADD COLUMN place TEXT;  -- the URL after redirects, without secrets
    UPDATE headers SET fresh_until = NULL, mark = NULL;
    UPDATE sources SET fresh_until = NULL, mark = NULL WHERE fresh_until IS NOT NULL;
    """
}
