internal import TesseraPlaceholder

/// The placeholders of a content, stored by what made them: content, recipe and versions. A kind that
/// was not made is an empty text.
struct PlaceholderRecord: MarkedRecord {
  static let table = "placeholders"
  static let key = "key"
  static let columns = ["color", "thumbhash", "blurhash", "lqip"]

  var placeholders: Placeholders

  init(_ placeholders: Placeholders) { self.placeholders = placeholders }

  init?(_ row: Statement.Row) {
    func text(_ column: Int32) -> String? {
      let text = row.text(column)
      return text.isEmpty ? nil : text
    }
    placeholders = Placeholders(
      color: row.optionalText(0), thumbHash: text(1), blurHash: text(2), lqip: text(3))
  }

  var values: [Statement.Value] {
    [
      .optional(placeholders.color), .text(placeholders.thumbHash ?? ""),
      .text(placeholders.blurHash ?? ""), .text(placeholders.lqip ?? ""),
    ]
  }
}
