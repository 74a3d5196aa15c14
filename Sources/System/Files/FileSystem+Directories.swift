internal import Glibc

extension FileSystem {
  /// Creates a directory and its parents. An existing directory is not an error.
  package static func makeDirectory(_ path: String) throws(SystemError) {
    // The umask reduces these rights. A link to a directory is accepted: the user named the path.
    if mkdir(path, 0o777) == 0 || (errno == EEXIST && isDirectory(path)) { return }
    let code = errno
    let above = parent(of: path)
    guard code == ENOENT, !above.utf8.elementsEqual(path.utf8) else {
      throw SystemError("make the directory", path, code: code)
    }
    try makeDirectory(above)
    // Another process may have created it in the meantime.
    guard mkdir(path, 0o777) == 0 || errno == EEXIST else {
      throw SystemError("make the directory", path)
    }
  }

  /// Removes an empty directory.
  package static func removeDirectory(_ path: String) throws(SystemError) {
    guard rmdir(path) == 0 else { throw SystemError("remove", path) }
  }
}
