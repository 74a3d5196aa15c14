internal import Glibc

/// The few questions and acts on paths that Tessera needs, each a thin name for a system call.
package enum FileSystem {
  /// Whether two regular files are there and have the same bytes.
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

  /// Joins two paths; an absolute second one stands alone.
  package static func join(_ base: String, _ path: String) -> String {
    if path.hasPrefix("/") || base.isEmpty || base == "." { return path }
    return base.hasSuffix("/") ? base + path : "\(base)/\(path)"
  }

  /// The path up to its last component: "a/b" gives "a", "b" gives ".".
  package static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// The path's last component.
  package static func name(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return path }
    return String(path[path.index(after: slash)...])
  }

  /// Where files go that nobody else is to see: `TMPDIR`, or else /var/tmp, which may hold more than
  /// memory does.
  package static var temporaryDirectory: String { Host.environment("TMPDIR") ?? "/var/tmp" }

  /// A new, empty directory below ``temporaryDirectory`` that is this user's alone.
  package static func makeTemporaryDirectory() throws(SystemError) -> String {
    var name = Array(join(temporaryDirectory, "tessera-XXXXXX").utf8CString)
    let made = name.withUnsafeMutableBufferPointer { name in
      name.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
    }
    guard let made else { throw SystemError("make a directory in", temporaryDirectory) }
    return made
  }

  /// Removes a file, or a directory with all that is in it. Links are removed, and not followed.
  package static func removeTree(_ path: String) throws(SystemError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFDIR else { return try remove(path) }
    for name in try list(path) { try removeTree(join(path, name)) }
    try removeDirectory(path)
  }

  /// Removes a directory that is empty.
  package static func removeDirectory(_ path: String) throws(SystemError) {
    guard rmdir(path) == 0 else { throw SystemError("remove", path) }
  }

  /// Whether a name is there, whatever it is the name of.
  package static func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  /// Copies a regular file to a name that is not there.
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

  package static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// The size of a regular file in bytes, or nil where none is. Symbolic links are not followed:
  /// what Tessera wrote is never one.
  package static func size(ofFile path: String) -> Int? {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }

  /// Makes a directory and those above it. It is no error if it is there.
  package static func makeDirectory(_ path: String) throws(SystemError) {
    if mkdir(path, 0o777) == 0 || (errno == EEXIST && isDirectory(path)) { return }
    let code = errno
    let above = parent(of: path)
    guard code == ENOENT, above != path else {
      throw SystemError("make the directory", path, code: code)
    }
    try makeDirectory(above)
    guard mkdir(path, 0o777) == 0 || errno == EEXIST else {
      throw SystemError("make the directory", path)
    }
  }

  /// Lets nobody but the owner into a directory, which must not be a symbolic link.
  package static func makePrivate(_ path: String) throws(SystemError) {
    try refuseLink(path)
    guard chmod(path, 0o700) == 0 else { throw SystemError("protect", path) }
  }

  /// An error where a directory of ours is a symbolic link: what is done in it would be done elsewhere.
  package static func refuseLink(_ path: String) throws(SystemError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { throw SystemError("examine", path) }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw SystemError("use as a directory", path, code: ENOTDIR)
    }
  }

  package static func rename(_ old: String, to new: String) throws(SystemError) {
    guard Glibc.rename(old, new) == 0 else { throw SystemError("rename \"\(old)\" to", new) }
    Effect.happened()
  }

  /// Removes a file. It is no error if it is not there.
  package static func remove(_ path: String) throws(SystemError) {
    guard unlink(path) == 0 || errno == ENOENT else { throw SystemError("remove", path) }
    Effect.happened()
  }

  /// Names in a directory, without "." and "..", in no order.
  package static func list(_ path: String) throws(SystemError) -> [String] {
    guard let directory = opendir(path) else { throw SystemError("list", path) }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }

  /// The whole content of a file that is expected to be small; longer than `limit` is an error.
  package static func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
    let file = try File(path, .read)
    var bytes: [UInt8] = []
    while try file.read(65_536, into: &bytes) > 0 {
      guard bytes.count <= limit else { throw SystemError("read", path, code: EFBIG) }
    }
    return bytes
  }

  /// Replaces a file as a whole: readers see the old content or the new, also after a power cut.
  package static func replace(_ path: String, with bytes: [UInt8]) throws(SystemError) {
    let temporary = "\(path).\(getpid()).new"
    do {
      let file = try File(temporary, .write)
      try file.write(bytes)
      try file.synchronize()
    } catch {
      unlink(temporary)
      throw error
    }
    try rename(temporary, to: path)
    try synchronizeDirectory(parent(of: path))
  }

  /// Waits until a directory's entries are on the disk.
  package static func synchronizeDirectory(_ path: String) throws(SystemError) {
    let directory = try File(path, .read)
    try directory.synchronize()
  }

  /// Gives a file a second name.
  package static func link(_ path: String, as other: String) throws(SystemError) {
    guard Glibc.link(path, other) == 0 else { throw SystemError("link to", other) }
    Effect.happened()
  }

  /// Makes a file as if it had been changed just now.
  package static func touch(_ path: String) throws(SystemError) {
    guard utimensat(AT_FDCWD, path, nil, AT_SYMLINK_NOFOLLOW) == 0 else {
      throw SystemError("touch", path)
    }
  }

  /// Bytes, and the last change in seconds since 1970; nil where this is no regular file.
  package static func sizeAndChange(ofFile path: String) -> (size: Int, changed: Double)? {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return (
      Int(status.st_size), Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1e9
    )
  }

  /// The path without links, `.` and `..`; nil where nothing is there.
  package static func realPath(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }
}
