/// SVG 1.1 and 2: width and height of the outermost element, with their units, or else the view
/// box.
///
/// An SVG has no pixels of its own: the size is in CSS pixels, 96 per inch (CSS Values 3, section
/// 5.2).
enum SVGHeader: FormatReading {
  static func read(_ file: borrowing HeaderView) throws(HeaderStop) -> ImageHeader {
    let tag = try SVGRoot.tag(file)
    let attributes = attributes(of: tag)
    let box = attributes["viewBox"].map { text in
      text.split { " ,\t\n\r".contains($0) }.compactMap { Double($0) }
    }
    let viewBox = box.flatMap { $0.count == 4 && $0[2] > 0 && $0[3] > 0 ? ($0[2], $0[3]) : nil }
    var width = attributes["width"].flatMap(pixels)
    var height = attributes["height"].flatMap(pixels)
    if let viewBox {
      // One side alone implies the other by the shape of the view box.
      if let width, height == nil { height = width * viewBox.1 / viewBox.0 }
      if let height, width == nil { width = height * viewBox.0 / viewBox.1 }
    }
    guard let width = width ?? viewBox?.0, let height = height ?? viewBox?.1, width > 0, height > 0,
      width < 1e9, height < 1e9  // so that rounding to an integer cannot trap
    else { throw .malformed("it has neither width and height nor a view box") }
    return ImageHeader(
      format: .svg, pixelWidth: max(1, Int(width.rounded())),
      pixelHeight: max(1, Int(height.rounded())), hasAlpha: true)
  }

  /// The attributes of a tag by name; of duplicates the first.
  private static func attributes(of tag: String) -> [String: String] {
    var attributes: [String: String] = [:]
    var rest = tag[...]
    while let equals = rest.firstIndex(of: "=") {
      let name = rest[..<equals].split(whereSeparator: \.isWhitespace).last.map(String.init) ?? ""
      rest = rest[rest.index(after: equals)...].drop(while: \.isWhitespace)
      // XML requires the quotes (XML 1.0, section 3.1): without them the tag is not well-formed.
      guard let quote = rest.first, quote == "\"" || quote == "'" else { return attributes }
      rest = rest.dropFirst()
      let value = rest.prefix { $0 != quote }
      attributes[name] = attributes[name] ?? String(value)
      rest = rest.dropFirst(value.count + 1)
    }
    return attributes
  }

  /// A length in CSS pixels; nil for percentages and for text that is not a length.
  private static func pixels(_ text: String) -> Double? {
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
    guard let value = Double(number), let factor = factors[unit], value > 0 else {
      return nil
    }
    return value * factor
  }
}
