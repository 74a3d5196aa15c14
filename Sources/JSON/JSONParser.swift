/// Reads one JSON text (RFC 8259) strictly: UTF-8 only, no trailing comma, no duplicate member, no
/// NaN, nothing after the value.
///
/// Nesting is limited to `maximumDepth`. Memory use is proportional to the length of the text.
package enum JSONParser {
  package static let maximumDepth = JSONScanner.maximumDepth

  package static func parse(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
    try parse(bytes) { scanner throws(JSONScanner.Failure) in try scanner.value(depth: 0) }
  }

  /// Reads a text as ``parse(_:)`` does, but returns one member of its object as compact text: a
  /// tree takes up to thirty times the memory of the text.
  package static func parse(
    _ bytes: [UInt8], keepingText name: String
  ) throws(JSONError) -> (value: JSONValue, text: String?) {
    var text: String?
    let value = try parse(bytes) { scanner throws(JSONScanner.Failure) in
      guard scanner.isAtObject() else { return try scanner.value(depth: 0) }
      var members: [JSONValue.Member] = []
      try scanner.object { scanner, member throws(JSONScanner.Failure) in
        if member == name {
          text = try scanner.compact(depth: 1)
        } else {
          members.append(.init(member, try scanner.value(depth: 1)))
        }
      }
      return .object(members)
    }
    return (value, text)
  }

  private static func parse(
    _ bytes: [UInt8], _ body: (inout JSONScanner) throws(JSONScanner.Failure) -> JSONValue
  ) throws(JSONError) -> JSONValue {
    var scanner = JSONScanner(bytes)
    do throws(JSONScanner.Failure) {
      let value = try body(&scanner)
      guard scanner.isAtEnd() else { throw scanner.unexpected("the end of the text") }
      return value
    } catch {
      throw JSONError(offset: error.offset, message: error.message)
    }
  }
}

extension JSONScanner {
  fileprivate mutating func value(depth: Int) throws(Failure) -> JSONValue {
    switch try kind(depth: depth) {
    case .object:
      var members: [JSONValue.Member] = []
      try object { scanner, name throws(Failure) in
        members.append(.init(name, try scanner.value(depth: depth + 1)))
      }
      return .object(members)
    case .array:
      var values: [JSONValue] = []
      try array { scanner throws(Failure) in
        values.append(try scanner.value(depth: depth + 1))
      }
      return .array(values)
    case .string: return .string(try string())
    case .number: return .number(try number())
    case .bool(let flag): return .bool(flag)
    case .null: return .null
    }
  }
}

/// Why a text is not JSON, and where.
package struct JSONError: Error, Equatable, Sendable {
  /// Bytes from the start of the text.
  package var offset: Int
  /// A clause that fits after a colon: `expected a value, found "}"`.
  package var message: String

  package init(offset: Int, message: String) {
    self.offset = offset
    self.message = message
  }
}
