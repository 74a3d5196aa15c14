/// Why the state could not be read or written.
package struct StateError: Error, Sendable, CustomStringConvertible {
  package enum Kind: Sendable {
    /// The file is not a database, or is damaged.
    case corrupt
    /// A later version of Tessera wrote it.
    case newer
    /// Everything else: a full disk, missing permissions, a lock that is never released.
    case other
  }

  package var kind: Kind
  package var path: String
  /// A clause, in SQLite's words where SQLite failed. Values are never part of it: they may be secret.
  package var message: String

  package init(kind: Kind, path: String, message: String) {
    self.kind = kind
    self.path = path
    self.message = message
  }

  package var description: String { "the state file \"\(path)\": \(message)" }
}
