/// A directory that only this user can access, and that is removed together with this value. Its lock tells others that
/// this process lives: what a killed one left, the next one removes.
package final class TemporaryDirectory: Sendable {
  package let path: String
  /// Nil where the file system has no locks: then no other process can take it either, and leaves the directory alone.
  private let lock: File?

  package init() throws(SystemError) {
    _ = Self.isCleared
    while true {
      let path = try FileSystem.makeTemporaryDirectory()
      let lock: File?
      do throws(SystemError) {
        // Another process may have taken it for left behind before it was locked, and removes it.
        guard let own = try Directory(path).lock() else { continue }
        lock = consume own
      } catch {
        lock = nil
      }
      guard FileSystem.isDirectory(path) else { continue }
      self.path = path
      self.lock = lock
      return
    }
  }

  deinit {
    // What stays in the folder for temporary files, the next process removes.
    guard let folder = try? Directory(FileSystem.parent(of: path)) else { return }
    try? folder.removeTree(FileSystem.name(of: path))
  }

  /// Once for a process.
  private static let isCleared: Void = clearLeftBehind()

  /// Removes those of processes that are gone, as far as this user may: their locks can be taken.
  package static func clearLeftBehind() {
    guard let folder = try? Directory(FileSystem.temporaryDirectory),
      let names = try? folder.list()
    else { return }
    let prefix = FileSystem.temporaryName.utf8
    for name in names where name.utf8.starts(with: prefix) && folder.kind(of: name) == .folder {
      // Held until it is gone: its owner could not take it in between.
      guard let lock = try? folder.directory(name).lock() ?? nil else { continue }
      try? folder.removeTree(name)
      _ = consume lock
    }
  }
}
