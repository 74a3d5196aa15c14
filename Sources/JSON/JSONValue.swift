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

/// JSON that is written in code, as a JSON Schema is.

extension JSONValue: ExpressibleByStringLiteral {
  package init(stringLiteral text: String) { self = .string(text) }
}

extension JSONValue: ExpressibleByIntegerLiteral {
  package init(integerLiteral number: Int) { self = .int(number) }
}

extension JSONValue: ExpressibleByBooleanLiteral {
  package init(booleanLiteral flag: Bool) { self = .bool(flag) }
}

extension JSONValue: ExpressibleByArrayLiteral {
  package init(arrayLiteral values: JSONValue...) { self = .array(values) }
}

extension JSONValue: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral members: (String, JSONValue)...) {
    self = .object(members.map { Member($0.0, $0.1) })
  }
}

extension JSONValue {
  /// The object with more members at its end.
  package func with(_ members: [Member]) -> JSONValue {
    guard case .object(let own) = self else { return self }
    return .object(own + members)
  }

  /// The object with the members of another one at its end.
  package func with(_ other: JSONValue) -> JSONValue {
    guard case .object(let members) = other else { return self }
    return with(members)
  }
}

extension JSONValue {
  /// The value on one line of YAML (1.1, section 7.4), for a pipeline file: `{url: [image_link, more], id: "a: b"}`. Texts of
  /// plain characters have no quotes, and others are those of JSON, which YAML reads as well.
  package var yaml: String {
    switch self {
    case .object(let members):
      return "{" + members.map { "\($0.name): \($0.value.yaml)" }.joined(separator: ", ") + "}"
    case .array(let values): return "[" + values.map(\.yaml).joined(separator: ", ") + "]"
    case .string(let text)
    where text.wholeMatch(of: /[A-Za-z0-9\/]([A-Za-z0-9_ .\/-]*[A-Za-z0-9_.\/-])?/) != nil:
      return text
    default:
      var writer = JSONWriter()
      writer.value(self)
      return writer.text
    }
  }
}

/// Numbers of JSON texts.
package enum JSONNumber {
  /// A number as ECMAScript's Number::toString writes it (ECMA-262, section 6.1.6.1.20).
  ///
  /// Swift and ECMAScript both write the shortest digits that identify the Double. They differ in
  /// where they put the decimal point and when they use an exponent.
  package static func text(of number: Double) -> String {
    guard number.isFinite else { return "null" }
    // Also for -0: ECMAScript writes both as 0.
    if number == 0 { return "0" }
    if number < 0 { return "-" + text(of: -number) }
    let parts = "\(number)".split(separator: "e")
    let mantissa = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    let fraction = mantissa.count > 1 && mantissa[1] != "0" ? mantissa[1] : ""
    var digits = Array((mantissa[0] + fraction).utf8)
    // The value is 0.DIGITS times ten to this power.
    var point = mantissa[0].utf8.count + (parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
    while digits.first == UInt8(ascii: "0") {
      digits.removeFirst()
      point -= 1
    }
    while digits.last == UInt8(ascii: "0") { digits.removeLast() }
    let text = String(decoding: digits, as: UTF8.self)
    func zeros(_ count: Int) -> String { String(repeating: "0", count: count) }
    // 21 and -5 are the limits of ECMA-262, beyond which it uses an exponent.
    switch point {
    case digits.count...21 where point >= digits.count: return text + zeros(point - digits.count)
    case 1...21: return "\(text.prefix(point)).\(text.dropFirst(point))"
    case -5...0: return "0.\(zeros(-point))\(text)"
    default:
      let exponent = point - 1
      let (first, rest) = (text.prefix(1), text.dropFirst())
      return "\(first)\(rest.isEmpty ? "" : ".")\(rest)e\(exponent < 0 ? "-" : "+")\(abs(exponent))"
    }
  }
}
