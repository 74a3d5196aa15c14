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
