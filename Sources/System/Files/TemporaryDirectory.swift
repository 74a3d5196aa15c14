/// A directory that only this user can access, and that is removed together with this value.
package final class TemporaryDirectory: Sendable {
  package let path: String

  package init() throws(SystemError) { path = try FileSystem.makeTemporaryDirectory() }

  deinit {
    // What stays in the folder for temporary files, the system removes.
    guard let folder = try? Directory(FileSystem.parent(of: path)) else { return }
    try? folder.removeTree(FileSystem.name(of: path))
  }
}
