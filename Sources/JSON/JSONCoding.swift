/// `Codable` values as JSON, without Foundation: messages between processes of one build, and documents.
///
/// Structures are objects, collections arrays; nil members are left out, as are those that encode nothing. Numbers are
/// integers and finite doubles.
package enum JSONCoding {
  /// - Throws: `DecodingError` if the JSON is not such a value.
  package static func value<Value: Decodable>(
    _ type: Value.Type, of json: JSONValue
  ) throws -> Value {
    try JSONReading(json, []).read(type)
  }
}

private struct JSONReading: Decoder {
  let json: JSONValue
  let codingPath: [any CodingKey]
  let userInfo: [CodingUserInfoKey: Any] = [:]

  init(_ json: JSONValue, _ path: [any CodingKey]) { (self.json, codingPath) = (json, path) }

  func read<Value: Decodable>(_ type: Value.Type) throws -> Value { try Value(from: self) }

  /// A single value, if the JSON is one of its type.
  func single<Value>(_ value: Value?) throws -> Value {
    guard let value else { throw wrong(Value.self) }
    return value
  }

  func whole<Value: FixedWidthInteger>(_ type: Value.Type) throws -> Value {
    guard case .number(let text) = json else { throw wrong(type) }
    return try single(Value(text))
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

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
    let reading = try reading(key)
    return try reading.single(reading.json.boolValue)
  }

  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    let reading = try reading(key)
    return try reading.single(reading.json.stringValue)
  }

  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try reading(key).whole(type) }

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
  func decode(_ type: Bool.Type) throws -> Bool { try reading.single(reading.json.boolValue) }
  func decode(_ type: String.Type) throws -> String { try reading.single(reading.json.stringValue) }
  func decode(_ type: Double.Type) throws -> Double { try reading.single(reading.json.doubleValue) }
  func decode(_ type: Int.Type) throws -> Int { try reading.whole(type) }
  func decode(_ type: Int32.Type) throws -> Int32 { try reading.whole(type) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try reading.whole(type) }
  // As for encoding.
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try reading.read(type) }
}

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
