internal import Glibc

extension FileSystem {
  /// The content of a file that is expected to be small. Throws if it is longer than `limit` bytes.
  package static func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
    let file = try File(path, .read)
    var bytes: [UInt8] = []
    while try file.read(65_536, into: &bytes) > 0 {
      guard bytes.count <= limit else { throw SystemError("read", path, code: EFBIG) }
    }
    return bytes
  }

  /// Renames a file or directory; replaces a file at `new`.
  package static func rename(_ old: String, to new: String) throws(SystemError) {
    guard Glibc.rename(old, new) == 0 else { throw SystemError("rename \"\(old)\" to", new) }
  }

  /// Removes a file. A missing file is not an error.
  package static func remove(_ path: String) throws(SystemError) {
    guard unlink(path) == 0 || errno == ENOENT else { throw SystemError("remove", path) }
  }
}

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

  /// The beginning of the names of those that processes of this machine make, before a number. Machines may share the folder
  /// for temporary files and not the locks in it. A machine's name may have any character.
  private static let prefix =
    "tessera-work-\(Host.name.split(separator: "/").joined(separator: "_"))-"

  /// Once for a process.
  private static let isCleared: Void = clearLeftBehind()

  /// Removes those of this machine's processes that are gone, as far as this user may.
  package static func clearLeftBehind() {
    guard let folder = try? Directory(FileSystem.temporaryDirectory),
      let names = try? folder.list()
    else { return }
    for name in names where isOwn(name) && folder.kind(of: name) == .folder {
      try? LockedFolder.removeIfLeft(name, in: folder)
    }
  }

  /// Another machine's name may begin with this one's.
  private static func isOwn(_ name: String) -> Bool {
    let number = name.utf8.dropFirst(prefix.utf8.count)
    return name.utf8.starts(with: prefix.utf8)
      && number.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
  }
}
