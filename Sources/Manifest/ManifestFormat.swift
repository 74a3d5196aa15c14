internal import TesseraText

/// Recognizes the format of a manifest by its first line that is not blank.
enum ManifestFormat {
  case readable(any RecordDecoding, isHeader: Bool)
  /// A table, or a line that has no mapping for it. No line of it can be used.
  case rejected(ListRejection)

  /// Tab first: a tab in a header row is never part of a name.
  private static let separators = [Character("\t"), ",", ";"]

  /// - Parameter mapping: the pipeline's; nil if it has none.
  init(first: String, _ mapping: ColumnMapping? = nil) {
    if first.drop(while: { $0 == " " || $0 == "\t" }).hasPrefix("{") {
      self = .readable(mapping.map { MappedJSONDecoder($0) } ?? JSONLinesDecoder(), isHeader: false)
      return
    }
    for separator in Self.separators {
      if let table = TableDecoder(header: first, separator: separator, mapping) {
        self = .readable(table, isHeader: true)
        return
      }
    }
    // A pass of its own: a header row that one separator reads may look unusable with another.
    let headers = Self.headers(in: first)
    // The one with the most columns: a name may have a comma in it.
    if let names = headers.max(by: { $0.count < $1.count }) {
      self = .rejected(ListRejection(ofHeader: names, mapping))
    } else if mapping != nil {
      self = .rejected(
        ListRejection(
          reason: "\"columns\" in the pipeline file needs a table with a header row, or JSON Lines")
      )
    } else {
      self = .readable(PlainTextDecoder(), isHeader: false)
    }
  }

  /// The names of a line that looks like a header row, with each separator with which it does.
  static func headers(in line: String) -> [[String]] {
    separators.compactMap { header(in: line, separator: $0) }
  }

  /// The line in which a spreadsheet says what is between fields, before the header row.
  static func isSeparatorLine(_ text: String) -> Bool {
    text.lowercased().wholeMatch(of: /"?sep=.?"?/) != nil
  }

  /// The names of a line that looks like a header row; nil for other lines. They are several fields of which most are plain
  /// words, and none is a URL.
  static func header(in line: String, separator: Character) -> [String]? {
    guard let names = TableDecoder.names(in: line, separator: separator), names.count > 1,
      !names.contains(where: { $0.contains("://") })
    else { return nil }
    let words = names.count { !$0.isEmpty && $0.utf8.allSatisfy(isWordByte) }
    return words * 2 > names.count ? names : nil
  }

  /// Letters of ASCII, digits, a few marks, and all bytes of characters beyond ASCII.
  private static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
      UInt8(ascii: " "), 0x80...:
      true
    default: false
    }
  }
}

/// Why no line of a list can be used.
package struct ListRejection: Error, Sendable, Equatable {
  /// A sentence without its full stop: what was expected, what was found, what to do.
  package var reason: String
  /// The mapping that the list probably needs; nil if it is not of a known shop system.
  package var columns: ColumnMapping?

  /// Names that a message lists.
  private static let listed = 12

  init(reason: String) { self.reason = reason }

  /// - Parameter mapping: that the header row does not fit; nil if there is none.
  init(ofHeader names: [String], _ mapping: ColumnMapping?) {
    if let mapping {
      let missing = mapping.missing(in: names)
      reason =
        "there is no column \"\(missing.first ?? "")\", which \"columns\" in the pipeline file names"
        + Nearest.hint(for: missing.first ?? "", among: names) + "; it has \(Self.list(names))"
    } else if let twice = TableDecoder.repeatedName(in: names) {
      reason = "there are two columns \"\(twice)\""
    } else if let (shop, columns) = ShopExport.recognized(names) {
      self.columns = columns
      reason =
        "it is \(shop); add this to the pipeline file: columns: \(columns.yaml)"
    } else {
      let likely = names.first { $0.lowercased().contains(/image|img|photo|url|src|link/) }
      let mapping = ColumnMapping([.url: [likely ?? "NAME"]])
      reason =
        "there is no column \"url\"; it has \(Self.list(names)); say in the pipeline file which one has the "
        + "URLs, such as columns: \(mapping.yaml)"
    }
  }

  /// Nil if only the one line is lost. Of rows whose ids are shared it would not be: another image of the id would get the
  /// place of the one that can't be read. Neither can columns be found in a header row.
  ///
  /// - Parameter isFirst: whether it is the first line of the list.
  init?(ofOtherEncoding bytes: [UInt8], line: Int, _ mapping: ColumnMapping?, isFirst: Bool) {
    let text = String(decoding: bytes, as: UTF8.self)
    let isHeader = isFirst && !ManifestFormat.headers(in: text).isEmpty
    guard isHeader || mapping?.columns[.id] != nil else { return nil }
    reason = Self.otherEncoding(line)
  }

  /// A line that is not in UTF-8, and what to do about it: a clause.
  package static func otherEncoding(_ line: Int) -> String {
    "line \(line) is not in UTF-8; save the table as \"CSV UTF-8\", or convert it, if it is from Excel: "
      + "iconv -f WINDOWS-1252 -t UTF-8 OLD.csv > NEW.csv"
  }

  /// Behind an element of an array that can't be read it is not known where the others begin.
  init(ofElement line: Int, _ problem: String) {
    reason =
      "it begins as a JSON array does, and what is on line \(line) is not an element of one: \(problem); correct it, or write one "
      + "object per line (JSON Lines), of which only that line would be lost"
  }

  /// - Parameter line: the first of the record that is not whole.
  init(cutOff line: Int) {
    reason =
      "it is cut off in line \(line), which is not whole and has no line end; make or fetch the list again, or, if nothing "
      + "is missing, end that line"
  }

  private static func list(_ names: [String]) -> String {
    let more = names.count > listed ? " and \(names.count - listed) more" : ""
    return names.prefix(listed).joined(separator: ", ") + more
  }
}
