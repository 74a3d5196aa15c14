private import TesseraCSQLite

/// One open connection of SQLite, closed when it is released.
final class Connection {
  let path: String
  private(set) var handle: OpaquePointer?

  init(_ path: String, isReadOnly: Bool) throws(StateError) {
    self.path = path
    // No mutex: the state store is an actor, and this connection is its own.
    let access = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    let code = sqlite3_open_v2(path, &handle, access | SQLITE_OPEN_NOMUTEX, nil)
    guard code == SQLITE_OK else {
      let error = failure(code)
      // A handle exists even if opening failed, and has to be closed.
      sqlite3_close_v2(handle)
      handle = nil
      throw error
    }
    sqlite3_extended_result_codes(handle, 1)
  }

  deinit { sqlite3_close_v2(handle) }

  /// The error for a result code of SQLite.
  func failure(_ code: Int32) -> StateError {
    // An SQL error in one of our own statements means that the tables are not what they were, and an
    // interrupted statement used up its steps (``Database/limitSteps()``).
    let isCorrupt =
      [
        SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_MISMATCH,
        SQLITE_INTERRUPT,
      ].contains(code & 0xFF)
    let message = handle.map { String(cString: sqlite3_errmsg($0)) }
    return StateError(
      kind: isCorrupt ? .corrupt : .other, path: path,
      message: message ?? String(cString: sqlite3_errstr(code)))
  }
}
