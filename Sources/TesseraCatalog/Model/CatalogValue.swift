internal import TesseraJSON

/// A JSON value (RFC 8259), used for the `extra` of a manifest entry: data that Tessera passes through
/// to the app.
public enum CatalogValue: Sendable, Hashable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A whole number of at most 64 bits.
  case integer(Int)
  /// Any other number.
  case number(Double)
  /// A string.
  case string(String)
  /// A list of values.
  case array([CatalogValue])
  /// Names are compared as Swift strings are, by canonical equivalence.
  case object([String: CatalogValue])

  /// A member of an object; nil if the value is not an object or has no member of this name.
  public subscript(name: String) -> CatalogValue? {
    if case .object(let members) = self { members[name] } else { nil }
  }

  /// The text of a string; nil for other values.
  public var stringValue: String? { if case .string(let text) = self { text } else { nil } }
  /// A whole number; nil for other values.
  public var integerValue: Int? { if case .integer(let number) = self { number } else { nil } }
  /// The value of a number or an integer.
  public var numberValue: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .number(let number): number
    default: nil
    }
  }
  /// True or false; nil for other values.
  public var boolValue: Bool? { if case .bool(let flag) = self { flag } else { nil } }
  /// The elements of a list; nil for other values.
  public var arrayValue: [CatalogValue]? { if case .array(let list) = self { list } else { nil } }
}

extension CatalogValue {
  /// Reads a value of any kind.
  static func read(from scanner: inout JSONScanner) throws(JSONScanner.Failure) -> CatalogValue {
    try read(from: &scanner, depth: 0)
  }

  /// Writes the members of objects in the order of their names.
  func write(to writer: inout JSONWriter) {
    switch self {
    case .null: writer.null()
    case .bool(let flag): writer.value(flag)
    case .integer(let number): writer.value(number)
    case .number(let number): writer.value(json: JSONNumber.text(of: number))
    case .string(let text): writer.value(text)
    case .array(let list):
      writer.beginArray()
      for element in list { element.write(to: &writer) }
      writer.endArray()
    case .object(let members):
      writer.beginObject()
      for (name, value) in members.sorted(by: { $0.key < $1.key }) {
        writer.name(name)
        value.write(to: &writer)
      }
      writer.endObject()
    }
  }

  /// - Parameter depth: the nesting depth at which the value counts; see
  ///   `JSONScanner.maximumDepth`.
  static func read(
    from scanner: inout JSONScanner, depth: Int
  ) throws(JSONScanner.Failure) -> CatalogValue {
    switch try scanner.kind(depth: depth) {
    case .object:
      var members: [String: CatalogValue] = [:]
      try scanner.members { scanner, name, offset throws(JSONScanner.Failure) in
        let value = try read(from: &scanner, depth: depth + 1)
        guard members.updateValue(value, forKey: name) == nil else {
          throw JSONScanner.Failure(duplicate: name, at: offset)
        }
      }
      return .object(members)
    case .array:
      var list: [CatalogValue] = []
      try scanner.array { scanner throws(JSONScanner.Failure) in
        list.append(try read(from: &scanner, depth: depth + 1))
      }
      return .array(list)
    case .string: return .string(try scanner.string())
    case .number: return number(try scanner.number())
    case .bool(let flag): return .bool(flag)
    case .null: return .null
    }
  }

  private static func number(_ text: String) -> CatalogValue {
    if let whole = Int(text) { return .integer(whole) }
    // The text is a number in JSON, and Swift reads all of those.
    guard let value = Double(text) else { return .null }
    // The data is the app's. A number that no Double can hold must not make its catalog unreadable,
    // so it becomes the largest one.
    guard value.isFinite else {
      return .number(value < 0 ? -.greatestFiniteMagnitude : .greatestFiniteMagnitude)
    }
    // Foundation's decoder also reads 1.0 as a whole number.
    return Int(exactly: value).map { .integer($0) } ?? .number(value)
  }
}
