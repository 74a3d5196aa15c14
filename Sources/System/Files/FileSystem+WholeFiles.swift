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
