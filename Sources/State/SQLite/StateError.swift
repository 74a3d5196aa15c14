internal import TesseraSystem

/// Why the state could not be read or written.
package struct StateError: Error, Sendable, CustomStringConvertible {
  package enum Kind: Sendable {
    /// SQLite found the file to be damaged, or to be something else.
    case corrupt
    /// Records are missing that this run wrote, or contradict each other.
    case incomplete
    /// SQLite rejected one of our statements: the tables are not what they were, or a fault of ours.
    case rejected
    /// A full or read-only disk, a failing one, a lock: the state is as it was.
    case unavailable
    /// A later version of Tessera wrote it.
    case newer
    /// A version of Tessera wrote it whose tables are not read any more.
    case older
  }

  package var kind: Kind
  /// Empty for a temporary database.
  package var path: String
  /// A clause, in SQLite's words where SQLite failed. Values are never part of it: they may be secret.
  package var message: String
  /// What to do, as a clause.
  package var remedy: String
  /// Whether it is that the disk is full.
  package internal(set) var isFullDisk = false

  package init(kind: Kind, path: String, message: String, remedy: String = Self.nextRun) {
    self.kind = kind
    self.path = path
    self.message = message
    self.remedy = remedy
  }

  /// Whether the file may have to be set aside. ``StateStore/isDamaged(_:)`` then decides.
  package var suggestsDamage: Bool {
    switch kind {
    case .corrupt, .incomplete, .rejected, .older: true
    case .unavailable, .newer: false
    }
  }

  package static let nextRun =
    "if it is damaged, tessera prune or the next run repairs it"

  /// What failed and why, without the remedy.
  package var finding: String {
    path.isEmpty
      ? "a temporary database in \"\(FileSystem.temporaryDirectory)\": \(message)"
      : "the state file \"\(path)\": \(message)"
  }

  package var description: String { "\(finding); \(remedy)" }
}
