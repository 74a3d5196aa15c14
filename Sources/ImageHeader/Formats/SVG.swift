/// SVG 1.1 and 2: width and height of the outermost element, with their units, or else the view
/// box, or else 300 by 150 as in browsers. Of its style they take no size either.
///
/// An SVG has no pixels of its own: the size is in CSS pixels, 96 per inch (CSS Values 3, section
/// 5.2).
enum SVGHeader: FormatReading {
  static func read(_ file: borrowing HeaderView) throws(HeaderStop) -> ImageHeader {
    let root = try SVGRoot.tag(file)
    let attributes = attributes(of: root.text)
    let box = attributes["viewBox"].map { text in
      text.split { " ,\t\n\r".contains($0) }.compactMap { Double($0) }
    }
    let viewBox = box.flatMap { $0.count == 4 && $0[2] > 0 && $0[3] > 0 ? ($0[2], $0[3]) : nil }
    var width = try attributes["width"].flatMap(pixels)
    var height = try attributes["height"].flatMap(pixels)
    if let viewBox {
      // One side alone implies the other by the shape of the view box.
      if let width, height == nil { height = width * viewBox.1 / viewBox.0 }
      if let height, width == nil { width = height * viewBox.0 / viewBox.1 }
    }
    // What nothing is said of is as long as in a page (CSS 2.2, section 10.3.2).
    let sides = [width ?? viewBox?.0 ?? 300, height ?? viewBox?.1 ?? 150]
    guard sides.allSatisfy({ $0 < 1e9 }) else {  // so that rounding to an integer cannot trap
      throw .malformed("one of its sides is longer than any image")
    }
    let (across, down) = (max(1, Int(sides[0].rounded())), max(1, Int(sides[1].rounded())))
    var header = ImageHeader(format: .svg, pixelWidth: across, pixelHeight: down, hasAlpha: true)
    header.coded.edits = edits(of: root, attributes, across, down)
    return header
  }

  /// What makes librsvg draw the size above, and text without a size in that of a page (16 px, instead of 12). A declaration of the element's own style precedes attributes and style sheets.
  private static func edits(
    of root: SVGRoot.Tag, _ attributes: [String: Substring], _ width: Int, _ height: Int
  ) -> [CodedSamples.Edit] {
    let size = "width:\(width)px;height:\(height)px"
    let font = attributes["font-size"] == nil ? " font-size=\"16px\"" : ""
    let afterName = root.text.prefix { !$0.isWhitespace && $0 != "/" }.utf8.count
    guard let style = attributes["style"] else {
      return [.init(before: root.start + afterName, "\(font) style=\"\(size)\"")]
    }
    let end = root.text.utf8.distance(from: root.text.startIndex, to: style.endIndex)
    return [
      .init(before: root.start + afterName, font), .init(before: root.start + end, ";\(size)"),
    ]
  }

  /// The attributes of a tag by name; of duplicates the first.
  private static func attributes(of tag: String) -> [String: Substring] {
    var attributes: [String: Substring] = [:]
    var rest = tag[...]
    while let equals = rest.firstIndex(of: "=") {
      let name = rest[..<equals].split(whereSeparator: \.isWhitespace).last.map(String.init) ?? ""
      rest = rest[rest.index(after: equals)...].drop(while: \.isWhitespace)
      // XML requires the quotes (XML 1.0, section 3.1): without them the tag is not well-formed.
      guard let quote = rest.first, quote == "\"" || quote == "'" else { return attributes }
      rest = rest.dropFirst()
      let value = rest.prefix { $0 != quote }
      attributes[name] = attributes[name] ?? value
      rest = rest.dropFirst(value.count + 1)
    }
    return attributes
  }

  /// A length in CSS pixels; nil for percentages and for text that is not a length.
  private static func pixels(_ text: Substring) throws(HeaderStop) -> Double? {
    if text.contains("&") { throw .malformed("one of its sides is an entity") }
    let trimmed = text.filter { !$0.isWhitespace }
    let digits = trimmed.prefix { $0.isNumber || "+-.eE".contains($0) }
    // In "1em" the "e" belongs to the unit, not to an exponent.
    let number = digits.last?.isLetter == true ? digits.dropLast() : digits
    let unit = trimmed.dropFirst(number.count).lowercased()
    // Relative units assume the initial font size of 16 px.
    let factors = [
      "": 1, "px": 1, "pt": 96.0 / 72, "pc": 16, "in": 96, "cm": 96 / 2.54, "mm": 96 / 25.4,
      "q": 96 / 101.6, "em": 16, "rem": 16, "ex": 8,
    ]
    guard let value = Double(number), let factor = factors[unit] else { return nil }
    guard value > 0 else { throw .malformed("one of its sides is \(text.prefix(40))") }
    return value * factor
  }
}

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
