/// A document that a command prints, or a run writes: a structure whose stored properties are the members.
///
/// Members come in the order of the coding keys, those of dictionaries by their names. Nil is left out. Numbers with
/// decimals have three at most, as ``JSONWriter`` writes them. `Examples/operations/reports` has the JSON Schema of each.
package protocol JSONDocument: Encodable {
  /// The first member: `tessera-run/1`. The number is another one if a reader of the earlier documents would fail.
  var schema: String { get }
}

extension JSONDocument {
  /// The text, with each member on a line of its own.
  package var json: [UInt8] { JSONCoding.text(self, indent: 2) }
}

/// A member that is left out of a document while it has a certain value: `@Omitting(0)`.
@propertyWrapper
package struct Omitting<Value: Encodable & Equatable>: Encodable {
  package var wrappedValue: Value
  private let omitted: Value

  package init(wrappedValue: Value, _ omitted: Value) {
    (self.wrappedValue, self.omitted) = (wrappedValue, omitted)
  }

  package func encode(to encoder: any Encoder) throws {
    guard wrappedValue != omitted else { return }
    var container = encoder.singleValueContainer()
    try container.encode(wrappedValue)
  }
}

extension Omitting: Equatable {}
extension Omitting: Sendable where Value: Sendable {}

/// An object whose members have an order that says more than that of their names.
package struct JSONMembers<Value: Encodable & Sendable>: Encodable, Sendable {
  private var members: [(name: String, value: Value)]

  package init(_ members: [(name: String, value: Value)] = []) { self.members = members }

  package mutating func append(_ name: String, _ value: Value) { members.append((name, value)) }

  package func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: Name.self)
    for member in members { try object.encode(member.value, forKey: Name(member.name)) }
  }

  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
  }
}
