internal import TesseraSystem

/// A state that is only read. Opening one of an earlier version would migrate it, which is a run's to do: then this is a
/// copy, which is removed together with this value.
package struct StateReading: Sendable {
  package let store: StateStore
  private let copy: TemporaryDirectory?

  package init(path: String) async throws {
    do {
      (store, copy) = try await Self.open(path)
    } catch let error as StateError where error.isFullDisk && Self.isAtRest(path) {
      // SQLite makes an index of the log, though the log is empty. Who looks for what fills the disk gets along without.
      (store, copy) = (try StateStore(atRest: path), nil)
    }
  }

  private static func open(
    _ path: String
  ) async throws -> (store: StateStore, copy: TemporaryDirectory?) {
    guard try StateStore.isOfEarlierVersion(path) else { return (try StateStore(path: path), nil) }
    let copy = try TemporaryDirectory()
    let place = FileSystem.join(copy.path, FileSystem.name(of: path))
    try await StateStore.copy(path, to: place)
    return (try StateStore(path: place), copy)
  }

  /// Whether the file has all that was written: a log may have later commits, or the rest of one that is half in the file.
  private static func isAtRest(_ path: String) -> Bool {
    FileSystem.size(ofFile: path + "-wal") ?? 0 == 0
  }
}
