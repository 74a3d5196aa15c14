/// A JSON value (RFC 8259): what a manifest says of a picture beyond what Tessera knows.
public enum CatalogValue: Sendable, Equatable, Codable {
  case null
  case bool(Bool)
  /// A number without a fraction or an exponent, where it has at most 64 bits.
  case integer(Int)
  case number(Double)
  case string(String)
  case array([CatalogValue])
  /// Names that look alike are one, as strings in Swift are.
  case object([String: CatalogValue])

  /// A member of an object; nil where this is none, or has none of this name.
  public subscript(name: String) -> CatalogValue? {
    if case .object(let members) = self { members[name] } else { nil }
  }

  public var stringValue: String? { if case .string(let text) = self { text } else { nil } }
  public var integerValue: Int? { if case .integer(let number) = self { number } else { nil } }
  /// Of an integer, too.
  public var numberValue: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .number(let number): number
    default: nil
    }
  }
  public var boolValue: Bool? { if case .bool(let flag) = self { flag } else { nil } }
  public var arrayValue: [CatalogValue]? { if case .array(let list) = self { list } else { nil } }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let flag = try? container.decode(Bool.self) {
      self = .bool(flag)
    } else if let number = try? container.decode(Int.self) {
      self = .integer(number)
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else if let text = try? container.decode(String.self) {
      self = .string(text)
    } else if let list = try? container.decode([CatalogValue].self) {
      self = .array(list)
    } else {
      self = .object(try container.decode([String: CatalogValue].self))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let flag): try container.encode(flag)
    case .integer(let number): try container.encode(number)
    case .number(let number): try container.encode(number)
    case .string(let text): try container.encode(text)
    case .array(let list): try container.encode(list)
    case .object(let members): try container.encode(members)
    }
  }
}
