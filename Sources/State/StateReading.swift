internal import TesseraSystem

/// A state that is only read.
package struct StateReading: Sendable {
  package let store: StateStore

  package init(path: String) throws(StateError) { store = try Self.open(path) }

  private static func open(_ path: String) throws(StateError) -> StateStore {
    do throws(StateError) {
      // Opening a file without tables would make them, which is a run's to do.
      let isEmpty = try Schema.isEmpty(Database(path, isReadOnly: true))
      return try StateStore(path: isEmpty ? "" : path)
    } catch {
      // SQLite makes an index of the log, though the log is empty. Who looks for what fills the disk gets along without.
      guard error.isFullDisk, isAtRest(path) else { throw error }
      return try StateStore(atRest: path)
    }
  }

  /// Whether the file has all that was written: a log may have later commits, or the rest of one that is half in the file.
  private static func isAtRest(_ path: String) -> Bool {
    FileSystem.size(ofFile: path + "-wal") ?? 0 == 0
  }
}
