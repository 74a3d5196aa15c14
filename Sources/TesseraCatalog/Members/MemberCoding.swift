/// The name of a member, for Codable.
private struct MemberKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ name: String) { stringValue = name }
  init?(stringValue: String) { self.init(stringValue) }
  init?(intValue: Int) { nil }
}

/// Reads a record with any `Decoder`.
private struct MemberDecoder: MemberVisitor {
  let container: KeyedDecodingContainer<MemberKey>

  mutating func required<Value: MemberValue>(_ name: String, _ value: inout Value) throws {
    value = try container.decode(Value.self, forKey: MemberKey(name))
  }
  mutating func optional<Value: MemberValue>(_ name: String, _ value: inout Value?) throws {
    value = try container.decodeIfPresent(Value.self, forKey: MemberKey(name))
  }
  mutating func collection<Value: MemberValue>(
    _ name: String, _ value: inout Value, isLeftOut: Bool
  ) throws {
    if let found = try container.decodeIfPresent(Value.self, forKey: MemberKey(name)) {
      value = found
    }
  }
  mutating func named<Value: MemberValue>(
    _ name: String, _ value: inout [String: Value]
  ) throws {
    try required(name, &value)
  }
  mutating func anything(_ name: String, _ value: inout CatalogValue?) throws {
    // `decodeIfPresent` would take a `null` for an absent member.
    let key = MemberKey(name)
    value = container.contains(key) ? try container.decode(CatalogValue.self, forKey: key) : nil
  }
}

/// Writes a record with any `Encoder`.
private struct MemberEncoder: MemberVisitor {
  var container: KeyedEncodingContainer<MemberKey>

  mutating func required<Value: MemberValue>(_ name: String, _ value: inout Value) throws {
    try container.encode(value, forKey: MemberKey(name))
  }
  mutating func optional<Value: MemberValue>(_ name: String, _ value: inout Value?) throws {
    try container.encodeIfPresent(value, forKey: MemberKey(name))
  }
  mutating func collection<Value: MemberValue>(
    _ name: String, _ value: inout Value, isLeftOut: Bool
  ) throws {
    if !isLeftOut { try required(name, &value) }
  }
  mutating func named<Value: MemberValue>(
    _ name: String, _ value: inout [String: Value]
  ) throws {
    try required(name, &value)
  }
  mutating func anything(_ name: String, _ value: inout CatalogValue?) throws {
    try container.encodeIfPresent(value, forKey: MemberKey(name))
  }
}

// A public type cannot take `init(from:)` and `encode(to:)` from an internal protocol, so each record
// forwards to these two.
extension CatalogRecord {
  init(members decoder: any Decoder) throws {
    var record = Self.blank
    var visitor = MemberDecoder(container: try decoder.container(keyedBy: MemberKey.self))
    try Self.members(&visitor, &record)
    self = record
  }

  func encodeMembers(to encoder: any Encoder) throws {
    var record = self
    var visitor = MemberEncoder(container: encoder.container(keyedBy: MemberKey.self))
    try Self.members(&visitor, &record)
  }
}
