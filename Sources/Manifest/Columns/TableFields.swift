/// The fields of a record in CSV (RFC 4180) or TSV.
///
/// It works on bytes, as ``RecordSplitter`` does: a Swift character may join a comma or a quote
/// with a combining mark after it, and would hide the separator.
enum TableFields {
  /// The fields of one record, without quotes; nil if the quotes are wrong.
  static func split(_ text: String, separator: Character) -> [String]? {
    let (quote, separator) = (UInt8(ascii: "\""), separator.asciiValue)
    var fields: [String] = []
    var rest = text.utf8[...]
    while true {
      var field: [UInt8] = []
      if rest.first == quote {
        rest.removeFirst()
        while true {
          guard let end = rest.firstIndex(of: quote) else { return nil }
          field += rest[..<end]
          rest = rest[rest.index(after: end)...]
          // Two quotes stand for one within the field.
          guard rest.first == quote else { break }
          field.append(quote)
          rest.removeFirst()
        }
        guard rest.isEmpty || rest.first == separator else { return nil }
      } else {
        let end = rest.firstIndex { $0 == separator } ?? rest.endIndex
        field += rest[..<end]
        rest = rest[end...]
      }
      fields.append(String(decoding: field, as: UTF8.self))
      guard rest.first == separator else { return fields }
      rest.removeFirst()
    }
  }
}
