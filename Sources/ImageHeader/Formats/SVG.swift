/// SVG 1.1 and 2: width and height of the outermost element, with their units, or else the view box.
///
/// An SVG has no pixels of its own: lengths are told in CSS pixels, 96 to an inch.
enum SVGHeader {
  /// The root element must begin within so many bytes: comments and a DTD may stand before it.
  private static let reach = 64 * 1024

  static func read(_ file: borrowing HeaderView) throws(HeaderStop) -> ImageHeader {
    let tag = try rootElement(file)
    let attributes = attributes(of: tag)
    let box = attributes["viewBox"].map { text in
      text.split { " ,\t\n\r".contains($0) }.compactMap { Double($0) }
    }
    let viewBox = box.flatMap { $0.count == 4 && $0[2] > 0 && $0[3] > 0 ? ($0[2], $0[3]) : nil }
    var width = attributes["width"].flatMap(pixels)
    var height = attributes["height"].flatMap(pixels)
    if let viewBox {
      // One given side takes the other along.
      if let width, height == nil { height = width * viewBox.1 / viewBox.0 }
      if let height, width == nil { width = height * viewBox.0 / viewBox.1 }
    }
    guard let width = width ?? viewBox?.0, let height = height ?? viewBox?.1, width > 0, height > 0,
      width < 1e9, height < 1e9
    else { throw .malformed("it has neither width and height nor a view box") }
    return ImageHeader(
      format: .svg, pixelWidth: max(1, Int(width.rounded())),
      pixelHeight: max(1, Int(height.rounded())), hasAlpha: true)
  }

  /// The text of the `<svg …>` tag.
  private static func rootElement(_ file: borrowing HeaderView) throws(HeaderStop) -> String {
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
        return try tag(file, from: offset)
      }
    }
    throw .malformed("it has no svg element in its first \(reach) bytes")
  }

  private static func tag(
    _ file: borrowing HeaderView, from start: Int
  ) throws(HeaderStop) -> String {
    var bytes: [UInt8] = []
    var quote: Int?
    var offset = start + 1
    while offset < start + reach {
      let byte = try file.byte(offset)
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
        return text
      }
      bytes.append(UInt8(byte))
      offset += 1
    }
    throw .malformed("its svg element has no end")
  }

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
    throw .malformed("its document type has no end")
  }

  private static func isAt(
    _ file: borrowing HeaderView, _ offset: Int, _ text: StaticString
  ) throws(HeaderStop) -> Bool {
    do throws(HeaderStop) {
      return try file.has(text, at: offset)
    } catch {
      // A file may end sooner than the text is long.
      if error == .ended { return false }
      throw error
    }
  }

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

  private static func attributes(of tag: String) -> [String: String] {
    var attributes: [String: String] = [:]
    var rest = tag[...]
    while let equals = rest.firstIndex(of: "=") {
      let name = rest[..<equals].split(whereSeparator: \.isWhitespace).last.map(String.init) ?? ""
      rest = rest[rest.index(after: equals)...].drop(while: \.isWhitespace)
      guard let quote = rest.first, quote == "\"" || quote == "'" else { return attributes }
      rest = rest.dropFirst()
      let value = rest.prefix { $0 != quote }
      attributes[name] = attributes[name] ?? String(value)
      rest = rest.dropFirst(value.count + 1)
    }
    return attributes
  }

  /// A length in CSS pixels; nil for percentages and what is no length.
  private static func pixels(_ text: String) -> Double? {
    let trimmed = text.filter { !$0.isWhitespace }
    let digits = trimmed.prefix { $0.isNumber || "+-.eE".contains($0) }
    // "1em" is not one times ten to the m.
    let number = digits.last?.isLetter == true ? digits.dropLast() : digits
    let unit = trimmed.dropFirst(number.count).lowercased()
    let factors = [
      "": 1, "px": 1, "pt": 96.0 / 72, "pc": 16, "in": 96, "cm": 96 / 2.54, "mm": 96 / 25.4,
      "q": 96 / 101.6, "em": 16, "rem": 16, "ex": 8,
    ]
    guard let value = Double(number), let factor = factors[unit], value > 0 else {
      return nil
    }
    return value * factor
  }
}
