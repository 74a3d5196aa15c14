/// Base64 without line ends (RFC 4648, section 4).
package enum Base64 {
  private static let digits = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// The value of each byte as a digit; -1 if it is not a digit.
  private static let values: [Int8] = {
    var values = [Int8](repeating: -1, count: 256)
    for (value, digit) in digits.enumerated() { values[Int(digit)] = Int8(value) }
    return values
  }()

  package static func encode(_ bytes: [UInt8], isPadded: Bool = true) -> String {
    var text: [UInt8] = []
    append(bytes, isPadded: isPadded, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Appends the same to a text in UTF-8.
  package static func append(
    _ bytes: [UInt8], isPadded: Bool = true, to text: inout [UInt8]
  ) {
    let start = text.count
    for place in 0..<(bytes.count * 4 + 2) / 3 {
      // The six bits begin in one byte, and may end in the next.
      let byte = place * 3 / 4
      let next = byte + 1 < bytes.count ? bytes[byte + 1] : 0
      let pair = UInt16(bytes[byte]) << 8 | UInt16(next)
      text.append(digits[Int(pair >> (10 - place * 6 % 8)) & 63])
    }
    if isPadded { while (text.count - start) % 4 != 0 { text.append(UInt8(ascii: "=")) } }
  }

  /// The same with "-" and "_" instead of "+" and "/" (RFC 4648, section 5).
  package static func encodeForURLs(_ bytes: [UInt8], isPadded: Bool) -> String {
    String(encode(bytes, isPadded: isPadded).map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
  }

  /// The bytes that a text encodes; nil if it has other characters, or lacks padding to a multiple
  /// of four.
  package static func decode(_ text: String) -> [UInt8]? { decode(Array(text.utf8)[...]) }

  /// The same with the text in UTF-8.
  package static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    guard text.count % 4 == 0 else { return nil }
    let padding = text.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3)
    var bits = 0
    var count = 0
    for digit in text.dropLast(padding) {
      let value = values[Int(digit)]
      guard value >= 0 else { return nil }
      // At most 24 bits are pending: four digits, or three bytes.
      bits = (bits << 6 | Int(value)) & 0xFFFFFF
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(bits >> count & 255))
      }
    }
    return bytes
  }
}

/// Bytes as hexadecimal digits, two for each.
package enum Hexadecimal {
  private static let digits = Array("0123456789abcdef".utf8)

  package static func encode(_ bytes: [UInt8]) -> String {
    String(
      decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// The bytes that a text encodes, in capitals or not; nil if it is not of pairs of digits.
  package static func decode(_ text: String) -> [UInt8]? {
    let digits = text.utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
    guard digits.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    for place in stride(from: 0, to: digits.count, by: 2) {
      guard let high = digits[place], let low = digits[place + 1] else { return nil }
      bytes.append(UInt8(high << 4 | low))
    }
    return bytes
  }
}
