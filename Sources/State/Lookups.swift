/// Statements that join what is known of one source, because each statement by itself costs as much as
/// what it looks up.
struct Lookups {
  /// By an item's id, the source's key, and the key of the request URL: the line, packed, if it may apply,
  /// its sum, the item's id, the line's mark, whether there is a rejection, whether there is a header, and the source.
  let lookup: Statement
  /// By the source's key and the key of the request URL: source, content, header and rejection.
  let knowledge: Statement

  init(_ database: Database) throws(StateError) {
    lookup = try database.prepare(
      // The line is read only if it is needed: it is the largest part.
      "SELECT results.settings, CASE WHEN results.mark IS NOT NULL AND \(LastResult.status) = 'ok' AND"
        + " results.source = ?2 THEN results.result END, results.sum, items.id,"
        + " results.mark,"
        + " rejections.key IS NOT NULL, headers.key IS NOT NULL,"
        + " \(SourceRecord.selection) FROM (SELECT 1)"
        + " LEFT JOIN items ON items.id = ?1 LEFT JOIN results ON results.item = items.number"
        + " LEFT JOIN sources ON sources.key = ?2 LEFT JOIN headers ON headers.key = ?2"
        + " LEFT JOIN rejections ON rejections.key = ?3")
    knowledge = try database.prepare(
      "SELECT \(SourceRecord.selection), \(ContentRecord.selection), \(HeaderRecord.selection),"
        + " \(RejectionRecord.selection) FROM (SELECT 1) LEFT JOIN sources ON sources.key = ?1"
        + " LEFT JOIN contents ON contents.content = sources.content"
        + " LEFT JOIN headers ON headers.key = ?1 LEFT JOIN rejections ON rejections.key = ?2")
  }
}
