internal import Glibc
internal import TesseraCProcess

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
      throw refusal("remove", name, code: errno)
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
