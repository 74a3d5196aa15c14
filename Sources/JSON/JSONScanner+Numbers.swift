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
