extension JSONCoding {
  /// - Throws: what the value's own coding throws.
  package static func json(_ value: some Encodable) throws -> JSONValue {
    try json(value, isDocument: false)
  }

  private static func json(_ value: some Encodable, isDocument: Bool) throws -> JSONValue {
    let node = JSONNode(isDocument: isDocument)
    try node.write(value)
    return node.value ?? .null
  }

  /// The text of a document, or of a line of one, with the end of its last line: as ``JSONDocument`` says.
  ///
  /// - Parameter indent: of members on lines of their own; nil for one line.
  package static func text(_ value: some Encodable, indent: Int? = nil) -> [UInt8] {
    var writer = JSONWriter(indent: indent)
    // No document has a coding of its own that throws.
    writer.value((try? json(value, isDocument: true)) ?? .null)
    return writer.take() + [UInt8(ascii: "\n")]
  }
}

/// A value that is being written, by reference, because the containers of `Encoder` are copied.
private final class JSONNode: Encoder {
  /// Whether numbers are rounded, and members of dictionaries in order.
  private let isDocument: Bool
  private var scalar = JSONValue.null
  private var members: [(name: String, node: JSONNode)] = []
  private var elements: [JSONNode] = []
  private var kind = Kind.nothing
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  private enum Kind { case nothing, scalar, object, array }

  init(isDocument: Bool) { self.isDocument = isDocument }

  func write(_ value: some Encodable) throws {
    try value.encode(to: self)
    if isDocument, value is any AnyDictionary {
      func key(_ name: String) -> (Int, String) { (Int(name) ?? 0, name) }
      members.sort { key($0.name) < key($1.name) }
    }
  }

  func member(_ name: String) -> JSONNode {
    kind = .object
    let node = JSONNode(isDocument: isDocument)
    members.append((name, node))
    return node
  }

  func element() -> JSONNode {
    kind = .array
    let node = JSONNode(isDocument: isDocument)
    elements.append(node)
    return node
  }

  var count: Int { elements.count }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    kind = .object
    return KeyedEncodingContainer(KeyedWriting<Key>(node: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    kind = .array
    return ElementWriting(node: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { ValueWriting(node: self) }

  /// The value, once all of it is written; nil if nothing was.
  var value: JSONValue? {
    switch kind {
    case .nothing: nil
    case .scalar: scalar
    case .object:
      .object(members.compactMap { name, node in node.value.map { JSONValue.Member(name, $0) } })
    case .array: .array(elements.map { $0.value ?? .null })
    }
  }

  func set(_ value: JSONValue) { (kind, scalar) = (.scalar, value) }

  func set(_ number: Double) { set(isDocument ? .rounded(number) : .number("\(number)")) }
}

private protocol AnyDictionary {}
extension Dictionary: AnyDictionary {}

extension JSONValue: Encodable {
  package func encode(to encoder: any Encoder) {
    // There is no other encoder.
    (encoder as? JSONNode)?.set(self)
  }
}

// Single values have methods of their own in each container, also of those that are read: to find out what a value is at
// run time would take as long as all the rest.

private struct KeyedWriting<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let node: JSONNode
  var codingPath: [any CodingKey] { [] }

  // Optional members that are nil are not encoded at all.
  func encodeNil(forKey key: Key) { node.member(key.stringValue).set(.null) }

  func encode(_ value: Bool, forKey key: Key) { node.member(key.stringValue).set(.bool(value)) }
  func encode(_ value: String, forKey key: Key) { node.member(key.stringValue).set(.string(value)) }
  func encode(_ value: Int, forKey key: Key) { node.member(key.stringValue).set(.int(value)) }

  func encode(_ value: some Encodable, forKey key: Key) throws {
    try node.member(key.stringValue).write(value)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    node.member(key.stringValue).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    node.member(key.stringValue).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { node.member("super") }
  func superEncoder(forKey key: Key) -> any Encoder { node.member(key.stringValue) }
}

private struct ElementWriting: UnkeyedEncodingContainer {
  let node: JSONNode
  var codingPath: [any CodingKey] { [] }
  var count: Int { node.count }

  func encodeNil() { node.element().set(.null) }
  func encode(_ value: some Encodable) throws { try node.element().write(value) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) -> KeyedEncodingContainer<Nested> { node.element().container(keyedBy: type) }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    node.element().unkeyedContainer()
  }

  func superEncoder() -> any Encoder { node.element() }
}

private struct ValueWriting: SingleValueEncodingContainer {
  let node: JSONNode
  var codingPath: [any CodingKey] { [] }

  func encodeNil() { node.set(.null) }
  func encode(_ value: Bool) { node.set(.bool(value)) }
  func encode(_ value: String) { node.set(.string(value)) }
  func encode(_ value: Double) { node.set(value) }
  func encode(_ value: Int) { node.set(.int(value)) }
  func encode(_ value: Int32) { node.set(.int(Int(value))) }
  func encode(_ value: UInt8) { node.set(.int(Int(value))) }
  // No message has single values of other types, whose own coding would come here without end.
  func encode(_ value: some Encodable) throws { try node.write(value) }
}
