internal import TesseraJSON

/// The members of one record that a reader has met.
struct SeenMembers: Sendable {
  /// A bit for each place in the record's list. The longest list has 19 members.
  private var places: UInt64 = 0
  /// Members that this version does not know. Almost always empty.
  private var unknown = MemberNames()

  /// Returns false if the member was met before.
  mutating func insert(_ place: Int) -> Bool {
    let bit: UInt64 = 1 << UInt64(place)
    defer { places |= bit }
    return places & bit == 0
  }

  /// Returns false if the member was met before.
  mutating func insert(unknown name: String) -> Bool { unknown.insert(name) }

  func contains(_ place: Int) -> Bool { places >> UInt64(place) & 1 == 1 }
}

/// Finds the first required member that a reader has not met.
struct MissingMember: MemberVisitor {
  typealias Failure = Never

  private let seen: SeenMembers
  private var place = 0
  private(set) var name: String?

  init(seen: SeenMembers) { self.seen = seen }

  private mutating func visit(_ name: String, isRequired: Bool) {
    if isRequired, self.name == nil, !seen.contains(place) { self.name = name }
    place += 1
  }

  mutating func required<Value>(_ name: String, _ value: inout Value) {
    visit(name, isRequired: true)
  }
  mutating func named<Value>(_ name: String, _ value: inout [String: Value]) {
    visit(name, isRequired: true)
  }
  mutating func optional<Value>(_ name: String, _ value: inout Value?) {
    visit(name, isRequired: false)
  }
  mutating func collection<Value>(_ name: String, _ value: inout Value) {
    visit(name, isRequired: false)
  }
  mutating func anything(_ name: String, _ value: inout CatalogValue?) {
    visit(name, isRequired: false)
  }
}
