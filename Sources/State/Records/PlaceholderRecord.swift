internal import TesseraPlaceholder

/// The placeholders of a content, stored by what made them: content, recipe and versions.
struct PlaceholderRecord: MarkedRecord {
  static let table = "placeholders"
  static let key = "key"
  static let columns = ["color", "thumbhash", "blurhash", "lqip"]

  var placeholders: Placeholders

  init(_ placeholders: Placeholders) { self.placeholders = placeholders }

  init?(_ row: Statement.Row) {
    placeholders = Placeholders(
      color: row.optionalText(0), thumbHash: row.text(1), blurHash: row.text(2), lqip: row.text(3))
  }

  var values: [Statement.Value] {
    [
      .optional(placeholders.color), .text(placeholders.thumbHash), .text(placeholders.blurHash),
      .text(placeholders.lqip),
    ]
  }
}
