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
