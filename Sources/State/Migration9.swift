internal import TesseraPlan

/// Schema 9 stores decisions as data where schema 8 stored sentences.
///
/// Changed rows lose their marks, because a mark covers the values; a record without a mark is
/// believed, as it was before there were marks.
enum Migration9 {
  static let sql = """
    -- The failure's arguments, as JSON.
    ALTER TABLE rejections RENAME COLUMN message TO details;
    UPDATE rejections SET details = json_array('text', details), mark = NULL;
    -- Lines with warnings are made again, because the warnings' words have changed.
    UPDATE results SET settings = NULL WHERE result LIKE '%"warnings":[%';
    -- What was decided about an item: JSON, see Reason.
    UPDATE items SET reason = json_array(json_array('text', reason)) WHERE reason IS NOT NULL;
    """

  /// Turns the sentences in `contents.warnings` into ``SourceWarning``.
  static func convertWarnings(_ database: Database) throws(StateError) {
    var found: [(content: String, warnings: String)] = []
    try database.prepare("SELECT content, warnings FROM contents WHERE warnings <> ''").run { row in
      found.append((row.text(0), row.text(1)))
    }
    let update = try database.prepare(
      "UPDATE contents SET warnings = ?, mark = NULL WHERE content = ?")
    for (content, text) in found {
      let warnings = text.split(separator: "\n").map { warning(of: String($0)) }
      try update.run([.text(SourceWarning.stored(warnings)), .text(content)])
    }
  }

  /// The warning that a sentence of schema 8 stands for. The sentences are those of that time; they
  /// never change.
  static func warning(of sentence: String) -> SourceWarning {
    let damaged = "the picture is damaged, and shown as far as it can be decoded (fail-on: "
    let unusable = "the colour profile could not be used: "
    if sentence.hasPrefix(damaged) {
      let rest = sentence.dropFirst(damaged.count)
      let level = FailOn(rawValue: String(rest.prefix { $0 != ")" })) ?? .none
      let detail = rest.drop { $0 != ":" }.dropFirst(2)
      return .damaged(level, detail: String(detail))
    }
    if sentence.hasPrefix(unusable) {
      return .unusableProfile(detail: String(sentence.dropFirst(unusable.count)))
    }
    return .damagedProfile
  }
}
