/// Finds the root element of an SVG file after its prolog: XML declaration, comments, DTD.
enum SVGRoot {
  /// The root element must begin within this many bytes. Some drawing programs write a DTD of some
  /// kilobytes and long comments before it.
  private static let reach = 64 * 1024

  /// Whether the first element, after blanks, declarations and comments, may be `<svg`. That
  /// element distinguishes SVG from other XML and from HTML; it must begin in the first 4 KiB.
  static func isLikely(_ file: borrowing HeaderView) throws(HeaderStop) -> Bool {
    var offset = 0
    // A byte order mark.
    if file.fileSize ?? 3 >= 3, try file.byte(0) == 0xEF, try file.byte(1) == 0xBB { offset = 3 }
    while offset < (file.fileSize ?? 64), offset < 64, ASCII.isBlank(try file.byte(offset)) {
      offset += 1
    }
    guard offset + 5 < file.fileSize ?? 256, try file.byte(offset) == UInt8(ascii: "<") else {
      return false
    }
    if try file.has("<svg", at: offset) { return true }
    var isXML = try file.has("<?xml", at: offset)
    if !isXML { isXML = try file.has("<!--", at: offset) }
    if !isXML, offset + 13 < file.fileSize ?? 256 {
      isXML = try file.has("<!DOCTYPE svg", at: offset)
    }
    guard isXML else { return false }
    let end = min(file.fileSize ?? 4096, 4096)
    while offset + 4 <= end {
      if try file.has("<svg", at: offset) { return true }
      if try file.has(":svg", at: offset) { return true }
      offset += 1
    }
    return false
  }

  /// The text of the tag `<svg …>`, without its angle brackets, and where it starts.
  struct Tag {
    var text: String
    var start: Int
  }

  static func tag(_ file: borrowing HeaderView) throws(HeaderStop) -> Tag {
    var offset = 0
    while offset < reach {
      guard try file.byte(offset) == UInt8(ascii: "<") else {
        offset += 1
        continue
      }
      if try isAt(file, offset, "<!--") {
        offset = try find(file, "-->", from: offset + 4)
      } else if try isAt(file, offset, "<?") {
        offset = try find(file, "?>", from: offset + 2)
      } else if try isAt(file, offset, "<!DOCTYPE") {
        offset = try endOfDocumentType(file, from: offset)
      } else {
        return try tag(file, at: offset)
      }
    }
    throw .malformed("it has no svg element in its first \(reach) bytes")
  }

  private static func tag(
    _ file: borrowing HeaderView, at start: Int
  ) throws(HeaderStop) -> Tag {
    var bytes: [UInt8] = []
    var quote: Int?
    var offset = start + 1
    while offset < start + reach {
      let byte = try file.byte(offset)
      // A ">" in quotes does not end the tag.
      if let open = quote {
        if byte == open { quote = nil }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      } else if byte == UInt8(ascii: ">") {
        let text = String(decoding: bytes, as: UTF8.self)
        let name = text.prefix { !$0.isWhitespace && $0 != "/" }
        guard name == "svg" || name.hasSuffix(":svg") else {
          throw .malformed("its outermost element is \(name.prefix(40)), not svg")
        }
        return Tag(text: text, start: start + 1)
      }
      bytes.append(UInt8(byte))
      offset += 1
    }
    throw .malformed("its svg element has no end")
  }

  /// The offset after a document type declaration, whose internal subset in brackets may hold ">".
  private static func endOfDocumentType(
    _ file: borrowing HeaderView, from start: Int
  ) throws(HeaderStop) -> Int {
    var depth = 0
    var offset = start
    while offset < reach {
      switch try file.byte(offset) {
      case Int(UInt8(ascii: "[")): depth += 1
      case Int(UInt8(ascii: "]")): depth -= 1
      case Int(UInt8(ascii: ">")) where depth <= 0: return offset + 1
      default: break
      }
      offset += 1
    }
    throw .malformed("its document type declaration has no end")
  }

  /// Whether a text begins at an offset.
  private static func isAt(
    _ file: borrowing HeaderView, _ offset: Int, _ text: StaticString
  ) throws(HeaderStop) -> Bool {
    do throws(HeaderStop) {
      return try file.has(text, at: offset)
    } catch {
      // The file may end within the text.
      if error == .ended { return false }
      throw error
    }
  }

  /// The offset after the next occurrence of a text.
  private static func find(
    _ file: borrowing HeaderView, _ text: StaticString, from start: Int
  ) throws(HeaderStop) -> Int {
    var offset = start
    while offset < reach {
      if try file.has(text, at: offset) { return offset + text.utf8CodeUnitCount }
      offset += 1
    }
    throw .malformed("a comment at its start has no end")
  }
}
