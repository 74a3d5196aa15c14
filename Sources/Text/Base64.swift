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
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let part = bytes[start..<min(start + 3, bytes.count)]
      let bits = part.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - part.count))
      for place in 0..<4 {
        text.append(
          place <= part.count ? digits[bits >> (18 - 6 * place) & 63] : UInt8(ascii: "="))
      }
    }
    if !isPadded { text = Array(text.prefix { $0 != UInt8(ascii: "=") }) }
    return String(decoding: text, as: UTF8.self)
  }

  /// The same with "-" and "_" instead of "+" and "/" (RFC 4648, section 5).
  package static func encodeForURLs(_ bytes: [UInt8], isPadded: Bool) -> String {
    String(encode(bytes, isPadded: isPadded).map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
  }

  /// The bytes that a text encodes; nil if it has other characters, or lacks padding to a multiple
  /// of four.
  package static func decode(_ text: String) -> [UInt8]? {
    guard text.utf8.count % 4 == 0 else { return nil }
    var bytes: [UInt8] = []
    var bits = 0
    var count = 0
    let body = text.utf8.reversed().drop { $0 == UInt8(ascii: "=") }.reversed()
    // A group of four has at most two characters of padding.
    guard text.utf8.count - body.count <= 2 else { return nil }
    for digit in body {
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
