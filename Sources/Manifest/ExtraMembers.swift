internal import TesseraJSON

/// What of a manifest becomes public besides the members that Tessera knows: columns of a table, and members of
/// a line of JSON. The member `extra` of a line is public, because the author of the line names it so.
package enum ExtraMembers: Sendable, Equatable {
  case named([String])
  case all

  func includes(_ name: String) -> Bool {
    switch self {
    case .named(let names): names.contains(name)
    case .all: true
    }
  }
}

/// The members of an entry that Tessera does not know.
struct OtherMembers: Sendable, Equatable {
  var list: [JSONValue.Member] = []
  /// Whether they are of a line of JSON, in which a name like a known one is a typing mistake, and not columns.
  var areOfJSON = false
}

/// The names of members that do not become public, with their numbers.
package struct LeftOutMembers: Sendable {
  package private(set) var counts: [String: Int] = [:]
  /// More names than these are counted without their names.
  private static let most = 100

  mutating func add(_ name: String) {
    guard counts[name] != nil || counts.count < Self.most else { return }
    counts[name, default: 0] += 1
  }

  package var names: [String] { counts.keys.sorted() }
}
