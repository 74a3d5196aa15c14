internal import TesseraPlaceholder

/// The placeholders of a content, a column each, with what made them as the key.
struct PlaceholderRecord: MarkedRecord {
  static let table = "placeholders"
  static let key = "key"
  static let columns = Placeholders.Kind.allCases.map(\.rawValue)

  var placeholders: Placeholders

  init(_ placeholders: Placeholders) { self.placeholders = placeholders }

  init?(_ row: Statement.Row) {
    placeholders = Placeholders()
    for (column, kind) in Placeholders.Kind.allCases.enumerated() {
      let text = row.optionalText(Int32(column))
      placeholders[kind] = text?.isEmpty == true ? nil : text
    }
  }

  var values: [Statement.Value] {
    Placeholders.Kind.allCases.map { kind in
      kind == .color || kind == .css
        ? .optional(placeholders[kind]) : .text(placeholders[kind] ?? "")
    }
  }
}
