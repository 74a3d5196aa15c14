internal import TesseraJSON
internal import TesseraText

/// What of a manifest becomes public besides the members that Tessera knows: columns of a table, and members of
/// a line of JSON. The member `extra` of a line is public, because the author of the line names it so.
package enum ExtraMembers: Sendable, Equatable {
  case named([String])
  case all

  /// Whether a name is in a list of names.
  func names(_ name: String) -> Bool { self != .all && includes(name) }

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
  /// Names of those that a mapping has for something else. They become public only by their names.
  var mapped: Set<String> = []
}

/// The names of members that do not become public, with their numbers.
package struct LeftOutMembers: Sendable {
  package private(set) var counts: [String: Int] = [:]
  /// Of the columns that the pipeline file names, those that tables have, and those that one lacks, each with a hint.
  private var present: Set<String> = []
  private var absent: [String: String] = [:]
  /// What the mapping of an export lacks, so that images of drafts may become public.
  private var unheeded: ColumnMapping?
  /// More names than these are counted without their names.
  private static let most = 100

  mutating func add(_ name: String) {
    guard counts[name] != nil || counts.count < Self.most else { return }
    counts[name, default: 0] += 1
  }

  /// Notes which of the names a table has, and what a mapping does not heed.
  mutating func note(
    _ selection: ExtraMembers?, columns: [String], _ mapping: ColumnMapping?
  ) {
    if let mapping { unheeded = ShopExport.unheeded(columns, mapping) }
    guard case .named(let names)? = selection else { return }
    for name in names {
      if columns.contains(name) {
        present.insert(name)
      } else {
        absent[name] = Nearest.hint(for: name, among: columns)
      }
    }
  }

  /// What is wrong with the names in the pipeline file, and what is missing there: clauses.
  package var mistakes: [String] {
    var mistakes = absent.filter { !present.contains($0.key) }.sorted { $0.key < $1.key }.map {
      "no list has a column \"\($0)\", which \"extra\" in the pipeline file names\($1)"
    }
    if let unheeded {
      mistakes.append(
        "images of drafts and of hidden products may become public; to leave them out, add to \"columns\" in the pipeline file: "
          + "\(unheeded.yaml.dropFirst().dropLast()); or, if they are to be public, published: []")
    }
    return mistakes
  }

  /// Adds those of another list.
  package mutating func add(_ other: LeftOutMembers) {
    present.formUnion(other.present)
    absent.merge(other.absent) { one, _ in one }
    unheeded = unheeded ?? other.unheeded
    for (name, count) in other.counts where counts[name] != nil || counts.count < Self.most {
      counts[name, default: 0] += count
    }
  }
}
