internal import TesseraBytes

/// Keys that consist of digests are stored as their bytes: keys are digests almost everywhere, and several of them belong
/// to each image.
enum PackedKey {

  /// Calls `body` with what is stored of a key, and whether that is packed: a text that is not a row of hexadecimal digits
  /// in lower case, as long as a key at least, is stored as it is.
  static func withBytes<Value>(
    of text: String, _ body: (UnsafeBufferPointer<UInt8>, _ isPacked: Bool) -> Value
  ) -> Value {
    var text = text
    return text.withUTF8 { digits in
      guard digits.count >= RecordKey.digits, digits.count.isMultiple(of: 2) else {
        return body(digits, false)
      }
      return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: digits.count / 2) { bytes in
        pack(digits, into: bytes)
          ? body(UnsafeBufferPointer(bytes), true) : body(digits, false)
      }
    }
  }

  /// The bytes of pairs of digits; nil if something else is among them.
  static func pack(_ digits: ArraySlice<UInt8>) -> [UInt8]? {
    guard digits.count.isMultiple(of: 2) else { return nil }
    var isPacked = false
    let bytes = [UInt8](unsafeUninitializedCapacity: digits.count / 2) { bytes, count in
      count = digits.count / 2
      isPacked = digits.withUnsafeBufferPointer {
        pack($0, into: UnsafeMutableBufferPointer(rebasing: bytes[..<count]))
      }
    }
    return isPacked ? bytes : nil
  }

  /// Packs as many digits as fill the bytes. Returns whether they are digits.
  private static func pack(
    _ digits: UnsafeBufferPointer<UInt8>, into bytes: UnsafeMutableBufferPointer<UInt8>
  ) -> Bool {
    for index in bytes.indices {
      let (high, low) = (value(digits[index * 2]), value(digits[index * 2 + 1]))
      guard high < 16, low < 16 else { return false }
      bytes[index] = high << 4 | low
    }
    return true
  }

  /// 16 for what is not a digit.
  private static func value(_ digit: UInt8) -> UInt8 {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x61...0x66: digit - 0x61 + 10
    default: 16
    }
  }

  /// The text of which these are the bytes.
  static func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    String(unsafeUninitializedCapacity: bytes.count * 2) { digits in
      for (index, byte) in bytes.enumerated() {
        digits[index * 2] = digit(byte >> 4)
        digits[index * 2 + 1] = digit(byte & 15)
      }
      return bytes.count * 2
    }
  }

  /// Appends that text.
  static func append(_ bytes: some Sequence<UInt8>, to text: inout [UInt8]) {
    for byte in bytes {
      text.append(digit(byte >> 4))
      text.append(digit(byte & 15))
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? 0x30 + value : 0x61 + value - 10
  }
}

/// The keys of records: the first 128 bits of SHA-256 of a text, in hexadecimal.
///
/// As many as in the names of files: to find another text with the key of a given one takes 2^128 attempts. Of the bytes of a
/// source, all 256 bits are kept.
package enum RecordKey {
  static let digits = 32

  package static func of(_ text: String) -> String { String(SHA256.of(text).prefix(digits)) }
}
