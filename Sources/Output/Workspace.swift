package import TesseraSystem

/// The private folder of an output, on this machine:
///
///     lock             held by the process that works on the output
///     state.sqlite     what earlier runs learned
///     spool/           sources that wait for a worker
///     staging/         files that wait to be published
///     cache/           sources that are kept for later runs
package struct Workspace: Sendable {
  package let root: String

  package init(_ root: String) { self.root = root }

  package var statePath: String { FileSystem.join(root, "state.sqlite") }
  package var stagingDirectory: String { FileSystem.join(root, "staging") }
  package var spoolDirectory: String { FileSystem.join(root, "spool") }
  package var cacheDirectory: String { FileSystem.join(root, "cache") }

  /// - Parameter name: unique within the run.
  package func spoolPath(_ name: String) -> String { FileSystem.join(spoolDirectory, name) }

  /// - Parameter name: unique within the run.
  package func stagingPath(_ name: String) -> String { FileSystem.join(stagingDirectory, name) }

  /// Whether a run has left a state.
  package var hasState: Bool { FileSystem.size(ofFile: statePath) != nil }

  /// Creates the folder and takes the lock, which ends with this process at the latest.
  ///
  /// - Throws: ``OutputError/busy(output:holder:)`` if another process holds the lock.
  package func lock() throws(OutputError) -> OutputLock {
    let path = FileSystem.join(root, "lock")
    do throws(SystemError) {
      // The state may say more than the catalog, and the output is often a web server's folder.
      try FileSystem.makeDirectory(root)
      try FileSystem.makePrivate(root)
      let file = try File(path, .lock)
      if try file.lock() {
        // The number is for messages only. The lock is the kernel's, so one of a killed run is not
        // stale.
        try file.truncate()
        try file.write(Array("\(Host.processIdentifier)\n".utf8))
        return OutputLock(file: file)
      }
    } catch {
      throw .system(error)
    }
    // Only for the message: without it the holder is not named.
    let holder = (try? FileSystem.read(path, limit: 32)) ?? []
    throw .busy(
      output: FileSystem.parent(of: root),
      holder: String(decoding: holder, as: UTF8.self).filter(\.isNumber))
  }

  /// Empties staging and spool. The caller holds the lock, so what is there belongs to a dead run.
  package func clear() throws(SystemError) {
    for directory in [stagingDirectory, spoolDirectory] {
      try FileSystem.makeDirectory(directory)
      // A linked folder would have the files of another folder removed.
      try FileSystem.refuseLink(directory)
      for name in try FileSystem.list(directory) {
        try FileSystem.remove(FileSystem.join(directory, name))
      }
    }
  }
}

/// The lock of an output. It is held for as long as the value exists.
package struct OutputLock: ~Copyable {
  private let file: File

  fileprivate init(file: consuming File) { self.file = file }
}
