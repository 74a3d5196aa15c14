internal import TesseraJSON

// The values that members hold, apart from records.

extension String: MemberValue {
  static func read(from scanner: inout JSONScanner) throws(JSONScanner.Failure) -> String {
    try scanner.string()
  }
  func write(to writer: inout JSONWriter) { writer.value(self) }
}

extension Int: MemberValue {
  static func read(from scanner: inout JSONScanner) throws(JSONScanner.Failure) -> Int {
    try scanner.int()
  }
  func write(to writer: inout JSONWriter) { writer.value(self) }
}

extension Bool: MemberValue {
  static func read(from scanner: inout JSONScanner) throws(JSONScanner.Failure) -> Bool {
    try scanner.bool()
  }
  func write(to writer: inout JSONWriter) { writer.value(self) }
}

/// A ratio.
extension Double: MemberValue {
  static func read(from scanner: inout JSONScanner) throws(JSONScanner.Failure) -> Double {
    scanner.skipSpace()
    let start = scanner.offset
    guard let number = Double(try scanner.number()), number >= 1, number.isFinite else {
      throw JSONScanner.Failure(offset: start, message: "expected a number of at least 1")
    }
    return number
  }
  func write(to writer: inout JSONWriter) { writer.value(json: JSONNumber.text(of: self)) }
}

extension Array: MemberValue where Element: MemberValue {
  static func read(from scanner: inout JSONScanner) throws(JSONScanner.Failure) -> [Element] {
    var list: [Element] = []
    try scanner.array { scanner throws(JSONScanner.Failure) in
      list.append(try Element.read(from: &scanner))
    }
    return list
  }
  func write(to writer: inout JSONWriter) {
    writer.array { writer in for element in self { element.write(to: &writer) } }
  }
}

/// Null in an array.
extension Optional: MemberValue where Wrapped: MemberValue {
  static func read(from scanner: inout JSONScanner) throws(JSONScanner.Failure) -> Wrapped? {
    scanner.null() ? nil : try Wrapped.read(from: &scanner)
  }
  func write(to writer: inout JSONWriter) {
    if let self { self.write(to: &writer) } else { writer.null() }
  }
}

extension Dictionary: MemberValue where Key == String, Value: MemberValue {
  static func read(from scanner: inout JSONScanner) throws(JSONScanner.Failure) -> [String: Value] {
    var members: [String: Value] = [:]
    // The dictionary detects duplicates itself; `object` would keep the names a second time.
    try scanner.members { scanner, name, offset throws(JSONScanner.Failure) in
      let value = try Value.read(from: &scanner)
      guard members.updateValue(value, forKey: name) == nil else {
        throw JSONScanner.Failure(duplicate: name, at: offset)
      }
    }
    return members
  }
  func write(to writer: inout JSONWriter) { write(to: &writer, namesInOrder: keys.sorted()) }
  func write(to writer: inout JSONWriter, namesInOrder names: [String]) {
    writer.object { writer in
      for name in names {
        guard let value = self[name] else { continue }
        writer.name(name)
        value.write(to: &writer)
      }
    }
  }
}

/// A word from a fixed list.
protocol CatalogWord: MemberValue, RawRepresentable, CaseIterable where RawValue == String {}

extension CatalogWord {
  static func read(from scanner: inout JSONScanner) throws(JSONScanner.Failure) -> Self {
    scanner.skipSpace()
    let start = scanner.offset
    let text = try scanner.string()
    guard let word = Self(rawValue: text) else {
      let words = allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
      throw JSONScanner.Failure(
        offset: start, message: "expected one of \(words), found \"\(text)\"")
    }
    return word
  }
  func write(to writer: inout JSONWriter) { writer.value(rawValue) }
}

extension CatalogImage.Status: CatalogWord {}
extension CatalogSlot.Mode: CatalogWord {}
