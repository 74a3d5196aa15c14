/// Reads JSON (RFC 8259) from bytes straight into values, without a tree between them: catalogs are large, and apps
/// read them while somebody waits.
struct JSONScanner {
  /// A failure at a byte, before it is known which line that is on.
  struct Failure: Error {
    var offset: Int
    /// The path to the member, from the inside out.
    var path: [String] = []
    var message: String

    /// The path as ``CatalogError/member`` has it.
    var member: String {
      path.reversed().reduce("") { member, name in
        name.hasPrefix("[") || member.isEmpty ? member + name : "\(member).\(name)"
      }
    }
  }

  private let bytes: [UInt8]
  private let end: Int
  private(set) var offset: Int

  /// Deeper nesting is refused: it would be a stack of our own that runs out.
  private static let deepest = 64

  /// - Parameters:
  ///   - bytes: with more before and behind, maybe.
  ///   - range: those that are read.
  init(_ bytes: [UInt8], _ range: Range<Int>) {
    self.bytes = bytes
    offset = range.lowerBound
    end = range.upperBound
  }

  // MARK: Structure

  /// Calls `member` with each name, which has to read the value.
  mutating func object(
    _ member: (inout JSONScanner, String) throws(Failure) -> Void
  ) throws(Failure) {
    try expect("{", "an object")
    if take("}") { return }
    repeat {
      skipSpace()
      let name = try string(as: "a member's name in quotes")
      try expect(":", "\":\" after a member's name")
      do throws(Failure) {
        try member(&self, name)
      } catch {
        var error = error
        error.path.append(name)
        throw error
      }
    } while take(",")
    try expect("}", "\",\" or \"}\"")
  }

  /// Calls `element` for each, which has to read it.
  mutating func array(
    _ element: (inout JSONScanner) throws(Failure) -> Void
  ) throws(Failure) {
    try expect("[", "an array")
    if take("]") { return }
    var index = 0
    repeat {
      do throws(Failure) {
        try element(&self)
      } catch {
        var error = error
        error.path.append("[\(index)]")
        throw error
      }
      index += 1
    } while take(",")
    try expect("]", "\",\" or \"]\"")
  }

  /// Whether nothing but blanks is left.
  mutating func isAtEnd() -> Bool {
    skipSpace()
    return offset == end
  }

  // MARK: Values

  mutating func string() throws(Failure) -> String { try string(as: "a string") }

  mutating func int() throws(Failure) -> Int {
    skipSpace()
    let start = offset
    let isNegative = take("-", skipping: false)
    var value = 0
    var digits = 0
    while let digit = peek, (0x30...0x39).contains(digit) {
      let (shifted, isLarge) = value.multipliedReportingOverflow(by: 10)
      let (sum, isLarger) = shifted.addingReportingOverflow(Int(digit - 0x30))
      if isLarge || isLarger { throw failure("a whole number that fits", at: start) }
      value = sum
      digits += 1
      offset += 1
    }
    let isWhole = peek.map { $0 != 0x2E && $0 != 0x65 && $0 != 0x45 } ?? true
    guard digits > 0, isWhole else { throw failure("a whole number", at: start) }
    return isNegative ? -value : value
  }

  mutating func bool() throws(Failure) -> Bool {
    skipSpace()
    if word("true") { return true }
    if word("false") { return false }
    throw failure("true or false")
  }

  /// Reads a `null`, if one is next.
  mutating func null() -> Bool {
    skipSpace()
    return peek == UInt8(ascii: "n") && word("null")
  }

  /// Any value.
  mutating func value(depth: Int = 0) throws(Failure) -> CatalogValue {
    skipSpace()
    guard depth < Self.deepest else { throw failure("less than \(Self.deepest) levels") }
    switch peek {
    case UInt8(ascii: "{"):
      var members: [String: CatalogValue] = [:]
      try object { scanner, name throws(Failure) in
        members[name] = try scanner.value(depth: depth + 1)
      }
      return .object(members)
    case UInt8(ascii: "["):
      var list: [CatalogValue] = []
      try array { scanner throws(Failure) in list.append(try scanner.value(depth: depth + 1)) }
      return .array(list)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool(try bool())
    case UInt8(ascii: "n") where word("null"): return .null
    default: return try number()
    }
  }

  private mutating func number() throws(Failure) -> CatalogValue {
    let start = offset
    while let byte = peek, Self.isOfNumber(byte) { offset += 1 }
    let text = String(decoding: bytes[start..<offset], as: UTF8.self)
    // As Foundation's decoder has it: 1.0 is a whole number, too.
    if Self.isNumber(text.utf8), let whole = Int(text) { return .integer(whole) }
    guard Self.isNumber(text.utf8), let value = Double(text) else {
      throw failure("a value", at: start)
    }
    // What no computer can hold is as large as it can be: it is somebody's, and no reason to read nothing.
    guard value.isFinite else {
      return .number(value < 0 ? -.greatestFiniteMagnitude : .greatestFiniteMagnitude)
    }
    return Int(exactly: value).map { .integer($0) } ?? .number(value)
  }

  /// Whether that is a number in JSON (RFC 8259, section 6).
  private static func isNumber(_ text: String.UTF8View) -> Bool {
    var rest = text[...]
    func digits() -> Int {
      let count = rest.prefix { (0x30...0x39).contains($0) }.count
      rest = rest.dropFirst(count)
      return count
    }
    if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
    let hasZero = rest.first == UInt8(ascii: "0")
    let whole = digits()
    if whole == 0 || hasZero && whole > 1 { return false }
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      if digits() == 0 { return false }
    }
    if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
      rest.removeFirst()
      if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest.removeFirst() }
      if digits() == 0 { return false }
    }
    return rest.isEmpty
  }

  private static func isOfNumber(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains(byte)
  }

  /// Passes over a value of any kind.
  mutating func skip(depth: Int = 0) throws(Failure) {
    skipSpace()
    guard depth < Self.deepest else { throw failure("less than \(Self.deepest) levels") }
    switch peek {
    case UInt8(ascii: "{"):
      try object { scanner, _ throws(Failure) in try scanner.skip(depth: depth + 1) }
    case UInt8(ascii: "["):
      try array { scanner throws(Failure) in try scanner.skip(depth: depth + 1) }
    default: _ = try value(depth: depth)
    }
  }

  // MARK: Bytes

  private var peek: UInt8? { offset < end ? bytes[offset] : nil }

  mutating func skipSpace() {
    while offset < end {
      switch bytes[offset] {
      case 0x20, 0x0A, 0x0D, 0x09: offset += 1
      default: return
      }
    }
  }

  private mutating func take(_ character: Unicode.Scalar, skipping: Bool = true) -> Bool {
    if skipping { skipSpace() }
    guard offset < end, bytes[offset] == UInt8(ascii: character) else { return false }
    offset += 1
    return true
  }

  private mutating func expect(
    _ character: Unicode.Scalar, _ expected: @autoclosure () -> String
  ) throws(Failure) {
    guard take(character) else { throw failure(expected()) }
  }

  private mutating func word(_ text: StaticString) -> Bool {
    let length = text.utf8CodeUnitCount
    guard end - offset >= length else { return false }
    let isThere = text.withUTF8Buffer { unsafe $0.elementsEqual(bytes[offset..<offset + length]) }
    if isThere { offset += length }
    return isThere
  }

  private mutating func string(as expected: @autoclosure () -> String) throws(Failure) -> String {
    guard take("\"") else { throw failure(expected()) }
    let start = offset
    while offset < end {
      switch bytes[offset] {
      case UInt8(ascii: "\""):
        offset += 1
        return try text(bytes[start..<offset - 1], at: start)
      case UInt8(ascii: "\\"): return try escaped(from: start)
      case 0..<0x20: throw failure("a control character to be escaped")
      default: offset += 1
      }
    }
    throw Failure(offset: start - 1, message: "the string has no closing quote")
  }

  private func text(_ part: ArraySlice<UInt8>, at start: Int) throws(Failure) -> String {
    // Decoding mends what is not UTF-8, and so tells it.
    let text = String(decoding: part, as: UTF8.self)
    guard text.utf8.elementsEqual(part) else {
      throw Failure(offset: start, message: "the string is not valid UTF-8")
    }
    return text
  }

  /// A string from its first backslash on.
  private mutating func escaped(from start: Int) throws(Failure) -> String {
    var bytes = Array(self.bytes[start..<offset])
    while let byte = peek {
      offset += 1
      switch byte {
      case UInt8(ascii: "\""): return try text(bytes[...], at: start)
      case 0..<0x20: throw failure("a control character to be escaped", at: offset - 1)
      case UInt8(ascii: "\\"):
        guard let letter = peek else { break }
        offset += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): bytes.append(letter)
        case UInt8(ascii: "b"): bytes.append(0x08)
        case UInt8(ascii: "f"): bytes.append(0x0C)
        case UInt8(ascii: "n"): bytes.append(0x0A)
        case UInt8(ascii: "r"): bytes.append(0x0D)
        case UInt8(ascii: "t"): bytes.append(0x09)
        case UInt8(ascii: "u"): bytes.append(contentsOf: String(Character(try scalar())).utf8)
        default: throw failure("an escape that JSON knows", at: offset - 1)
        }
      default: bytes.append(byte)
      }
    }
    throw Failure(offset: start - 1, message: "the string has no closing quote")
  }

  /// What follows `\u`: four hexadecimal digits, or twice that for a surrogate pair.
  private mutating func scalar() throws(Failure) -> Unicode.Scalar {
    let start = offset
    let first = try fourDigits()
    if let scalar = Unicode.Scalar(first) { return scalar }
    if first < 0xDC00, take("\\", skipping: false), take("u", skipping: false) {
      let second = try fourDigits()
      if (0xDC00..<0xE000).contains(second),
        let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
      {
        return scalar
      }
    }
    throw failure("both halves of a surrogate pair", at: start)
  }

  private mutating func fourDigits() throws(Failure) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = peek, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw failure("four hexadecimal digits")
      }
      value = value << 4 | UInt32(digit)
      offset += 1
    }
    return value
  }

  /// What was expected, and what is there.
  private func failure(_ expected: String, at place: Int? = nil) -> Failure {
    let place = place ?? offset
    guard place < end else {
      return Failure(offset: place, message: "expected \(expected), found the end")
    }
    var stop = place + 1
    if bytes[place] > 0x20, !Self.isPunctuation(bytes[place]) {
      while stop < min(end, place + 20), bytes[stop] > 0x20, !Self.isPunctuation(bytes[stop]) {
        stop += 1
      }
    }
    let found = String(decoding: bytes[place..<stop], as: UTF8.self)
    return Failure(offset: place, message: "expected \(expected), found \(found)")
  }

  private static func isPunctuation(_ byte: UInt8) -> Bool {
    [
      UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "["),
      UInt8(ascii: ":"),
    ].contains(byte)
  }
}
