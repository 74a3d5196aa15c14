/// A directory that only this user can access, and that is removed together with this value.
package final class TemporaryDirectory: Sendable {
  package let path: String
  private let folder: LockedFolder

  package init() throws(SystemError) {
    _ = Self.isCleared
    let above = try Directory(FileSystem.temporaryDirectory)
    folder = try LockedFolder(in: above) { "\(Self.prefix)\(UInt64.random(in: 1 ... .max))" }
    path = above.path(of: folder.name)
  }

  /// The beginning of the names of those that this process locks: earlier versions did not.
  private static let prefix = "tessera-work-"

  /// Once for a process.
  private static let isCleared: Void = clearLeftBehind()

  /// Removes those of processes that are gone, as far as this user may.
  package static func clearLeftBehind() {
    guard let folder = try? Directory(FileSystem.temporaryDirectory),
      let names = try? folder.list()
    else { return }
    for name in names where name.utf8.starts(with: prefix.utf8) && folder.kind(of: name) == .folder
    {
      try? LockedFolder.removeIfLeft(name, in: folder)
    }
  }
}
