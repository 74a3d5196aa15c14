internal import Glibc
internal import TesseraCProcess

/// An open folder. What is in it is reached from its descriptor, so a part of a path that is
/// replaced in the meantime leads nowhere else.
///
/// Paths are relative, without `.` and `..`. No symbolic link in them is followed: one is a
/// ``SystemError/link(_:)`` that names it. Only the path of the folder itself, which the user
/// chooses, may be or contain links; it is resolved once.
package final class Directory: Sendable {
  /// As it was named, for messages.
  package let path: String
  /// For calls that take a folder (O_PATH); it can be neither read nor flushed.
  let descriptor: Int32

  /// Opens a folder that the user named.
  ///
  /// - Parameter creates: whether it is created if it is missing, and its parents, too.
  package init(_ path: String, creates: Bool = false) throws(SystemError) {
    if creates { try FileSystem.makeDirectory(path) }
    descriptor = tessera_open_folder(AT_FDCWD, path, 0)
    self.path = path
    if descriptor < 0 { throw SystemError("open", path) }
  }

  private init(_ descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  deinit { close(descriptor) }

  /// The path without links, for libraries that take no descriptor; nil without /proc.
  package var realPath: String? { FileSystem.realPath("/proc/self/fd/\(descriptor)") }

  /// The path of something in it, as it is named in messages.
  package func path(of relative: String) -> String { FileSystem.join(path, relative) }

  // MARK: Folders in it

  /// Opens a folder in it.
  package func directory(_ path: String) throws(SystemError) -> Directory {
    let full = self.path(of: path)
    let names = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard names.allSatisfy({ !$0.allSatisfy { $0 == UInt8(ascii: ".") } || $0.count > 2 }) else {
      throw SystemError("open", full, code: EINVAL)
    }
    let descriptor = tessera_open_beneath(descriptor, path)
    if descriptor >= 0 { return Directory(descriptor, path: full) }
    guard errno != ENOENT else { throw SystemError("open", full) }
    // The same in steps: for systems without openat2(2), and to find out what is in the way.
    var folder = self
    for name in names { folder = try folder.step(String(Substring(name))) }
    return folder
  }

  private func step(_ name: String) throws(SystemError) -> Directory {
    let next = tessera_open_folder(descriptor, name, O_NOFOLLOW)
    guard next >= 0 else { throw rejection("open", name, code: errno) }
    return Directory(next, path: path(of: name))
  }

  /// Opens a folder in it, and creates it and those above it if they are missing.
  package func makeDirectory(_ path: String) throws(SystemError) -> Directory {
    var folder = self
    for name in path.split(separator: "/").map(String.init) {
      // The umask reduces these rights.
      guard mkdirat(folder.descriptor, name, 0o777) == 0 || errno == EEXIST else {
        throw SystemError("make the directory", folder.path(of: name))
      }
      folder = try folder.directory(name)
    }
    return folder
  }

  /// Restricts it to its owner.
  package func makePrivate() throws(SystemError) {
    // fchmod(2) rejects O_PATH, and "." is the folder itself.
    guard fchmodat(descriptor, ".", 0o700, 0) == 0 else {
      throw SystemError("set the permissions of", path)
    }
  }

  /// Checks that this process may list it and open what is in it.
  package func expectReadable() throws(SystemError) {
    guard faccessat(descriptor, ".", R_OK | X_OK, AT_EACCESS) == 0 else {
      throw SystemError("read", path)
    }
  }

  // MARK: What every operation needs

  /// Calls `body` with the folder that a path is in, and its last component.
  func at<Value: ~Copyable>(
    _ path: String, _ body: (_ folder: Directory, _ name: String) throws(SystemError) -> Value
  ) throws(SystemError) -> Value {
    let name = FileSystem.name(of: path)
    guard !["", ".", ".."].contains(name) else {
      throw SystemError("use", self.path(of: path), code: EINVAL)
    }
    guard name.utf8.count < path.utf8.count else { return try body(self, name) }
    return try body(try directory(FileSystem.parent(of: path)), name)
  }

  /// The status of what is at a path; nil if nothing is there, or it cannot be reached.
  func status(of path: String) -> stat? {
    // Why it cannot be reached, opening it reports.
    try? at(path) { folder, name throws(SystemError) in folder.status(name) }
  }

  func status(_ name: String) -> stat? {
    var status = stat()
    return fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
  }

  /// The error of a call that failed on a name in it.
  func rejection(_ operation: String, _ name: String, code: Int32) -> SystemError {
    // Which code a link causes depends on the call: ELOOP or ENOTDIR.
    if [ELOOP, ENOTDIR].contains(code), status(name).map({ $0.st_mode & S_IFMT }) == S_IFLNK {
      return .link(path(of: name))
    }
    return SystemError(operation, path(of: name), code: code)
  }
}

/// All that is in a folder.
extension Directory {
  /// What a name in a folder is. Links are not followed.
  package enum Kind: Sendable, Equatable {
    case file(bytes: Int)
    case folder
    case link
    /// A pipe, a socket, a device.
    case other
  }

  /// The kind of what is at a path; nil if nothing is there, or it cannot be reached.
  package func kind(of path: String) -> Kind? {
    status(of: path).map { status in
      switch status.st_mode & S_IFMT {
      case S_IFREG: .file(bytes: Int(status.st_size))
      case S_IFDIR: .folder
      case S_IFLNK: .link
      default: .other
      }
    }
  }

  /// The names in it, without "." and "..", sorted: readdir(3) returns them in any order, and reports
  /// must not depend on it. By their bytes, as file systems compare them.
  package func list() throws(SystemError) -> [String] {
    try rawNames().map { name in
      String(decoding: name.dropLast().map(UInt8.init(truncatingIfNeeded:)), as: UTF8.self)
    }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// The names as the file system has them: they need not be UTF-8. Each ends with a NUL.
  private func rawNames() throws(SystemError) -> [[CChar]] {
    guard let stream = fdopendir(try openForReading()) else { throw SystemError("list", path) }
    defer { closedir(stream) }
    var names: [[CChar]] = []
    while true {
      // The end of the list and an error differ in errno alone.
      errno = 0
      guard let entry = readdir(stream) else { break }
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        bytes.prefix { $0 != 0 }.map(CChar.init(truncatingIfNeeded:))
      }
      let isDot = name.allSatisfy { $0 == 0x2E } && name.count <= 2
      if !isDot { names.append(name + [0]) }
    }
    guard errno == 0 else { throw SystemError("list", path) }
    return names
  }

  /// Waits until its entries are on the disk.
  package func synchronize() throws(SystemError) {
    try File(path: path, descriptor: try openForReading()).synchronize()
  }

  /// Takes its lock, until the result is closed. Nil if another process holds it.
  package func lock() throws(SystemError) -> File? {
    let file = File(path: path, descriptor: try openForReading())
    guard try file.lock() else { return nil }
    return file
  }

  private func openForReading() throws(SystemError) -> Int32 {
    let readable = tessera_open_at(descriptor, ".", O_RDONLY | O_DIRECTORY, 0)
    guard readable >= 0 else { throw SystemError("open", path) }
    return readable
  }

  // MARK: Removal

  /// Removes whatever has a name in it: a file, a link itself, a folder with its content. A missing
  /// one is not an error.
  package func removeTree(_ name: String) throws(SystemError) {
    guard kind(of: name) == .folder else { return try remove(name) }
    // A folder without rights can be neither listed nor emptied. If this fails, so does the next.
    _ = fchmodat(descriptor, name, 0o700, AT_SYMLINK_NOFOLLOW)
    try directory(name).clear()
    try removeDirectory(name)
  }

  /// Removes all that is in it.
  package func clear() throws(SystemError) {
    var moved = 0
    var waiting = try strip(self, &moved)
    while let name = waiting.popLast() {
      waiting += try strip(try directory(name), &moved)
      try removeDirectory(name)
    }
  }

  private func removeDirectory(_ name: String) throws(SystemError) {
    guard unlinkat(descriptor, name, AT_REMOVEDIR) == 0 else {
      throw rejection("remove", name, code: errno)
    }
  }

  /// Removes everything in a folder but the folders in it, which move into this one. Returns their
  /// names here.
  ///
  /// However deep a tree is, one folder of it is open at a time, and nothing is called recursively.
  private func strip(_ folder: Directory, _ moved: inout Int) throws(SystemError) -> [String] {
    var names: [String] = []
    for name in try folder.rawNames() {
      if unlinkat(folder.descriptor, name, 0) == 0 || errno == ENOENT { continue }
      let shown = String(
        decoding: name.dropLast().map(UInt8.init(truncatingIfNeeded:)), as: UTF8.self)
      guard errno == EISDIR else { throw SystemError("remove", folder.path(of: shown)) }
      // A folder without rights can't be moved either.
      _ = fchmodat(folder.descriptor, name, 0o700, AT_SYMLINK_NOFOLLOW)
      var place: String
      repeat {
        moved += 1
        place = "removed-\(moved)"
        // A name may be taken by what an earlier removal left.
      } while status(place) != nil
      guard renameat(folder.descriptor, name, descriptor, place) == 0 else {
        throw SystemError("remove", folder.path(of: shown))
      }
      names.append(place)
    }
    return names
  }
}
