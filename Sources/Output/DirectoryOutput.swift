package import TesseraSystem

/// An output in a directory:
///
///     catalog.json      the result
///     run.json          what the last run did
///     variants/3f/3f9c…-192x256.webp
///     .tessera/         lock, state, spool and staging; nobody else's business
///
/// Staging is on the same file system as what is published, so publishing is a rename.
package struct DirectoryOutput: Publishing {
  package let root: String

  package init(_ root: String) { self.root = root }

  package var privateDirectory: String { FileSystem.join(root, ".tessera") }
  package var statePath: String { FileSystem.join(privateDirectory, "state.sqlite") }
  /// Where files lie until they are published.
  package var stagingDirectory: String { FileSystem.join(privateDirectory, "staging") }
  /// Where sources lie until they are worked off.
  package var spoolDirectory: String { FileSystem.join(privateDirectory, "spool") }

  /// Where sources are kept for later runs.
  package var cacheDirectory: String { FileSystem.join(privateDirectory, "cache") }

  /// Makes the directories and takes the lock, which ends with the process at the latest.
  ///
  /// - Throws: ``OutputError`` where another run holds it.
  package func lock() throws(OutputError) -> OutputLock {
    let path = FileSystem.join(privateDirectory, "lock")
    do throws(SystemError) {
      // The state may tell more than the catalog does, and the output is often a web server's folder.
      try FileSystem.makeDirectory(privateDirectory)
      try FileSystem.makePrivate(privateDirectory)
      let file = try File(path, .lock)
      if try file.lock() {
        try file.truncate()
        try file.write(Array("\(Host.processIdentifier)\n".utf8))
        return OutputLock(file: file)
      }
    } catch {
      throw .system(error)
    }
    let holder = (try? FileSystem.read(path, limit: 32)) ?? []
    throw .busy(output: root, holder: String(decoding: holder, as: UTF8.self).filter(\.isNumber))
  }

  /// Empties staging and spool. To be called under the lock: what is there is a dead run's.
  package func clear() throws(SystemError) {
    try FileSystem.makeDirectory(FileSystem.join(root, "variants"))
    try FileSystem.refuseLink(FileSystem.join(root, "variants"))
    for directory in [stagingDirectory, spoolDirectory] {
      try FileSystem.makeDirectory(directory)
      try FileSystem.refuseLink(directory)
      for name in try FileSystem.list(directory) {
        try FileSystem.remove(FileSystem.join(directory, name))
      }
    }
  }

  /// A path in the spool; the name must be unique within the run.
  package func spoolPath(_ name: String) -> String { FileSystem.join(spoolDirectory, name) }

  /// A path in staging; the name must be unique within the run.
  package func stagingPath(_ name: String) -> String { FileSystem.join(stagingDirectory, name) }

  package func publish(staged: String, as path: String) throws(SystemError) {
    let target = FileSystem.join(root, path)
    // One that is there and whole is left alone: it may have reached the disk, as this one has not.
    // One that can't be read is not.
    if FileSystem.size(ofFile: target) != nil,
      (try? FileSystem.haveSameBytes(staged, target)) == true
    {
      return try FileSystem.remove(staged)
    }
    do throws(SystemError) {
      try FileSystem.rename(staged, to: target)
    } catch {
      guard error.isMissingFile else { throw error }
      try FileSystem.makeDirectory(FileSystem.parent(of: target))
      try FileSystem.rename(staged, to: target)
    }
  }

  package func has(_ path: String, bytes: Int) -> Bool {
    FileSystem.size(ofFile: FileSystem.join(root, path)) == bytes
  }

  package func replace(_ name: String, with staged: String) throws(SystemError) {
    // One flush for the staged document and for every variant that was renamed before it.
    try File(staged, .read).synchronizeFileSystem()
    try FileSystem.rename(staged, to: FileSystem.join(root, name))
    try FileSystem.synchronizeDirectory(root)
  }
}

/// Holds an output for one run, as long as it lives.
package struct OutputLock: ~Copyable {
  private let file: File

  fileprivate init(file: consuming File) { self.file = file }
}

/// Why an output can't be used.
package enum OutputError: Error, Sendable, CustomStringConvertible {
  case busy(output: String, holder: String)
  case system(SystemError)

  package var description: String {
    switch self {
    case .busy(let output, let holder):
      let who = holder.isEmpty ? "another process" : "process \(holder)"
      return "another run holds the output \"\(output)\" (\(who)); wait for it, or end it"
    case .system(let error): return error.description
    }
  }
}
