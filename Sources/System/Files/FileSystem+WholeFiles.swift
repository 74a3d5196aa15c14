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

  /// Replaces a file atomically: a reader sees the old content or the new one, even after a power
  /// cut.
  package static func replace(_ path: String, with bytes: [UInt8]) throws(SystemError) {
    // In the same folder, because rename(2) does not work across file systems (EXDEV).
    let temporary = "\(path).\(getpid()).new"
    do {
      let file = try File(temporary, .write)
      try file.write(bytes)
      // Before the rename: otherwise the new name could be on the disk before the bytes are.
      try file.synchronize()
      try rename(temporary, to: path)
    } catch {
      unlink(temporary)
      throw error
    }
    // The new name is durable only after its directory is.
    try synchronizeDirectory(parent(of: path))
  }

  /// Copies a regular file to a path where nothing exists yet.
  package static func copy(_ path: String, to other: String) throws(SystemError) {
    let source = try File(path, .read)
    let target = try File(other, .create)
    var offset = 0
    while true {
      let bytes = try source.read(1 << 18, at: offset)
      if bytes.isEmpty { return }
      try target.write(bytes)
      offset += bytes.count
    }
  }

  /// Whether both paths are regular files with the same content.
  package static func haveSameBytes(_ first: String, _ second: String) throws(SystemError) -> Bool {
    guard let size = size(ofFile: first), size == Self.size(ofFile: second) else { return false }
    let one = try File(first, .read)
    let other = try File(second, .read)
    var offset = 0
    while offset < size {
      let bytes = try one.read(1 << 18, at: offset)
      guard !bytes.isEmpty, try other.read(1 << 18, at: offset) == bytes else { return false }
      offset += bytes.count
    }
    return true
  }

  /// Renames a file or directory; replaces a file at `new`.
  package static func rename(_ old: String, to new: String) throws(SystemError) {
    guard Glibc.rename(old, new) == 0 else { throw SystemError("rename \"\(old)\" to", new) }
    Effect.happened()
  }

  /// Adds a second name (a hard link) to a file.
  package static func link(_ path: String, as other: String) throws(SystemError) {
    guard Glibc.link(path, other) == 0 else { throw SystemError("link to", other) }
    Effect.happened()
  }

  /// Removes a file. A missing file is not an error.
  package static func remove(_ path: String) throws(SystemError) {
    guard unlink(path) == 0 || errno == ENOENT else { throw SystemError("remove", path) }
    Effect.happened()
  }

  /// Sets a file's times to the present. Symbolic links are not followed.
  package static func touch(_ path: String) throws(SystemError) {
    guard utimensat(AT_FDCWD, path, nil, AT_SYMLINK_NOFOLLOW) == 0 else {
      throw SystemError("touch", path)
    }
  }
}
