/// Reads JSON (RFC 8259) from bytes straight into the caller's values.
///
/// The scanner builds no tree: catalogs are large, and an app reads one while its user waits.
/// ``JSONParser`` builds a tree on top of it. Each call reads one value, or one piece of
/// punctuation, and skips the white space before it.
package struct JSONScanner {
  /// A failure at a byte. The caller converts the offset to a line and a column.
  package struct Failure: Error {
    package var offset: Int
    /// The names and indices that lead to the value, innermost first.
    package var path: [String] = []
    /// A clause that fits after a colon: `expected a value, found "}"`.
    package var message: String

    package init(offset: Int, message: String) {
      self.offset = offset
      self.message = message
    }

    package init(duplicate name: String, at offset: Int) {
      self.init(offset: offset, message: "duplicate member \"\(name)\"")
    }

    /// The same failure, one level further out.
    package func within(_ name: String) -> Failure {
      var outer = self
      outer.path.append(name)
      return outer
    }

    /// The path as one text: `images[3].variants[0].width`.
    package var member: String {
      path.reversed().reduce("") { member, name in
        name.hasPrefix("[") || member.isEmpty ? member + name : "\(member).\(name)"
      }
    }
  }

  /// What the next value is. A word is consumed when it is recognized.
  package enum Kind {
    case object, array, string, number, null
    case bool(Bool)
  }

  /// The deepest nesting that is read. Texts of 100,000 brackets exist to exhaust the stack of a
  /// recursive reader like this one; no known manifest or catalog nests deeper than ten levels.
  package static let maximumDepth = 64

  let bytes: [UInt8]
  let end: Int
  /// The next byte to read.
  package internal(set) var offset: Int

  /// Reads a whole text.
  package init(_ bytes: [UInt8]) { self.init(bytes, 0..<bytes.count) }

  /// Reads a part of a text. Offsets count from the start of the whole text.
  package init(_ bytes: [UInt8], _ range: Range<Int>) {
    self.bytes = bytes
    offset = range.lowerBound
    end = range.upperBound
  }
}

// The smallest steps, and the failures that describe what is at the current byte.

extension JSONScanner {
  package var peek: UInt8? { offset < end ? bytes[offset] : nil }

  package mutating func skipSpace() {
    while offset < end {
      switch bytes[offset] {
      case 0x20, 0x0A, 0x0D, 0x09: offset += 1
      default: return
      }
    }
  }

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard offset < end, bytes[offset] == UInt8(ascii: character) else { return false }
    offset += 1
    return true
  }

  mutating func take(word: StaticString) -> Bool {
    let length = word.utf8CodeUnitCount
    guard end - offset >= length else { return false }
    let isNext = word.withUTF8Buffer { unsafe $0.elementsEqual(bytes[offset..<offset + length]) }
    if isNext { offset += length }
    return isNext
  }

  /// A failure at the current byte.
  func failure(_ message: String) -> Failure { Failure(offset: offset, message: message) }

  /// A failure of syntax: names the byte that does not fit.
  package func unexpected(_ expected: String) -> Failure {
    failure("expected \(expected), found \(foundByte)")
  }

  /// A failure of type: names the whole value that was found instead.
  package func mismatch(_ expected: String, at start: Int? = nil) -> Failure {
    let start = start ?? offset
    return Failure(offset: start, message: "expected \(expected), found \(foundValue(at: start))")
  }

  var foundByte: String {
    guard let byte = peek else { return "the end of the text" }
    return byte > 0x20 && byte < 0x7F
      ? "\"\(Character(Unicode.Scalar(byte)))\"" : "the byte 0x\(String(byte, radix: 16))"
  }

  /// The first bytes of the value, up to the next punctuation or white space.
  private func foundValue(at start: Int) -> String {
    guard start < end else { return "the end of the text" }
    /// Longer values are cut off: a message is one line.
    let longest = 20
    let punctuation = ",:{}[]".utf8
    let value = bytes[start..<min(end, start + longest)].prefix {
      $0 > 0x20 && !punctuation.contains($0)
    }
    return value.isEmpty
      ? String(decoding: bytes[start..<start + 1], as: UTF8.self)
      : String(decoding: value, as: UTF8.self)
  }
}

extension JSONScanner {
  /// Reads a number (RFC 8259, section 6) and returns its own spelling.
  package mutating func number() throws(Failure) -> String {
    skipSpace()
    let start = offset
    _ = take("-")
    // A leading zero ends the integer part: "01" is not a number.
    if !take("0") {
      guard takeDigits() > 0 else { throw unexpected("a digit") }
    }
    if take(".") {
      guard takeDigits() > 0 else { throw unexpected("a digit after \".\"") }
    }
    if take("e") || take("E") {
      if !take("+") { _ = take("-") }
      guard takeDigits() > 0 else { throw unexpected("a digit in the exponent") }
    }
    return String(decoding: bytes[start..<offset], as: UTF8.self)
  }

  /// Reads a number without a fraction or an exponent that fits an `Int`.
  package mutating func int() throws(Failure) -> Int {
    skipSpace()
    let start = offset
    let isNegative = take("-")
    let firstDigit = offset
    var value = 0
    while let byte = peek, Self.isDigit(byte) {
      let (shifted, overflows) = value.multipliedReportingOverflow(by: 10)
      let (sum, overflowsToo) = shifted.addingReportingOverflow(Int(byte - 0x30))
      if overflows || overflowsToo { throw mismatch("a whole number that fits", at: start) }
      value = sum
      offset += 1
    }
    let count = offset - firstDigit
    let hasLeadingZero = count > 1 && bytes[firstDigit] == UInt8(ascii: "0")
    let isWhole = peek.map { byte in
      byte != UInt8(ascii: ".") && byte != UInt8(ascii: "e") && byte != UInt8(ascii: "E")
    }
    guard count > 0, !hasLeadingZero, isWhole ?? true else {
      throw mismatch("a whole number", at: start)
    }
    return isNegative ? -value : value
  }

  /// Reads `true` or `false`.
  package mutating func bool() throws(Failure) -> Bool {
    skipSpace()
    if take(word: "true") { return true }
    if take(word: "false") { return false }
    throw mismatch("true or false")
  }

  /// Reads a `null` and returns true, or reads nothing.
  package mutating func null() -> Bool {
    skipSpace()
    return peek == UInt8(ascii: "n") && take(word: "null")
  }

  private mutating func takeDigits() -> Int {
    let start = offset
    while let byte = peek, Self.isDigit(byte) { offset += 1 }
    return offset - start
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}

extension JSONScanner {
  /// Reads a string.
  package mutating func string() throws(Failure) -> String {
    skipSpace()
    let start = offset
    guard take("\"") else { throw mismatch("a string") }
    var isASCII = true
    while offset < end {
      let byte = bytes[offset]
      switch byte {
      case UInt8(ascii: "\""):
        offset += 1
        let content = bytes[start + 1..<offset - 1]
        return isASCII
          ? String(decoding: content, as: UTF8.self) : try validated(content, at: start)
      case UInt8(ascii: "\\"): return try stringWithEscapes(from: start)
      case 0..<0x20: throw controlCharacter
      default:
        if byte >= 0x80 { isASCII = false }
        offset += 1
      }
    }
    throw Failure(offset: start, message: "the string has no closing quote")
  }

  /// Reads the rest of a string from its first backslash on.
  private mutating func stringWithEscapes(from start: Int) throws(Failure) -> String {
    var text = Array(bytes[start + 1..<offset])
    while let byte = peek {
      switch byte {
      case UInt8(ascii: "\""):
        offset += 1
        return try validated(text[...], at: start)
      case UInt8(ascii: "\\"):
        offset += 1
        try escape(into: &text)
      case 0..<0x20: throw controlCharacter
      default:
        text.append(byte)
        offset += 1
      }
    }
    throw Failure(offset: start, message: "the string has no closing quote")
  }

  private var controlCharacter: Failure {
    failure("a control character in a string must be escaped, found \(foundByte)")
  }

  private func validated(_ text: ArraySlice<UInt8>, at start: Int) throws(Failure) -> String {
    // `String(validating:as:)` came with macOS 15, and apps use this from macOS 13 on. Decoding replaces
    // whatever is not UTF-8, so a string that differs from its bytes was not valid.
    let string = String(decoding: text, as: UTF8.self)
    guard string.utf8.elementsEqual(text) else {
      throw Failure(offset: start, message: "the string is not valid UTF-8")
    }
    return string
  }

  private mutating func escape(into text: inout [UInt8]) throws(Failure) {
    guard let letter = peek else { throw failure("the text ends inside an escape") }
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(letter)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"):
      offset += 1
      text.append(contentsOf: String(Character(try escapedScalar())).utf8)
      return
    default: throw failure("unknown escape \(foundByte)")
    }
    offset += 1
  }

  /// Reads four hexadecimal digits, or two groups of four that are a surrogate pair (RFC 8259,
  /// section 7). A lone surrogate has no UTF-8 form and is rejected.
  private mutating func escapedScalar() throws(Failure) -> Unicode.Scalar {
    let first = try hexadecimal()
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard first < 0xDC00, take("\\"), take("u") else {
      throw failure("a surrogate without its other half")
    }
    let second = try hexadecimal()
    guard (0xDC00..<0xE000).contains(second),
      let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    else { throw failure("a surrogate without its other half") }
    return scalar
  }

  private mutating func hexadecimal() throws(Failure) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = peek, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw unexpected("four hexadecimal digits")
      }
      value = value << 4 | UInt32(digit)
      offset += 1
    }
    return value
  }
}

extension JSONScanner {
  /// What the next value is, at a nesting depth.
  package mutating func kind(depth: Int) throws(Failure) -> Kind {
    skipSpace()
    guard depth < Self.maximumDepth else {
      throw failure("nested more than \(Self.maximumDepth) levels deep")
    }
    guard let first = peek else { throw unexpected("a value") }
    switch first {
    case UInt8(ascii: "{"): return .object
    case UInt8(ascii: "["): return .array
    case UInt8(ascii: "\""): return .string
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
    case UInt8(ascii: "t") where take(word: "true"): return .bool(true)
    case UInt8(ascii: "f") where take(word: "false"): return .bool(false)
    case UInt8(ascii: "n") where take(word: "null"): return .null
    default: throw unexpected("a value")
    }
  }

  /// Reads the "{" of an object.
  package mutating func beginObject() throws(Failure) {
    skipSpace()
    guard take("{") else { throw mismatch("an object") }
  }

  /// Reads the name of an object's next member, up to and including the colon, and returns it with
  /// the offset of its opening quote. Returns nil at the end of the object, after its "}".
  package mutating func nextName(
    isFirst: Bool
  ) throws(Failure) -> (text: String, offset: Int)? {
    guard try beginMember(isFirst: isFirst) else { return nil }
    let start = offset
    let text = try string()
    try endName()
    return (text, start)
  }

  /// Reads up to the opening quote of an object's next member. Returns false at the end of the object, after its "}".
  mutating func beginMember(isFirst: Bool) throws(Failure) -> Bool {
    skipSpace()
    if take("}") { return false }
    if !isFirst {
      guard take(",") else { throw unexpected("\",\" or \"}\"") }
      skipSpace()
    }
    // Also after a comma: JSON allows no trailing one (RFC 8259, section 4).
    guard peek == UInt8(ascii: "\"") else { throw unexpected("a member's name in quotes") }
    return true
  }

  /// Reads the colon after a member's name.
  mutating func endName() throws(Failure) {
    skipSpace()
    guard take(":") else { throw unexpected("\":\" after a member's name") }
  }

  /// Reads an object. The body receives each name and reads the value.
  package mutating func object(
    _ body: (inout JSONScanner, String) throws(Failure) -> Void
  ) throws(Failure) {
    var names = MemberNames()
    try members { scanner, name, start throws(Failure) in
      guard names.insert(name) else { throw Failure(duplicate: name, at: start) }
      try body(&scanner, name)
    }
  }

  /// Reads an object as ``object(_:)`` does, but leaves it to the body to reject duplicate names.
  /// The body also receives the offset of the name.
  package mutating func members(
    _ body: (inout JSONScanner, _ name: String, _ offset: Int) throws(Failure) -> Void
  ) throws(Failure) {
    try beginObject()
    var isFirst = true
    while let name = try nextName(isFirst: isFirst) {
      isFirst = false
      do throws(Failure) {
        try body(&self, name.text, name.offset)
      } catch {
        throw error.within(name.text)
      }
    }
  }

  /// Reads an array. The body reads each element.
  package mutating func array(
    _ body: (inout JSONScanner) throws(Failure) -> Void
  ) throws(Failure) {
    skipSpace()
    guard take("[") else { throw mismatch("an array") }
    skipSpace()
    if take("]") { return }
    // From here on an element must follow: JSON allows no trailing comma (RFC 8259, section 5).
    var index = 0
    while true {
      do throws(Failure) {
        try body(&self)
      } catch {
        throw error.within("[\(index)]")
      }
      index += 1
      skipSpace()
      if take("]") { return }
      guard take(",") else { throw unexpected("\",\" or \"]\"") }
    }
  }

  /// Reads a value of any kind and discards it. It must be as valid as any other.
  package mutating func skip(depth: Int = 0) throws(Failure) {
    switch try kind(depth: depth) {
    case .object: try object { scanner, _ throws(Failure) in try scanner.skip(depth: depth + 1) }
    case .array: try array { scanner throws(Failure) in try scanner.skip(depth: depth + 1) }
    case .string: try skipString()
    case .number: try skipNumber()
    case .bool, .null: break
    }
  }

  /// Reads a string and discards it.
  package mutating func skipString() throws(Failure) {
    skipSpace()
    if peek != UInt8(ascii: "\"") || plainString() == nil { _ = try string() }
  }

  /// Reads a number and discards it.
  package mutating func skipNumber() throws(Failure) {
    skipSpace()
    if plainNumber() == nil { _ = try number() }
  }

  /// Whether the next value is an object.
  mutating func isAtObject() -> Bool {
    skipSpace()
    return peek == UInt8(ascii: "{")
  }

  /// Whether only white space is left.
  package mutating func isAtEnd() -> Bool {
    skipSpace()
    return offset == end
  }
}

extension JSONScanner {
  /// Reads a string that has nothing to escape, as most have. Returns where it is, with its
  /// quotes; nil, and nothing is read, if it is another one.
  mutating func plainString() -> Range<Int>? {
    var index = offset + 1
    while index < end, bytes[index] != UInt8(ascii: "\""), bytes[index] != UInt8(ascii: "\\"),
      (0x20..<0x80).contains(bytes[index])
    { index += 1 }
    guard index < end, bytes[index] == UInt8(ascii: "\"") else { return nil }
    defer { offset = index + 1 }
    return offset..<index + 1
  }

  /// Reads a short row of digits, which is a whole number in its shortest form. Nil, and nothing is read, if it is another
  /// number.
  mutating func plainNumber() -> Range<Int>? {
    var index = offset
    while index < end, (0x30...0x39).contains(bytes[index]) { index += 1 }
    let next = index < end ? bytes[index] : UInt8(ascii: ",")
    guard (1...18).contains(index - offset), bytes[offset] != 0x30 || index == offset + 1,
      next != UInt8(ascii: "."), next != UInt8(ascii: "e"), next != UInt8(ascii: "E")
    else { return nil }
    defer { offset = index }
    return offset..<index
  }
}
