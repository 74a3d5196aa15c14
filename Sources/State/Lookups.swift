/// Statements that join what is known of one source, because each statement by itself costs as much as
/// what it looks up.
struct Lookups {
  /// By an item's id, the source's key, and the key of the request URL: the item's chunk, what its line was made of, if that
  /// may apply, whether there is a rejection, whether there is a header, and the source.
  let lookup: Statement
  /// By the source's key and the key of the request URL: source, content, header and rejection.
  let knowledge: Statement

  init(_ database: Database) throws(StateError) {
    lookup = try database.prepare(
      "SELECT items.chunk, CASE WHEN items.status IS NULL AND items.source = ?2 THEN items.made END,"
        + " rejections.key IS NOT NULL, headers.key IS NOT NULL,"
        + " \(SourceRecord.selection) FROM (SELECT 1) LEFT JOIN items ON items.id = ?1"
        + " LEFT JOIN sources ON sources.key = ?2 LEFT JOIN headers ON headers.key = ?2"
        + " LEFT JOIN rejections ON rejections.key = ?3")
    knowledge = try database.prepare(
      "SELECT \(SourceRecord.selection), \(ContentRecord.selection), \(HeaderRecord.selection),"
        + " \(RejectionRecord.selection) FROM (SELECT 1) LEFT JOIN sources ON sources.key = ?1"
        + " LEFT JOIN contents ON contents.content = sources.content"
        + " LEFT JOIN headers ON headers.key = ?1 LEFT JOIN rejections ON rejections.key = ?2")
  }
}
