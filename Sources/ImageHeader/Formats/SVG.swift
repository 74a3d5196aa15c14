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
