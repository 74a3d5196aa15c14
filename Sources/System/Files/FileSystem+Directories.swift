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

  /// The beginning of the names of temporary directories that this process locks: earlier versions did not.
  static let temporaryName = "tessera-work-"

  /// Creates an empty directory in ``temporaryDirectory`` that only this user can access.
  package static func makeTemporaryDirectory() throws(SystemError) -> String {
    var name = Array(join(temporaryDirectory, "\(temporaryName)XXXXXX").utf8CString)
    let made = name.withUnsafeMutableBufferPointer { name in
      name.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
    }
    guard let made else { throw SystemError("make a directory in", temporaryDirectory) }
    return made
  }

  /// Removes an empty directory.
  package static func removeDirectory(_ path: String) throws(SystemError) {
    guard rmdir(path) == 0 else { throw SystemError("remove", path) }
  }
}
