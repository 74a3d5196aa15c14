internal import Glibc
internal import TesseraCProcess

/// An open file. It is closed when it goes out of scope.
///
/// Reads and writes continue after an interrupted or short system call. Every error is a
/// ``SystemError`` with the path.
package struct File: ~Copyable {
  package let path: String
  package let descriptor: Int32

  package enum Mode: Sendable {
    case read
    /// For reading. Opens a named pipe at once, even if no other process has it open for writing.
    case readWithoutWaiting
    /// For reading and writing. Creates the file if it is missing; throws if it is a symbolic link.
    case lock
    /// For writing a new file. One that has the name is removed and not emptied, because it may
    /// have other names.
    case write
    /// For writing at the end of an existing file.
    case append
    /// For writing. Creates the file; throws if it exists.
    case create

    var flags: Int32 {
      switch self {
      case .read: O_RDONLY
      case .readWithoutWaiting: O_RDONLY | O_NONBLOCK
      // The lock file is emptied by its holder, so a link in its place would cost another file.
      case .lock: O_RDWR | O_CREAT | O_NOFOLLOW
      case .append: O_WRONLY | O_APPEND
      // With O_EXCL, open(2) does not follow a link in the last component either.
      case .write, .create: O_WRONLY | O_CREAT | O_EXCL
      }
    }
  }

  package init(_ path: String, _ mode: Mode) throws(SystemError) {
    // If removing fails, so does creating.
    if mode == .write { unlink(path) }
    descriptor = tessera_open(path, mode.flags, 0o666)
    self.path = path
    if descriptor < 0 { throw SystemError("open", path) }
  }

  /// The process's standard input, from its current position.
  package static func standardInput() throws(SystemError) -> File {
    // A duplicate, because `deinit` closes the descriptor.
    let descriptor = dup(STDIN_FILENO)
    guard descriptor >= 0 else { throw SystemError("read", "standard input") }
    return File(path: "standard input", descriptor: descriptor)
  }

  /// A file for reading and writing without a name: the kernel frees it when it is closed, even if
  /// the process is killed.
  package static func temporary(in directory: String) throws(SystemError) -> File {
    let template = Array(FileSystem.join(directory, "tessera-XXXXXX").utf8CString)
    var descriptor: Int32 = -1
    repeat {
      var name = template
      descriptor = name.withUnsafeMutableBufferPointer { name in
        guard let pointer = name.baseAddress else { return -1 }
        let descriptor = mkstemp(pointer)
        if descriptor >= 0 {
          unlink(pointer)
          // mkstemp(3) itself does not set this flag.
          _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        }
        return descriptor
      }
    } while descriptor < 0 && errno == EINTR
    guard descriptor >= 0 else { throw SystemError("make a temporary file in", directory) }
    return File(path: directory, descriptor: descriptor)
  }

  /// Takes over an open descriptor.
  ///
  /// - Parameter path: what errors call the file.
  package init(path: String, descriptor: Int32) {
    self.path = path
    self.descriptor = descriptor
  }

  /// Waits until a read would return at once, for at most the given time. Returns false if the time
  /// ran out.
  package func waitUntilReadable(milliseconds: Int) throws(SystemError) -> Bool {
    var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let ready = Glibc.poll(&poll, 1, Int32(milliseconds))
    // An interrupted wait counts as one whose time ran out: callers wait in a loop.
    if ready < 0 && errno != EINTR { throw SystemError("wait for", path) }
    return ready > 0
  }

  deinit { close(descriptor) }

  /// Appends up to `count` bytes to `buffer`; returns their number, which is 0 at the end of the
  /// file.
  package func read(_ count: Int, into buffer: inout [UInt8]) throws(SystemError) -> Int {
    let start = buffer.count
    // An array, because appending one is a copy also in a debug build.
    buffer += [UInt8](repeating: 0, count: count)
    var got = -1
    // EAGAIN occurs after `readWithoutWaiting` only, whose callers wait for data before they read.
    repeat {
      got = buffer.withUnsafeMutableBytes { bytes in
        Glibc.read(descriptor, bytes.baseAddress?.advanced(by: start), count)
      }
    } while got < 0 && (errno == EINTR || errno == EAGAIN)
    // Before the next call changes it.
    let error = errno
    buffer.removeLast(count - max(0, got))
    guard got >= 0 else { throw SystemError("read", path, code: error) }
    return got
  }

  /// Reads `count` bytes from `offset`; fewer only at the end of the file.
  package func read(_ count: Int, at offset: Int) throws(SystemError) -> [UInt8] {
    try Self.read(count, at: offset, of: descriptor, path)
  }

  static func read(
    _ count: Int, at offset: Int, of descriptor: Int32, _ path: String
  ) throws(SystemError) -> [UInt8] {
    var failure: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = 0
      while filled < count {
        let got = pread(
          descriptor, buffer.baseAddress?.advanced(by: filled), count - filled, offset + filled)
        if got < 0 {
          if errno == EINTR { continue }
          failure = errno
          return
        }
        if got == 0 { return }
        filled += got
      }
    }
    guard failure == 0 else { throw SystemError("read", path, code: failure) }
    return bytes
  }

  package func write(_ bytes: [UInt8]) throws(SystemError) {
    let failure = bytes.withUnsafeBytes { Self.writeAll($0, to: descriptor) }
    guard failure == 0 else { throw SystemError("write to", path, code: failure) }
  }

  package func write(_ bytes: RawSpan) throws(SystemError) {
    let failure = bytes.withUnsafeBytes { Self.writeAll($0, to: descriptor) }
    guard failure == 0 else { throw SystemError("write to", path, code: failure) }
  }

  /// Writes from an offset on.
  package func write(_ bytes: [UInt8], at offset: Int) throws(SystemError) {
    let failure = bytes.withUnsafeBytes { bytes in
      var done = 0
      while done < bytes.count {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
        let wrote = pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset + done))
        if wrote < 0 {
          if errno == EINTR { continue }
          return errno
        }
        done += wrote
      }
      return 0
    }
    guard failure == 0 else { throw SystemError("write to", path, code: failure) }
  }

  /// Returns an errno value, or 0.
  static func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
    var rest = bytes[...]
    while !rest.isEmpty {
      let wrote = Glibc.write(
        descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      if wrote < 0 {
        if errno == EINTR { continue }
        return errno
      }
      rest = rest.dropFirst(wrote)
    }
    return 0
  }

  /// Empties the file and moves to its start.
  package func truncate() throws(SystemError) {
    guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else {
      throw SystemError("empty", path)
    }
  }

  /// Moves to the start of the file, to read it again.
  package func rewind() throws(SystemError) {
    guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw SystemError("read", path) }
  }

  /// Waits until the file's bytes are on the disk.
  package func synchronize() throws(SystemError) {
    try flush(fsync)
  }

  /// Waits until everything written to the file system that holds the file is on the disk.
  package func synchronizeFileSystem() throws(SystemError) {
    try flush(tessera_sync_file_system)
  }

  private func flush(_ call: (Int32) -> Int32) throws(SystemError) {
    // Network file systems let a signal interrupt it.
    while call(descriptor) != 0 {
      guard errno == EINTR else { throw SystemError("flush", path) }
    }
  }

  package func size() throws(SystemError) -> Int { try version().size }

  /// Identifies the content of a file over time: two contents written one after the other differ in
  /// one of these values.
  package struct Version: Sendable, Equatable {
    /// In bytes.
    package var size: Int
    /// The last change of the content: seconds and nanoseconds since 1970.
    package var changed: [Int]
  }

  package func version() throws(SystemError) -> Version {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw SystemError("examine", path) }
    return Version(
      size: Int(status.st_size), changed: [status.st_mtim.tv_sec, status.st_mtim.tv_nsec])
  }

  /// The path of the open file without links; nil if the system does not report it. Unlike the path
  /// that was opened, it cannot lead elsewhere in the meantime.
  package var realPath: String? { FileSystem.realPath("/proc/self/fd/\(descriptor)") }

  /// A text that changes with the file's content, as far as the file system shows it: inode number,
  /// size, last change, and that of the inode, which tells of a file that was given its old time back. And the size in
  /// bytes.
  package func stamp() throws(SystemError) -> (size: Int, text: String) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw SystemError("look at", path) }
    let (time, inode) = (status.st_mtim, status.st_ctim)
    return (
      Int(status.st_size),
      "\(status.st_ino)-\(status.st_size)-\(time.tv_sec).\(time.tv_nsec)-\(inode.tv_sec).\(inode.tv_nsec)"
    )
  }

  /// Whether this is a regular file, which can be read at any offset, unlike a pipe or a terminal.
  package var isRegular: Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Gives the file the permissions of another one, if that exists.
  package func takePermissions(of other: String) throws(SystemError) {
    var status = stat()
    guard stat(other, &status) == 0 else { return }
    guard fchmod(descriptor, status.st_mode & 0o777) == 0 else {
      throw SystemError("set the permissions of", path)
    }
  }

  /// Takes the file's lock, which the kernel releases at the end of the process at the latest. Returns
  /// false if another process holds it.
  ///
  /// - Parameter isShared: whether others that share it may have it, too.
  package func lock(isShared: Bool = false) throws(SystemError) -> Bool {
    switch tessera_lock_file(descriptor, isShared ? 1 : 0) {
    case 0: return true
    case EWOULDBLOCK: return false
    case let code: throw SystemError("lock", path, code: code)
    }
  }

  /// Ends the lock before the file is closed: a child that this process has just started may have a copy of the
  /// descriptor for a moment, and with it the lock.
  package func unlock() { tessera_unlock_file(descriptor) }
}

/// An open file with several owners. It is closed with the last of them.
package final class SharedFile: Sendable {
  package let file: File

  package init(_ file: consuming File) { self.file = file }
}
