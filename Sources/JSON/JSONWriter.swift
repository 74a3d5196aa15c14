/// Writes JSON text (RFC 8259) member by member, in the order of the calls, so that the same calls
/// give the same bytes: the catalog's promise of determinism rests on it.
///
/// Compact by default; `indent` sets one member a line.
package struct JSONWriter: ~Copyable {
  package private(set) var bytes: [UInt8] = []
  private let indent: Int?
  private var depth = 0
  private var needsComma = false
  private var afterName = false

  package init(indent: Int? = nil) { self.indent = indent }

  /// The text so far; the writer goes on as if nothing had happened. For streaming: what was taken
  /// is not kept.
  package mutating func take() -> [UInt8] {
    defer { bytes.removeAll(keepingCapacity: true) }
    return bytes
  }

  package var text: String { String(decoding: bytes, as: UTF8.self) }

  package mutating func object(_ body: (inout JSONWriter) throws -> Void) rethrows {
    try nested("{", "}", body)
  }

  package mutating func array(_ body: (inout JSONWriter) throws -> Void) rethrows {
    try nested("[", "]", body)
  }

  /// A member's name; its value is the next call.
  package mutating func name(_ name: String) {
    separate()
    quoted(name)
    bytes.append(UInt8(ascii: ":"))
    if indent != nil { bytes.append(UInt8(ascii: " ")) }
    afterName = true
  }

  package mutating func value(_ text: String) {
    begin()
    quoted(text)
  }

  package mutating func value(_ number: Int) {
    begin()
    bytes.append(contentsOf: String(number).utf8)
  }

  /// Rounded to three decimals, for durations and ratios; whole numbers are written without a point.
  package mutating func value(_ number: Double) {
    begin()
    let rounded = (number * 1000).rounded() / 1000
    if rounded.isFinite, rounded == rounded.rounded(), abs(rounded) < 1e15 {
      bytes.append(contentsOf: String(Int(rounded)).utf8)
    } else {
      bytes.append(contentsOf: (rounded.isFinite ? "\(rounded)" : "null").utf8)
    }
  }

  package mutating func value(_ flag: Bool) {
    begin()
    bytes.append(contentsOf: (flag ? "true" : "false").utf8)
  }

  package mutating func null() {
    begin()
    bytes.append(contentsOf: "null".utf8)
  }

  package mutating func value(_ value: JSONValue) {
    switch value {
    case .null: null()
    case .bool(let flag): self.value(flag)
    case .number(let text):
      begin()
      bytes.append(contentsOf: text.utf8)
    case .string(let text): self.value(text)
    case .array(let values): array { for value in values { $0.value(value) } }
    case .object(let members):
      object { for member in members { $0.member(member.name, member.value) } }
    }
  }

  package mutating func member(_ name: String, _ value: String) {
    self.name(name)
    self.value(value)
  }

  package mutating func member(_ name: String, _ value: Int) {
    self.name(name)
    self.value(value)
  }

  package mutating func member(_ name: String, _ value: Double) {
    self.name(name)
    self.value(value)
  }

  package mutating func member(_ name: String, _ value: Bool) {
    self.name(name)
    self.value(value)
  }

  package mutating func member(_ name: String, _ value: JSONValue) {
    self.name(name)
    self.value(value)
  }

  private mutating func nested(
    _ open: Unicode.Scalar, _ close: Unicode.Scalar, _ body: (inout JSONWriter) throws -> Void
  ) rethrows {
    begin()
    bytes.append(UInt8(ascii: open))
    depth += 1
    needsComma = false
    try body(&self)
    depth -= 1
    if needsComma { newLine() }
    bytes.append(UInt8(ascii: close))
    needsComma = true
  }

  /// Before a value: a comma if one is due. After a name none is.
  private mutating func begin() {
    if afterName { afterName = false } else { separate() }
    needsComma = true
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    if depth > 0 { newLine() }
  }

  private mutating func newLine() {
    guard let indent else { return }
    bytes.append(UInt8(ascii: "\n"))
    bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: indent * depth))
  }

  private mutating func quoted(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case 0x0A: bytes.append(contentsOf: "\\n".utf8)
      case 0..<0x20, 0x7F:
        let hexadecimal = String(byte, radix: 16)
        bytes.append(contentsOf: "\\u00\(byte < 16 ? "0" : "")\(hexadecimal)".utf8)
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
