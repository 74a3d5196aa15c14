/// JSON Merge Patch (RFC 7396): a document that describes the changes to another document.
package enum MergePatch {
  /// A change that no merge patch can express. In a patch, a null member means "remove this member",
  /// so no patch can set a member to null.
  package struct Inexpressible: Error {
    /// The names of the members that lead to the change, outermost first.
    package var path: [String]
  }

  /// The patch that turns one value into another; nil if the values are equal. The order of members
  /// does not matter.
  package static func between(
    _ old: JSONValue, _ new: JSONValue
  ) throws(Inexpressible) -> JSONValue? {
    guard case .object(let new) = new else { return old.isSame(as: new) ? nil : new }
    guard case .object(let old) = old else { return .object(try whole(new)) }
    let (before, after) = (MemberTable(old), MemberTable(new))
    var changes: [JSONValue.Member] = []
    for member in new {
      do throws(Inexpressible) {
        if let old = before[member.name] {
          guard let change = try between(old, member.value) else { continue }
          if change == .null { throw Inexpressible(path: []) }
          changes.append(.init(member.name, change))
        } else {
          changes += try whole([member])
        }
      } catch {
        throw Inexpressible(path: [member.name] + error.path)
      }
    }
    for member in old where after[member.name] == nil {
      changes.append(.init(member.name, .null))
    }
    return changes.isEmpty ? nil : .object(changes)
  }

  /// Returns new members unchanged, if no object in them has a null member at any depth.
  private static func whole(
    _ members: [JSONValue.Member]
  ) throws(Inexpressible) -> [JSONValue.Member] {
    for member in members {
      if member.value == .null { throw Inexpressible(path: []) }
      // Nulls in arrays are kept: a patch replaces an array as a whole (RFC 7396, section 2).
      if case .object(let inner) = member.value { _ = try whole(inner) }
    }
    return members
  }

  /// The value with the changes of the patch applied (RFC 7396, section 2).
  package static func apply(_ patch: JSONValue, to value: JSONValue?) -> JSONValue {
    guard case .object(let changes) = patch else { return patch }
    var old: [JSONValue.Member] = []
    if case .object(let members)? = value { old = members }
    let (before, table) = (MemberTable(old), MemberTable(changes))
    var members: [JSONValue.Member] = []
    for member in old {
      switch table[member.name] {
      case nil: members.append(member)
      case .null?: break
      case let change?: members.append(.init(member.name, apply(change, to: member.value)))
      }
    }
    for change in changes where before[change.name] == nil && change.value != .null {
      members.append(.init(change.name, apply(change.value, to: nil)))
    }
    return .object(members)
  }
}

/// Looks up the members of an object by name. Names are equal if their bytes are.
private struct MemberTable {
  /// Up to this many names, comparing them one by one is faster than hashing.
  private static let few = 16
  private let members: [JSONValue.Member]
  private var places: [[UInt8]: Int] = [:]

  init(_ members: [JSONValue.Member]) {
    self.members = members
    guard members.count > Self.few else { return }
    for (place, member) in members.enumerated() { places[Array(member.name.utf8)] = place }
  }

  subscript(name: String) -> JSONValue? {
    members.count > Self.few
      ? places[Array(name.utf8)].map { members[$0].value }
      : members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
  }
}

extension JSONValue {
  /// Whether two values are equal regardless of the order of members.
  package func isSame(as other: JSONValue) -> Bool {
    switch (self, other) {
    case (.object(let one), .object(let other)):
      one.count == other.count && Self.areSame(one, MemberTable(other))
    case (.array(let one), .array(let other)):
      one.count == other.count && zip(one, other).allSatisfy { $0.isSame(as: $1) }
    default: self == other
    }
  }

  private static func areSame(_ members: [Member], _ others: MemberTable) -> Bool {
    members.allSatisfy { member in others[member.name].map { member.value.isSame(as: $0) } ?? false
    }
  }
}
