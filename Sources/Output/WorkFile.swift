internal import Synchronization
package import TesseraSystem

/// A file of a workspace: its folder, and its path from there.
package struct WorkFile: Sendable {
  private let directory: Directory
  private let name: String

  init(_ name: String, in directory: Directory) {
    self.directory = directory
    self.name = name
  }

  /// For messages, and for what takes a path.
  package var path: String { directory.path(of: name) }

  package func open(_ mode: File.Mode) throws(SystemError) -> File {
    try directory.open(name, mode)
  }

  /// The size in bytes; nil for anything but a regular file.
  package var size: Int? { directory.size(of: name) }

  package func sha256() throws(SystemError) -> String { try directory.sha256(of: name) }

  /// Adds a second name (a hard link), in the same workspace.
  package func link(as other: WorkFile) throws(SystemError) {
    try directory.link(name, as: other.name)
  }

  func touch() throws(SystemError) { try directory.touch(name) }

  /// Removes the file. A missing one is not an error.
  package func remove() throws(SystemError) { try directory.remove(name) }
}

/// A folder of a workspace that stays open once a file in it was named, so that it is not looked up for each of them.
final class OpenFolder: Sendable {
  private let folder = Mutex<Directory?>(nil)

  func file(_ name: String, at path: String, in directory: Directory) -> WorkFile {
    folder.withLock { folder in
      // Why it can't be opened, opening the file reports.
      folder = folder ?? (try? directory.directory(path))
      return folder.map { WorkFile(name, in: $0) } ?? WorkFile("\(path)/\(name)", in: directory)
    }
  }
}
