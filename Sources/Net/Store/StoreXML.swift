internal import TesseraText

/// The answers of an object store: XML of a few flat elements. Only the text of elements is read, and
/// none is nested in one of its own name, so no parser of a whole document is needed.
enum StoreXML {
  /// The text of each element with a name, in order.
  static func texts(of name: String, in text: Substring) -> [String] {
    elements(name, in: text).map { unescaped($0) }
  }

  /// The inside of each element with a name, in order.
  static func elements(_ name: String, in text: Substring) -> [Substring] {
    var found: [Substring] = []
    var rest = text
    while let start = rest.firstTag(name) {
      let inside = rest[start.upperBound...]
      guard let end = inside.firstPlace(of: "</\(name)>") else { break }
      found.append(inside[..<end.lowerBound])
      rest = inside[end.upperBound...]
    }
    return found
  }

  private static let entities = [
    ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&"),
  ]

  private static func unescaped(_ text: Substring) -> String {
    let (start, end) = ("<![CDATA[", "]]>")
    if text.begins(with: start), text.hasSuffix(end) {
      return String(text.dropFirst(start.count).dropLast(end.count))
    }
    guard text.utf8.contains(UInt8(ascii: "&")) else { return String(text) }
    var result = ""
    var rest = text
    while let start = rest.firstIndex(of: "&") {
      result += rest[..<start]
      rest = rest[start...]
      if let (entity, character) = entities.first(where: { rest.begins(with: $0.0) }) {
        result += character
        rest = rest.dropFirst(entity.count)
      } else if rest.hasPrefix("&#"), let end = rest.firstIndex(of: ";"),
        let scalar = scalar(rest[rest.index(rest.startIndex, offsetBy: 2)..<end])
      {
        result.unicodeScalars.append(scalar)
        rest = rest[rest.index(after: end)...]
      } else {
        result += "&"
        rest = rest.dropFirst()
      }
    }
    return result + rest
  }

  /// `39` or `x27`.
  private static func scalar(_ digits: Substring) -> Unicode.Scalar? {
    let number = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
    return number.flatMap(Unicode.Scalar.init)
  }
}

extension Substring {
  /// The opening tag of an element, which may have attributes.
  fileprivate func firstTag(_ name: String) -> Range<Index>? {
    var rest = self
    while let start = rest.firstPlace(of: "<\(name)") {
      let behind = rest[start.upperBound...]
      guard let next = behind.first else { return nil }
      if next == ">" || next == " " {
        guard let end = behind.firstIndex(of: ">") else { return nil }
        return start.lowerBound..<index(after: end)
      }
      rest = behind
    }
    return nil
  }

  fileprivate func firstPlace(of text: String) -> Range<Index>? {
    let (bytes, wanted) = (utf8, Array(text.utf8))
    var start = bytes.startIndex
    while let next = bytes[start...].firstIndex(of: wanted[0]) {
      if bytes[next...].starts(with: wanted) {
        return next..<bytes.index(next, offsetBy: wanted.count)
      }
      start = bytes.index(after: next)
    }
    return nil
  }
}
