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
