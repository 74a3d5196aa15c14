/// A JSON value (RFC 8259) that keeps the order of members and the spelling of numbers.
///
/// What is read and written again is therefore unchanged: `1.10` stays `1.10`, and 2^63 does not
/// become a floating-point number.
package indirect enum JSONValue: Sendable, Equatable {
  case null
  case bool(Bool)
  /// The number as it is spelled in the text, checked against the grammar.
  case number(String)
  case string(String)
  case array([JSONValue])
  /// Members in the order of the text; names are unique.
  case object([Member])

  package struct Member: Sendable, Equatable {
    package var name: String
    package var value: JSONValue

    package init(_ name: String, _ value: JSONValue) {
      self.name = name
      self.value = value
    }

    package static func == (one: Member, other: Member) -> Bool {
      one.name.utf8.elementsEqual(other.name.utf8) && one.value == other.value
    }
  }

  /// Texts are equal if their bytes are, as RFC 8259 (section 8.3) compares names: strings would also be equal to others
  /// in Unicode.
  package static func == (one: JSONValue, other: JSONValue) -> Bool {
    switch (one, other) {
    case (.null, .null): true
    case (.bool(let one), .bool(let other)): one == other
    case (.number(let one), .number(let other)), (.string(let one), .string(let other)):
      one.utf8.elementsEqual(other.utf8)
    case (.array(let one), .array(let other)): one == other
    case (.object(let one), .object(let other)): one == other
    default: false
    }
  }

  package static func int(_ value: Int) -> JSONValue { .number(String(value)) }

  /// A number rounded to three decimals, for durations and ratios. Whole numbers have no decimal point, and numbers that
  /// JSON cannot hold become `null`.
  package static func rounded(_ number: Double) -> JSONValue {
    let rounded = (number * 1000).rounded() / 1000
    guard rounded.isFinite else { return .null }
    // Below 2^53 (9e15) every whole Double converts to Int exactly; 1e15 stays clear of that.
    let isWhole = rounded == rounded.rounded() && abs(rounded) < 1e15
    return .number(isWhole ? String(Int(rounded)) : "\(rounded)")
  }

  /// The kind of value in the terms of the standard, with its article, for error messages.
  package var kind: String {
    switch self {
    case .null: "null"
    case .bool: "true or false"
    case .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

extension JSONValue {
  package subscript(name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }

  package var stringValue: String? {
    if case .string(let text) = self { text } else { nil }
  }

  package var boolValue: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  package var arrayValue: [JSONValue]? {
    if case .array(let values) = self { values } else { nil }
  }

  /// The number as an integer, if it is spelled as one and fits.
  package var intValue: Int? {
    if case .number(let text) = self { Int(text) } else { nil }
  }

  /// The number as a double, if it is finite.
  package var doubleValue: Double? {
    guard case .number(let text) = self, let value = Double(text), value.isFinite else {
      return nil
    }
    return value
  }
}
