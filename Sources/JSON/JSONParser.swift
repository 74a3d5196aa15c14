/// Reads one JSON text (RFC 8259) strictly: UTF-8 only, no trailing comma, no duplicate member, no
/// NaN, nothing after the value.
///
/// Nesting is limited to `maximumDepth`. Memory use is proportional to the length of the text.
package enum JSONParser {
  package static let maximumDepth = JSONScanner.maximumDepth

  package static func parse(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
    var scanner = JSONScanner(bytes)
    do throws(JSONScanner.Failure) {
      let value = try scanner.value(depth: 0)
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
