internal import TesseraJSON

/// Writes a record as compact JSON, in the order of the file.
struct MemberWriter: ~Copyable, MemberVisitor {
  typealias Failure = Never

  var writer: JSONWriter
  /// What the manifest says of the image, as compact JSON.
  var extra: String?
  /// The order of the slots in the pipeline file.
  var slotNames: [String] = []

  init(_ writer: consuming JSONWriter) { self.writer = writer }

  mutating func required<Value: MemberValue>(_ name: String, _ value: inout Value) {
    writer.name(name)
    value.write(to: &writer)
  }

  mutating func optional<Value: MemberValue>(_ name: String, _ value: inout Value?) {
    guard let value else { return }
    writer.name(name)
    value.write(to: &writer)
  }

  mutating func collection<Value: MemberValue>(
    _ name: String, _ value: inout Value
  ) {
    required(name, &value)
  }

  mutating func named<Value: MemberValue>(_ name: String, _ value: inout [String: Value]) {
    writer.name(name)
    value.write(to: &writer, namesInOrder: slotNames)
  }

  // A `CatalogValue` keeps neither the order of members nor the spelling of numbers, so the
  // manifest's own value is written instead.
  mutating func anything(_ name: String, _ value: inout CatalogValue?) {
    guard let extra else { return }
    writer.name(name)
    writer.value(json: extra)
  }
}

extension CatalogRecord {
  func write(to writer: inout JSONWriter) {
    var record = self
    writer.beginObject()
    var visitor = MemberWriter(writer)
    Self.members(&visitor, &record)
    writer = visitor.writer
    writer.endObject()
  }
}

extension CatalogImage {
  /// The image as one line of a catalog, without a line break.
  ///
  /// - Parameter extra: compact JSON that is written in place of ``extra``.
  package func line(extra: String?) -> [UInt8] {
    var image = self
    image.forms = image.variants.isEmpty ? nil : image.variants.map { VariantForm($0) }
    var visitor = MemberWriter(JSONWriter())
    visitor.extra = extra
    visitor.writer.beginObject()
    Self.members(&visitor, &image)
    visitor.writer.endObject()
    return visitor.writer.take()
  }
}

extension Catalog {
  /// Everything but the images and their number as a JSON object without a line break; with the ``digest`` if there is one.
  ///
  /// - Parameter slotNames: the order in which ``slots`` are written; it must name all of them.
  package func headLine(slotNames: [String]) -> [UInt8] {
    var head = self
    var visitor = MemberWriter(JSONWriter())
    visitor.slotNames = slotNames
    visitor.writer.beginObject()
    Self.headMembers(&visitor, &head)
    visitor.writer.endObject()
    return visitor.writer.take()
  }
}

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
