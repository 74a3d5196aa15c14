/// Recognizes the format of a manifest by its first line that is not blank.
enum ManifestFormat {
  /// Tab first: a tab in a header row is never part of a name.
  private static let separators = [Character("\t"), ",", ";"]

  /// The decoder for the format, and whether the line is a header row and not a record.
  static func decoder(for first: String) -> (any RecordDecoding, isHeader: Bool) {
    if first.drop(while: { $0 == " " || $0 == "\t" }).hasPrefix("{") {
      return (JSONLinesDecoder(), false)
    }
    for separator in separators {
      if let table = TableDecoder(header: first, separator: separator) { return (table, true) }
    }
    // A pass of its own: a header row that one separator reads may look unusable with another.
    for separator in separators {
      if let mistake = TableDecoder.mistake(inHeader: first, separator: separator) {
        return (UnusableTable(header: first, separator: separator, mistake: mistake), false)
      }
    }
    return (PlainTextDecoder(), false)
  }
}
