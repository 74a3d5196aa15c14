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

/// Reads one JSON text (RFC 8259) strictly: UTF-8 only, no trailing comma, no duplicate member, no
/// NaN, nothing after the value.
///
/// Nesting is limited to `maximumDepth`, because texts of 100,000 brackets are written to break
/// stacks. The parser allocates in proportion to the text, never to what the text claims.
package struct JSONParser {
  package static let maximumDepth = 64

  private let bytes: [UInt8]
  private var offset = 0

  package static func parse(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
    var parser = JSONParser(bytes: bytes)
    parser.skipSpace()
    let value = try parser.value(depth: 0)
    parser.skipSpace()
    guard parser.offset == bytes.count else {
      throw parser.error("expected the end of the text, found \(parser.found)")
    }
    return value
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
    guard depth < Self.maximumDepth else {
      throw error("nested more than \(Self.maximumDepth) levels deep")
    }
    guard let first = peek else { throw error("expected a value, found \(found)") }
    switch first {
    case UInt8(ascii: "{"): return try object(depth: depth)
    case UInt8(ascii: "["): return try array(depth: depth)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try literal("true", .bool(true))
    case UInt8(ascii: "f"): return try literal("false", .bool(false))
    case UInt8(ascii: "n"): return try literal("null", .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
    default: throw error("expected a value, found \(found)")
    }
  }

  private static let few = 16

  private mutating func object(depth: Int) throws(JSONError) -> JSONValue {
    offset += 1
    var members: [JSONValue.Member] = []
    // Of many members alone: a few are compared sooner than hashed.
    var names: Set<String> = []
    skipSpace()
    if take("}") { return .object([]) }
    while true {
      skipSpace()
      guard peek == UInt8(ascii: "\"") else {
        throw error("expected a member's name in quotes, found \(found)")
      }
      let start = offset
      let name = try string()
      if members.count == Self.few { names = Set(members.map(\.name)) }
      let isNew =
        members.count < Self.few
        ? !members.contains { $0.name == name } : names.insert(name).inserted
      guard isNew else {
        throw JSONError(offset: start, message: "the member \"\(name)\" stands twice")
      }
      skipSpace()
      guard take(":") else { throw error("expected \":\" after a member's name, found \(found)") }
      skipSpace()
      members.append(.init(name, try value(depth: depth + 1)))
      skipSpace()
      if take("}") { return .object(members) }
      guard take(",") else { throw error("expected \",\" or \"}\", found \(found)") }
    }
  }

  private mutating func array(depth: Int) throws(JSONError) -> JSONValue {
    offset += 1
    var values: [JSONValue] = []
    skipSpace()
    if take("]") { return .array([]) }
    while true {
      skipSpace()
      values.append(try value(depth: depth + 1))
      skipSpace()
      if take("]") { return .array(values) }
      guard take(",") else { throw error("expected \",\" or \"]\", found \(found)") }
    }
  }

  private mutating func literal(_ word: StaticString, _ value: JSONValue) throws(JSONError)
    -> JSONValue
  {
    let text = Array("\(word)".utf8)
    guard bytes[offset...].starts(with: text) else {
      throw error("expected a value, found \(found)")
    }
    offset += text.count
    return value
  }

  private mutating func number() throws(JSONError) -> String {
    let start = offset
    _ = take("-")
    if !take("0") {
      guard takeDigits() > 0 else { throw error("expected a digit, found \(found)") }
    }
    if take(".") {
      guard takeDigits() > 0 else { throw error("expected a digit after \".\", found \(found)") }
    }
    if take("e") || take("E") {
      if !take("+") { _ = take("-") }
      guard takeDigits() > 0 else {
        throw error("expected a digit in the exponent, found \(found)")
      }
    }
    return String(decoding: bytes[start..<offset], as: UTF8.self)
  }

  private mutating func string() throws(JSONError) -> String {
    let start = offset
    offset += 1
    // Most strings are as they stand.
    let plain = bytes[offset...].prefix {
      $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
    }
    offset += plain.count
    if peek == UInt8(ascii: "\"") {
      offset += 1
      guard let valid = String(validating: plain, as: UTF8.self) else {
        throw JSONError(offset: start, message: "the string is not valid UTF-8")
      }
      return valid
    }
    var text = Array(plain)
    while let byte = peek {
      switch byte {
      case UInt8(ascii: "\""):
        offset += 1
        guard let valid = String(validating: text, as: UTF8.self) else {
          throw JSONError(offset: start, message: "the string is not valid UTF-8")
        }
        return valid
      case UInt8(ascii: "\\"):
        offset += 1
        try escape(into: &text)
      case 0..<0x20:
        throw error("a control character in a string must be escaped, found \(found)")
      default:
        text.append(byte)
        offset += 1
      }
    }
    throw JSONError(offset: start, message: "the string has no closing quote")
  }

  private mutating func escape(into text: inout [UInt8]) throws(JSONError) {
    guard let letter = peek else { throw error("the text ends inside an escape") }
    offset += 1
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(letter)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"): text.append(contentsOf: String(Character(try scalar())).utf8)
    default:
      offset -= 1
      throw error("unknown escape \(found)")
    }
  }

  /// Four hexadecimal digits, or two groups of four that are a surrogate pair.
  private mutating func scalar() throws(JSONError) -> Unicode.Scalar {
    let first = try hexadecimal()
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard first < 0xDC00, take("\\"), take("u") else {
      throw error("a surrogate without its other half")
    }
    let second = try hexadecimal()
    guard (0xDC00..<0xE000).contains(second),
      let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    else { throw error("a surrogate without its other half") }
    return scalar
  }

  private mutating func hexadecimal() throws(JSONError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = peek, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw error("expected four hexadecimal digits, found \(found)")
      }
      value = value << 4 | UInt32(digit)
      offset += 1
    }
    return value
  }

  private var peek: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard peek == UInt8(ascii: character) else { return false }
    offset += 1
    return true
  }

  private mutating func takeDigits() -> Int {
    let start = offset
    while let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { offset += 1 }
    return offset - start
  }

  private mutating func skipSpace() {
    while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
      offset += 1
    }
  }

  /// What stands here, for a message.
  private var found: String {
    guard let byte = peek else { return "the end of the text" }
    return byte > 0x20 && byte < 0x7F
      ? "\"\(Character(Unicode.Scalar(byte)))\"" : "the byte 0x\(String(byte, radix: 16))"
  }

  private func error(_ message: String) -> JSONError {
    JSONError(offset: offset, message: message)
  }
}
