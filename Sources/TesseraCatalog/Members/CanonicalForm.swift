extension Catalog {
  /// The catalog as canonical JSON (RFC 8785). Equal catalogs have equal bytes, whichever form they
  /// were read from.
  public func canonicalJSON() -> [UInt8] {
    var bytes: [UInt8] = []
    tree.appendCanonicalJSON(to: &bytes)
    return bytes
  }

  /// The canonical JSON in two parts. The canonical JSON of the images, separated by commas, belongs
  /// between them. For a catalog that does not fit in memory.
  package var canonicalFrame: (before: ArraySlice<UInt8>, after: ArraySlice<UInt8>) {
    var head = self
    head.images = []
    let bytes = head.canonicalJSON()
    let mark = Array("\"images\":[".utf8)
    // Quotes inside strings are escaped, so only the member itself matches.
    let place = bytes.indices.first { bytes[$0...].starts(with: mark) } ?? 0
    return (bytes[..<(place + mark.count)], bytes[(place + mark.count)...])
  }
}

extension CatalogImage {
  /// The image's part of ``Catalog/canonicalJSON()``.
  package var canonicalJSON: [UInt8] {
    var bytes: [UInt8] = []
    tree.appendCanonicalJSON(to: &bytes)
    return bytes
  }
}

extension CatalogValue {
  /// Appends the value as canonical JSON (RFC 8785): members sorted by the UTF-16 code units of their
  /// names, no white space, numbers as ECMAScript writes them.
  ///
  /// Integers of more than 53 bits keep all their digits. The RFC would round them to a Double.
  func appendCanonicalJSON(to bytes: inout [UInt8]) {
    switch self {
    case .null: bytes += "null".utf8
    case .bool(let flag): bytes += (flag ? "true" : "false").utf8
    case .integer(let number): bytes += String(number).utf8
    case .number(let number): bytes += Self.ecmaScriptText(number).utf8
    case .string(let text): Self.append(text, to: &bytes)
    case .array(let list):
      bytes.append(UInt8(ascii: "["))
      for (index, element) in list.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        element.appendCanonicalJSON(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      let names = members.keys.sorted { $0.utf16.lexicographicallyPrecedes($1.utf16) }
      for (index, name) in names.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        Self.append(name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        (members[name] ?? .null).appendCanonicalJSON(to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  // RFC 8785, section 3.2.2.2. `JSONWriter` escapes fewer characters by name, and DEL as well.
  private static func append(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 0x08: bytes += "\\b".utf8
      case 0x09: bytes += "\\t".utf8
      case 0x0A: bytes += "\\n".utf8
      case 0x0C: bytes += "\\f".utf8
      case 0x0D: bytes += "\\r".utf8
      case 0..<0x20:
        bytes += "\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// A number as ECMAScript's Number::toString writes it (ECMA-262, section 6.1.6.1.20).
  ///
  /// Swift and ECMAScript both write the shortest digits that identify the Double. They differ in
  /// where they put the decimal point and when they use an exponent.
  static func ecmaScriptText(_ number: Double) -> String {
    guard number.isFinite else { return "null" }
    // Also for -0: ECMAScript writes both as 0.
    if number == 0 { return "0" }
    if number < 0 { return "-" + ecmaScriptText(-number) }
    let parts = "\(number)".split(separator: "e")
    let mantissa = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    let fraction = mantissa.count > 1 && mantissa[1] != "0" ? mantissa[1] : ""
    var digits = Array((mantissa[0] + fraction).utf8)
    // The value is 0.DIGITS times ten to this power.
    var point = mantissa[0].utf8.count + (parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
    while digits.first == UInt8(ascii: "0") {
      digits.removeFirst()
      point -= 1
    }
    while digits.last == UInt8(ascii: "0") { digits.removeLast() }
    let text = String(decoding: digits, as: UTF8.self)
    func zeros(_ count: Int) -> String { String(repeating: "0", count: count) }
    // 21 and -5 are the limits of ECMA-262, beyond which it uses an exponent.
    switch point {
    case digits.count...21 where point >= digits.count: return text + zeros(point - digits.count)
    case 1...21: return "\(text.prefix(point)).\(text.dropFirst(point))"
    case -5...0: return "0.\(zeros(-point))\(text)"
    default:
      let exponent = point - 1
      let (first, rest) = (text.prefix(1), text.dropFirst())
      return "\(first)\(rest.isEmpty ? "" : ".")\(rest)e\(exponent < 0 ? "-" : "+")\(abs(exponent))"
    }
  }
}
