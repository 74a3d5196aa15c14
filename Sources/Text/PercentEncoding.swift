/// Percent-encoding, for bytes that a URL cannot hold as they are (RFC 3986, section 2.1).
package enum PercentEncoding {
  /// The bytes that a text encodes; nil if a percent sign lacks its two hexadecimal digits.
  package static func decode(_ text: Substring) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    // A plus sign stays: it means a blank only in HTML forms.
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit)
      else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  /// The text with all bytes encoded but unreserved ones (RFC 3986, section 2.3).
  ///
  /// - Parameter kept: ASCII characters that are not encoded either.
  package static func encode(_ text: String, keeping kept: String = "") -> String {
    let kept = Set(kept.utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      if isUnreserved(byte) || kept.contains(byte) {
        bytes.append(byte)
      } else {
        bytes.append(UInt8(ascii: "%"))
        bytes += Hexadecimal.encode([byte]).uppercased().utf8
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether a byte needs no encoding in any part of a URL (RFC 3986, section 2.3).
  package static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "_"), UInt8(ascii: "~"):
      true
    default: false
    }
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
