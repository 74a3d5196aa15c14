internal import Glibc

extension FileSystem {
  /// Creates a directory and its parents. An existing directory is not an error.
  package static func makeDirectory(_ path: String) throws(SystemError) {
    // The umask reduces these rights. A link to a directory is accepted here; callers that must not
    // follow one call `refuseLink`.
    if mkdir(path, 0o777) == 0 || (errno == EEXIST && isDirectory(path)) { return }
    let code = errno
    let above = parent(of: path)
    guard code == ENOENT, above != path else {
      throw SystemError("make the directory", path, code: code)
    }
    try makeDirectory(above)
    // Another process may have created it in the meantime.
    guard mkdir(path, 0o777) == 0 || errno == EEXIST else {
      throw SystemError("make the directory", path)
    }
  }

  /// Creates an empty directory in ``temporaryDirectory`` that only this user can access.
  package static func makeTemporaryDirectory() throws(SystemError) -> String {
    var name = Array(join(temporaryDirectory, "tessera-XXXXXX").utf8CString)
    let made = name.withUnsafeMutableBufferPointer { name in
      name.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
    }
    guard let made else { throw SystemError("make a directory in", temporaryDirectory) }
    return made
  }

  /// Restricts a directory, which must not be a symbolic link, to its owner.
  package static func makePrivate(_ path: String) throws(SystemError) {
    try refuseLink(path)
    guard chmod(path, 0o700) == 0 else { throw SystemError("protect", path) }
  }

  /// Throws if the path is not a directory itself. A symbolic link in the place of one of Tessera's
  /// directories would redirect every write and removal to another place.
  package static func refuseLink(_ path: String) throws(SystemError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { throw SystemError("examine", path) }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw SystemError("use as a directory", path, code: ENOTDIR)
    }
  }

  /// The names in a directory, without "." and "..", unsorted.
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

  /// Removes an empty directory.
  package static func removeDirectory(_ path: String) throws(SystemError) {
    guard rmdir(path) == 0 else { throw SystemError("remove", path) }
  }

  /// Removes a file, or a directory with its content. Removes links themselves, not their targets.
  package static func removeTree(_ path: String) throws(SystemError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFDIR else { return try remove(path) }
    for name in try list(path) { try removeTree(join(path, name)) }
    try removeDirectory(path)
  }

  /// Waits until a directory's entries are on the disk.
  package static func synchronizeDirectory(_ path: String) throws(SystemError) {
    let directory = try File(path, .read)
    try directory.synchronize()
  }
}
