internal import TesseraJSON

/// Visits the members of a catalog record.
///
/// Each record lists its members once, in `members`, in the order of the file. Everything that reads
/// or writes a catalog is a visitor of that list: ``MemberReader``, ``MemberWriter``, and
/// ``MissingMember``, the check for required members.
protocol MemberVisitor: ~Copyable {
  associatedtype Failure: Error

  /// A member that every record has.
  mutating func required<Value: MemberValue>(
    _ name: String, _ value: inout Value
  ) throws(Failure)

  /// A member that is left out if it is nil.
  mutating func optional<Value: MemberValue>(
    _ name: String, _ value: inout Value?
  ) throws(Failure)

  /// A collection that is empty if the member is absent. It is written even when it is empty.
  mutating func collection<Value: MemberValue>(
    _ name: String, _ value: inout Value
  ) throws(Failure)

  /// A required object with free names, whose order a writer may set.
  mutating func named<Value: MemberValue>(
    _ name: String, _ value: inout [String: Value]
  ) throws(Failure)

  /// A member of any JSON value, left out if it is nil. A JSON `null` is a value, too.
  mutating func anything(_ name: String, _ value: inout CatalogValue?) throws(Failure)
}

/// What a member can hold.
protocol MemberValue: Sendable {
  static func read(from scanner: inout JSONScanner) throws(JSONScanner.Failure) -> Self
  func write(to writer: inout JSONWriter)
}

/// A JSON object of the catalog with known members.
protocol CatalogRecord: MemberValue {
  /// A record for a reader to fill in.
  static var blank: Self { get }

  /// Visits all members in the order of the file.
  static func members<Visitor: MemberVisitor & ~Copyable>(
    _ visitor: inout Visitor, _ record: inout Self
  ) throws(Visitor.Failure)
}
