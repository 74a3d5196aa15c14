/// `Codable` values as JSON, without Foundation: for messages between processes of one build.
///
/// Structures are objects, collections arrays; nil members are left out. Numbers are integers and finite doubles.
package enum JSONCoding {
  /// - Throws: what the value's own coding throws.
  package static func json(_ value: some Encodable) throws -> JSONValue {
    let node = JSONNode()
    try node.write(value)
    return node.value
  }

  /// - Throws: `DecodingError` if the JSON is not such a value.
  package static func value<Value: Decodable>(
    _ type: Value.Type, of json: JSONValue
  ) throws -> Value {
    try JSONReading(json, []).read(type)
  }
}

/// A value that is not made of others.
private protocol JSONScalar {
  var json: JSONValue { get }
  init?(json: JSONValue)
}

extension Bool: JSONScalar {
  var json: JSONValue { .bool(self) }
  init?(json: JSONValue) {
    guard let value = json.boolValue else { return nil }
    self = value
  }
}

extension String: JSONScalar {
  var json: JSONValue { .string(self) }
  init?(json: JSONValue) {
    guard let value = json.stringValue else { return nil }
    self = value
  }
}

extension Double: JSONScalar {
  var json: JSONValue { .number("\(self)") }
  init?(json: JSONValue) {
    guard let value = json.doubleValue else { return nil }
    self = value
  }
}

extension JSONScalar where Self: FixedWidthInteger {
  var json: JSONValue { .number(String(self)) }
  init?(json: JSONValue) {
    guard case .number(let text) = json, let value = Self(text) else { return nil }
    self = value
  }
}

// MARK: Encoding

/// A value that is being written, by reference, because the containers of `Encoder` are copied.
private final class JSONNode: Encoder {
  private var scalar = JSONValue.null
  private var members: [(name: String, node: JSONNode)] = []
  private var elements: [JSONNode] = []
  private var kind = Kind.scalar
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  private enum Kind { case scalar, object, array }

  func write(_ value: some Encodable) throws {
    if let scalar = value as? any JSONScalar {
      self.scalar = scalar.json
      return
    }
    try value.encode(to: self)
  }

  func member(_ name: String) -> JSONNode {
    kind = .object
    let node = JSONNode()
    members.append((name, node))
    return node
  }

  func element() -> JSONNode {
    kind = .array
    let node = JSONNode()
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

  /// The value, once all of it is written.
  var value: JSONValue {
    switch kind {
    case .scalar: scalar
    case .object: .object(members.map { JSONValue.Member($0.name, $0.node.value) })
    case .array: .array(elements.map(\.value))
    }
  }

  func set(_ value: JSONValue) { scalar = value }
}

private struct KeyedWriting<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let node: JSONNode
  var codingPath: [any CodingKey] { [] }

  // Optional members that are nil are not encoded at all.
  func encodeNil(forKey key: Key) { node.member(key.stringValue).set(.null) }

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
  func encode(_ value: some Encodable) throws { try node.write(value) }
}

// MARK: Decoding

private struct JSONReading: Decoder {
  let json: JSONValue
  let codingPath: [any CodingKey]
  let userInfo: [CodingUserInfoKey: Any] = [:]

  init(_ json: JSONValue, _ path: [any CodingKey]) { (self.json, codingPath) = (json, path) }

  func read<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if let scalar = type as? any JSONScalar.Type {
      guard let value = scalar.init(json: json) as? Value else { throw wrong(type) }
      return value
    }
    return try Value(from: self)
  }

  func wrong(_ type: Any.Type) -> DecodingError {
    .typeMismatch(type, .init(codingPath: codingPath, debugDescription: "found \(json.kind)"))
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .object(let members) = json else { throw wrong([String: JSONValue].self) }
    return KeyedDecodingContainer(KeyedReading<Key>(members: members, codingPath: codingPath))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let values) = json else { throw wrong([JSONValue].self) }
    return ElementReading(values: values, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { ValueReading(reading: self) }
}

private struct KeyedReading<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let members: [JSONValue.Member]
  let codingPath: [any CodingKey]

  var allKeys: [Key] { members.compactMap { Key(stringValue: $0.name) } }
  func contains(_ key: Key) -> Bool { members.contains { $0.name == key.stringValue } }

  private func reading(_ key: Key) throws -> JSONReading {
    guard let member = members.first(where: { $0.name == key.stringValue }) else {
      throw DecodingError.keyNotFound(
        key, .init(codingPath: codingPath + [key], debugDescription: "missing"))
    }
    return JSONReading(member.value, codingPath + [key])
  }

  func decodeNil(forKey key: Key) throws -> Bool { try reading(key).json == .null }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try reading(key).read(type)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> { try reading(key).container(keyedBy: type) }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try reading(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder {
    JSONReading(.object(members), codingPath)
  }
  func superDecoder(forKey key: Key) throws -> any Decoder { try reading(key) }
}

private struct ElementReading: UnkeyedDecodingContainer {
  let values: [JSONValue]
  let codingPath: [any CodingKey]
  private(set) var currentIndex = 0

  init(values: [JSONValue], codingPath: [any CodingKey]) {
    (self.values, self.codingPath) = (values, codingPath)
  }

  var count: Int? { values.count }
  var isAtEnd: Bool { currentIndex == values.count }

  private mutating func next() throws -> JSONReading {
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        JSONValue.self, .init(codingPath: codingPath, debugDescription: "no more values"))
    }
    defer { currentIndex += 1 }
    return JSONReading(values[currentIndex], codingPath)
  }

  mutating func decodeNil() throws -> Bool {
    guard !isAtEnd, values[currentIndex] == .null else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try next().read(type)
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> { try next().container(keyedBy: type) }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next().unkeyedContainer()
  }

  mutating func superDecoder() throws -> any Decoder { try next() }
}

private struct ValueReading: SingleValueDecodingContainer {
  let reading: JSONReading
  var codingPath: [any CodingKey] { reading.codingPath }

  func decodeNil() -> Bool { reading.json == .null }
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    // A scalar's own coding comes here.
    try reading.read(type)
  }
}

// MARK: Whole numbers

extension Int: JSONScalar {}
extension Int32: JSONScalar {}
extension UInt8: JSONScalar {}
