/// Text in UTF-16, as spreadsheets save it, becomes UTF-8 (RFC 2781), byte by byte as it comes.
///
/// Half of a surrogate pair becomes three bytes that are not valid UTF-8, so that its line is reported.
package struct UTF16Decoder: Sendable {
  private let isBigEndian: Bool
  /// The first byte of a unit whose second has not come.
  private var half: UInt8?
  /// The first unit of a surrogate pair.
  private var high: UInt16?

  /// - Parameter bytes: the first ones of a text, two at least.
  /// - Returns: nil if they are not UTF-16: neither its byte order mark nor an ASCII character as it writes it.
  package init?(beginning bytes: [UInt8]) {
    switch (bytes.first, bytes.dropFirst().first) {
    case (0xFE, 0xFF): isBigEndian = true
    case (0xFF, 0xFE): isBigEndian = false
    case (0x00, .some(1...)): isBigEndian = true
    case (.some(1...), 0x00): isBigEndian = false
    default: return nil
    }
  }

  /// The text of the bytes as UTF-8; the byte order mark stays.
  package mutating func decode(_ bytes: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count)
    for byte in bytes {
      guard let first = half else {
        half = byte
        continue
      }
      half = nil
      let (upper, lower) = isBigEndian ? (first, byte) : (byte, first)
      take(UInt16(upper) << 8 | UInt16(lower), &text)
    }
    return text
  }

  /// What is left at the end of the text: half of a character.
  package mutating func finish() -> [UInt8] {
    var text: [UInt8] = []
    if let high { Self.append(UInt32(high), to: &text) }
    if half != nil { text.append(0xFF) }
    (high, half) = (nil, nil)
    return text
  }

  private mutating func take(_ unit: UInt16, _ text: inout [UInt8]) {
    if let first = high {
      high = nil
      if UTF16.isTrailSurrogate(unit) {
        let pair = (UInt32(first) - 0xD800) << 10 + (UInt32(unit) - 0xDC00)
        return Self.append(0x10000 + pair, to: &text)
      }
      Self.append(UInt32(first), to: &text)
    }
    if UTF16.isLeadSurrogate(unit) {
      high = unit
    } else {
      Self.append(UInt32(unit), to: &text)
    }
  }

  /// UTF-8 (RFC 3629, section 3), also of a surrogate, which is not a character.
  private static func append(_ scalar: UInt32, to text: inout [UInt8]) {
    func tail(_ shift: UInt32) -> UInt8 { UInt8(0x80 | scalar >> shift & 0x3F) }
    switch scalar {
    case ..<0x80: text.append(UInt8(scalar))
    case ..<0x800: text += [UInt8(0xC0 | scalar >> 6), tail(0)]
    case ..<0x10000: text += [UInt8(0xE0 | scalar >> 12), tail(6), tail(0)]
    default: text += [UInt8(0xF0 | scalar >> 18), tail(12), tail(6), tail(0)]
    }
  }
}
