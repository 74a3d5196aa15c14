internal import TesseraJSON

/// Makes a tree of a record, for the canonical form and for patches.
struct MemberTree: MemberVisitor {
  typealias Failure = Never

  var members: [String: CatalogValue] = [:]

  mutating func required<Value: MemberValue>(_ name: String, _ value: inout Value) {
    members[name] = value.tree
  }
  mutating func optional<Value: MemberValue>(_ name: String, _ value: inout Value?) {
    members[name] = value?.tree
  }
  mutating func collection<Value: MemberValue>(
    _ name: String, _ value: inout Value, isLeftOut: Bool
  ) {
    if !isLeftOut { members[name] = value.tree }
  }
  mutating func named<Value: MemberValue>(_ name: String, _ value: inout [String: Value]) {
    members[name] = value.tree
  }
  mutating func anything(_ name: String, _ value: inout CatalogValue?) { members[name] = value }
}

extension CatalogRecord {
  var tree: CatalogValue { .object(treeMembers) }

  var treeMembers: [String: CatalogValue] {
    var record = self
    var visitor = MemberTree()
    Self.members(&visitor, &record)
    return visitor.members
  }
}

extension Catalog {
  /// Everything but the images.
  var headTree: [String: CatalogValue] {
    var head = self
    var visitor = MemberTree()
    Self.headMembers(&visitor, &head)
    return visitor.members
  }
}
