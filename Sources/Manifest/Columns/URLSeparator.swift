internal import TesseraText

/// Finds the URLs in a field that has several.
///
/// URLs of image services have commas in them (`…/w_400,h_300/x.jpg`). In a URL, and in a path from the root, a comma is a separator
/// only if another one follows, or nothing. After a backslash a separator is a part of a URL.
enum URLSeparator {
  static func pieces(of field: String, _ separator: String?) -> [String] {
    guard let separator else { return field.isEmpty ? [] : [field] }
    var pieces = [""]
    var rest = field[...]
    while let range = rest.firstRange(of: separator) {
      let before = rest[..<range.lowerBound]
      rest = rest[range.upperBound...]
      if before.last == "\\" {
        pieces[pieces.count - 1] += before.dropLast() + separator
        continue
      }
      pieces[pieces.count - 1] += before
      if separator.contains(","), isPart(of: pieces[pieces.count - 1], before: rest) {
        pieces[pieces.count - 1] += separator
      } else {
        pieces.append("")
      }
    }
    pieces[pieces.count - 1] += rest
    return pieces.map(\.trimmed).filter { !$0.isEmpty }
  }

  /// Whether a comma after a piece is a part of it.
  private static func isPart(of piece: String, before rest: Substring) -> Bool {
    guard begins(piece) else { return false }
    // The one behind which the data begins (RFC 2397).
    if scheme(of: beginning(piece)) == "data", !piece.contains(",") { return true }
    let next = rest.drop { $0 == " " || $0 == "\t" }
    return !next.isEmpty && !next.hasPrefix(",") && !begins(next)
  }

  /// Whether a text begins as a URL does, or as a path from the root. What else has a colon is a setting of an image service.
  private static func begins(_ text: some StringProtocol) -> Bool {
    let text = beginning(text)
    if text.hasPrefix("/") { return true }
    guard let scheme = scheme(of: text) else { return false }
    return scheme == "data" || text.dropFirst(scheme.count).hasPrefix(":/")
  }

  /// As much as tells how a text begins: a field may have very many commas.
  private static func beginning(_ text: some StringProtocol) -> String {
    String(text.drop { $0 == " " || $0 == "\t" }.prefix(64))
  }

  private static func scheme(of text: String) -> String? { SourceURL.scheme(of: text) }
}
