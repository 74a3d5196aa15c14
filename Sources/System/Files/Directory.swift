internal import Glibc
internal import TesseraBytes
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

  /// The user whom it belongs to, if files that this process makes in it would belong to root instead; nil for any other
  /// process than one of root, and on file systems that give all files one owner.
  ///
  /// - Parameter draft: a name for a file that is made and removed again.
  package func ownerUnlikeRoot(draft: String) throws(SystemError) -> SystemUser? {
    guard geteuid() == 0, let owner = status(".")?.st_uid, owner != 0 else { return nil }
    var made = stat()
    let file = try open(draft, .create)
    // By the descriptor: another process of this user may remove drafts.
    guard fstat(file.descriptor, &made) == 0 else { throw SystemError("examine", file.path) }
    try remove(draft)
    return made.st_uid == owner ? nil : SystemUser(owner)
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

/// Files in a folder. Each path is relative to it.
extension Directory {
  /// Opens a file. For reading it must be a regular one: a pipe would block its reader.
  package func open(_ path: String, _ mode: File.Mode) throws(SystemError) -> File {
    try at(path) { folder, name throws(SystemError) in
      // A file may have other names (hard links), which must keep their content.
      // If removing fails, so does creating.
      if mode == .write { unlinkat(folder.descriptor, name, 0) }
      let flags = mode == .read ? File.Mode.readWithoutWaiting.flags : mode.flags
      let descriptor = tessera_open_at(folder.descriptor, name, flags | O_NOFOLLOW, 0o666)
      guard descriptor >= 0 else { throw folder.rejection("open", name, code: errno) }
      let file = File(path: folder.path(of: name), descriptor: descriptor)
      guard mode != .read || file.isRegular else { throw .notAFile(file.path) }
      return file
    }
  }

  /// Whether something has this name, be it a link that leads nowhere.
  package func exists(_ path: String) -> Bool { status(of: path) != nil }

  /// The size of a regular file in bytes; nil if there is none.
  package func size(of path: String) -> Int? { sizeAndChange(of: path)?.size }

  /// The size of each regular file in bytes; nil where there is none. Each folder is opened once.
  ///
  /// - Throws: ``SystemError`` if a folder can't be opened for want of permission, descriptors or memory,
  ///   or because the disk fails: that says nothing about the files in it.
  package func sizes(of paths: [String]) throws(SystemError) -> [Int?] {
    var sizes = [Int?](repeating: nil, count: paths.count)
    // What is in this folder itself has no parent in its path.
    let folders = paths.map { $0.contains("/") ? FileSystem.parent(of: $0) : "" }
    var opened: (path: String, folder: Directory?)?
    for index in paths.indices.sorted(by: {
      folders[$0].utf8.lexicographicallyPrecedes(folders[$1].utf8)
    }) {
      if opened?.path.utf8.elementsEqual(folders[index].utf8) != true {
        // Only one at a time: a folder that is open for long may no longer be the one at its path.
        opened = (folders[index], try reachable(folders[index]))
      }
      guard let status = opened?.folder?.status(FileSystem.name(of: paths[index])),
        status.st_mode & S_IFMT == S_IFREG
      else { continue }
      sizes[index] = Int(status.st_size)
    }
    return sizes
  }

  /// The folder at a path; nil if there is none.
  private func reachable(_ path: String) throws(SystemError) -> Directory? {
    if path.isEmpty { return self }
    do throws(SystemError) {
      return try directory(path)
    } catch {
      guard ![EACCES, EMFILE, ENFILE, ENOMEM, EIO].contains(error.code) else { throw error }
      return nil
    }
  }

  /// The size in bytes and the last change in seconds since 1970; nil for anything but a regular
  /// file.
  package func sizeAndChange(of path: String) -> (size: Int, changed: Double)? {
    guard let status = status(of: path), status.st_mode & S_IFMT == S_IFREG else { return nil }
    let changed = status.st_mtim
    return (Int(status.st_size), Double(changed.tv_sec) + Double(changed.tv_nsec) / 1e9)
  }

  /// When a file got its bytes, its name or its owner, whichever was last, in seconds since 1970; nil for anything but a
  /// regular file. A copy that keeps the time of the original came here at this time.
  package func arrival(of path: String) -> Double? {
    guard let status = status(of: path), status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Double(status.st_ctim.tv_sec) + Double(status.st_ctim.tv_nsec) / 1e9
  }

  /// A text that changes when a name in a folder is added, removed or replaced, or when a file is; nil if there is nothing of
  /// that name.
  package func mark(of path: String) -> String? {
    status(of: path).map { status in
      "\(status.st_ino) \(status.st_size) \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
    }
  }

  /// SHA-256 of a file's content: 64 hexadecimal digits. Reads one MiB at a time.
  package func sha256(of path: String) throws(SystemError) -> String {
    let file = try open(path, .read)
    let digest = SHA256()
    var offset = 0
    while true {
      let bytes = try file.read(1 << 20, at: offset)
      if bytes.isEmpty { return digest.hexadecimal() }
      bytes.withUnsafeBytes { digest.update($0) }
      offset += bytes.count
    }
  }

  // MARK: Names

  /// Renames something in it; replaces a file at `new`.
  package func rename(_ old: String, to new: String) throws(SystemError) {
    try at(old) { folder, name throws(SystemError) in
      try take(folder.descriptor, name, as: new, from: folder.path(of: name))
    }
  }

  /// Gives a file of this machine a name in it, on the same file system; replaces a file there.
  package func take(_ file: String, as path: String) throws(SystemError) {
    try take(AT_FDCWD, file, as: path, from: file)
  }

  private func take(
    _ directory: Int32, _ old: String, as new: String, from shown: String
  ) throws(SystemError) {
    try at(new) { folder, name throws(SystemError) in
      guard renameat(directory, old, folder.descriptor, name) == 0 else {
        throw folder.rejection("rename \"\(shown)\" to", name, code: errno)
      }
    }
  }

  /// Exchanges two names in it, files or folders, at once.
  ///
  /// - Throws: ``SystemError``, with `isUnsupported` if the file system can't.
  package func exchange(_ path: String, with other: String) throws(SystemError) {
    try at(path) { source, old throws(SystemError) in
      try at(other) { target, new throws(SystemError) in
        guard tessera_exchange(source.descriptor, old, target.descriptor, new) == 0 else {
          // Network file systems, and overlays between their layers.
          let code = [EINVAL, ENOSYS, EXDEV].contains(errno) ? EOPNOTSUPP : errno
          throw target.rejection("replace", new, code: code)
        }
      }
    }
  }

  /// Adds a second name (a hard link) to a file in it.
  package func link(_ path: String, as other: String) throws(SystemError) {
    try at(path) { source, old throws(SystemError) in
      try at(other) { target, new throws(SystemError) in
        guard linkat(source.descriptor, old, target.descriptor, new, 0) == 0 else {
          throw target.rejection("link to", new, code: errno)
        }
      }
    }
  }

  /// Removes a file, or a link itself. A missing one is not an error.
  package func remove(_ path: String) throws(SystemError) {
    do throws(SystemError) {
      try at(path) { folder, name throws(SystemError) in
        guard unlinkat(folder.descriptor, name, 0) == 0 || errno == ENOENT else {
          throw folder.rejection("remove", name, code: errno)
        }
      }
    } catch {
      guard error.code == ENOENT else { throw error }
    }
  }

  /// Sets a file's times to the present.
  package func touch(_ path: String) throws(SystemError) {
    try at(path) { folder, name throws(SystemError) in
      guard utimensat(folder.descriptor, name, nil, AT_SYMLINK_NOFOLLOW) == 0 else {
        throw folder.rejection("touch", name, code: errno)
      }
    }
  }

  /// Replaces a document atomically: a reader sees the old content or the new one, even after a
  /// power cut.
  ///
  /// - Parameter draft: its name until it is complete.
  package func replace(_ path: String, with bytes: [UInt8], draft: String) throws(SystemError) {
    do {
      let file = try open(draft, .write)
      try file.write(bytes)
      // Before the rename: otherwise the new name could be on the disk before the bytes are.
      try file.synchronize()
      try rename(draft, to: path)
    } catch {
      try? remove(draft)
      throw error
    }
    // The new name is durable only after its folder is.
    try synchronize()
  }
}
