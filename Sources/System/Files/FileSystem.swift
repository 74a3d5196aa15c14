internal import Glibc

/// Operations on paths, directories and whole files. Most are one system call with its errors as
/// ``SystemError``.
///
/// This file holds the operations on paths, which change nothing on the disk.
package enum FileSystem {
  /// Joins two paths; returns the second one if it is absolute.
  package static func join(_ base: String, _ path: String) -> String {
    if path.hasPrefix("/") || base.isEmpty || base == "." { return path }
    return base.hasSuffix("/") ? base + path : "\(base)/\(path)"
  }

  /// The path without its last component: "a" for "a/b", "." for "b".
  package static func parent(of path: String) -> String {
    // Bytes: characters take several times as long, and every file of every image comes here.
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// The path's last component.
  package static func name(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
    return String(path[path.utf8.index(after: slash)...])
  }

  /// The path without links, `.` and `..`; nil if nothing exists there.
  package static func realPath(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }

  /// The directory for temporary files: `TMPDIR`, or else /var/tmp. Not /tmp, which is often a file
  /// system in memory: a spool may be larger than that.
  package static var temporaryDirectory: String { Host.environment("TMPDIR") ?? "/var/tmp" }

  /// Whether something exists at the path. A symbolic link counts, even if its target is missing.
  package static func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  /// Whether a symbolic link is at the path.
  package static func isLink(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }

  /// Whether the path leads to a directory. Symbolic links are followed.
  package static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Whether the path leads to a named pipe. Symbolic links are followed.
  package static func isPipe(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
  }

  /// The size of a regular file in bytes; nil if there is none. Symbolic links are not followed,
  /// because Tessera never writes one.
  package static func size(ofFile path: String) -> Int? {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }
}

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
