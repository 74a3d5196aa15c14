internal import Glibc
internal import TesseraBytes
internal import TesseraCProcess

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
