internal import Glibc
private import TesseraCSQLite
package import TesseraSystem

/// Why the state could not be read or written.
package struct StateError: ReportedError, Sendable, CustomStringConvertible {
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
    "if it is damaged, tessera prune or the next run sets it aside"

  /// What failed and why, without the remedy.
  package var finding: String {
    path.isEmpty
      ? "a temporary database in \"\(FileSystem.temporaryDirectory)\": \(message)"
      : "the state file \"\(path)\": \(message)"
  }

  package var report: TesseraError {
    TesseraError(
      isFullDisk ? .diskFull : .state, finding, remedy: remedy, subject: path.isEmpty ? nil : path)
  }

  package var description: String { report.description }
}

extension StateError {
  /// The error for a result code of SQLite (sqlite.org/rescode.html).
  ///
  /// - Parameters:
  ///   - code: an extended result code. Its lowest byte is the primary one.
  ///   - message: SQLite's own.
  ///   - system: the `errno` of the last system call of SQLite that failed.
  init(code: Int32, message: String, system: Int32, path: String) {
    let primary = code & 0xFF
    self.init(kind: Self.kind(primary), path: path, message: message)
    guard kind == .unavailable else { return }
    remedy = Self.remedy(primary)
    isFullDisk = primary == SQLITE_FULL
    // The number is valid after these two only. A file that is missing is what SQLite looked for
    // after the call that failed.
    guard primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN else { return }
    // Of some calls SQLite forgets the number. What it makes beside a state has 32 kB.
    let isFull = primary == SQLITE_IOERR && system == 0 && Self.room(beside: path) < 1 << 15
    let system = isFull ? ENOSPC : system
    let cause = SystemError("use", path, code: system)
    isFullDisk = cause.isFullDisk
    let hasCause = system != 0 && !cause.isMissingFile
    self.message += hasCause ? " (\(code): \(cause.reason))" : " (\(code))"
    if hasCause { remedy = cause.remedy ?? remedy }
  }

  /// The bytes that are left where a file is; for a temporary database, where that is.
  private static func room(beside path: String) -> Int {
    let folder = path.isEmpty ? FileSystem.temporaryDirectory : FileSystem.parent(of: path)
    return (try? FileSystem.room(at: folder))?.freeBytes ?? .max
  }

  private static func kind(_ primary: Int32) -> Kind {
    switch primary {
    // A statement is interrupted when it used up its steps (Database.limitSteps).
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_INTERRUPT: .corrupt
    case SQLITE_FULL, SQLITE_IOERR, SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_BUSY, SQLITE_LOCKED,
      SQLITE_PROTOCOL, SQLITE_NOMEM, SQLITE_NOLFS, SQLITE_PERM, SQLITE_AUTH:
      .unavailable
    default: .rejected
    }
  }

  private static func remedy(_ primary: Int32) -> String {
    switch primary {
    case SQLITE_FULL: "free space on its file system, and run again"
    case SQLITE_CANTOPEN: "make its folder writable, with free space and inodes, and run again"
    case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH:
      "make the file and its folder writable, and run again"
    case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL:
      "end the program that holds its lock, and run again"
    case SQLITE_NOMEM: "free memory, and run again"
    default: "check the disk, and run again"
    }
  }
}
