/// Writes JSON text (RFC 8259) member by member, in the order of the calls.
///
/// The same calls always produce the same bytes; the catalog is deterministic because of this.
/// The text is compact by default. With `indent`, each member is on a line of its own.
package struct JSONWriter: ~Copyable {
  package private(set) var bytes: [UInt8] = []
  private let indent: Int?
  private var depth = 0
  private var needsComma = false
  private var afterName = false

  package init(indent: Int? = nil) { self.indent = indent }

  /// Returns the text written since the last call and keeps the writer's state, so that a caller can
  /// stream a document.
  package mutating func take() -> [UInt8] {
    defer { bytes.removeAll(keepingCapacity: true) }
    return bytes
  }

  package var text: String { String(decoding: bytes, as: UTF8.self) }

  package mutating func object(_ body: (inout JSONWriter) throws -> Void) rethrows {
    open("{")
    try body(&self)
    close("}")
  }

  package mutating func array(_ body: (inout JSONWriter) throws -> Void) rethrows {
    open("[")
    try body(&self)
    close("]")
  }

  /// Writes a member's name. The next call must write its value.
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

  /// Writes a number as ``JSONValue/rounded(_:)``.
  package mutating func value(_ number: Double) { value(JSONValue.rounded(number)) }

  package mutating func value(_ flag: Bool) {
    begin()
    bytes.append(contentsOf: (flag ? "true" : "false").utf8)
  }

  package mutating func null() {
    begin()
    bytes.append(contentsOf: "null".utf8)
  }

  /// Writes a value that is JSON already. The caller has checked it.
  package mutating func value(json text: String) {
    begin()
    bytes.append(contentsOf: text.utf8)
  }

  package mutating func value(_ value: JSONValue) {
    switch value {
    case .null: null()
    case .bool(let flag): self.value(flag)
    case .number(let text): self.value(json: text)
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

  package mutating func member(_ name: String, _ values: [String]) {
    self.name(name)
    array { list in for value in values { list.value(value) } }
  }

  package mutating func member(_ name: String, _ value: JSONValue) {
    self.name(name)
    self.value(value)
  }

  // For callers that cannot use a closure.

  /// Starts an object whose members the next calls write.
  package mutating func beginObject() { open("{") }

  package mutating func endObject() { close("}") }

  package mutating func beginArray() { open("[") }

  package mutating func endArray() { close("]") }

  private mutating func open(_ bracket: Unicode.Scalar) {
    begin()
    bytes.append(UInt8(ascii: bracket))
    depth += 1
    needsComma = false
  }

  private mutating func close(_ bracket: Unicode.Scalar) {
    depth -= 1
    if needsComma { newLine() }
    bytes.append(UInt8(ascii: bracket))
    needsComma = true
  }

  /// Writes the comma before a value, if one is due. None is due directly after a member's name.
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
      // DEL (0x7F) may remain as it is in JSON, but terminals and editors hide it.
      case 0..<0x20, 0x7F:
        let hexadecimal = String(byte, radix: 16)
        bytes.append(contentsOf: "\\u00\(byte < 16 ? "0" : "")\(hexadecimal)".utf8)
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
