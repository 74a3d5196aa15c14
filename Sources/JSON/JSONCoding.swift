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
