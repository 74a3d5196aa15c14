internal import Glibc
internal import TesseraCProcess

/// An open file. Closed when it goes out of scope.
///
/// Reads and writes are whole: interrupted and short calls are continued. Every error is a
/// ``SystemError`` with the path.
package struct File: ~Copyable {
  package let path: String
  package let descriptor: Int32

  package enum Mode: Sendable {
    case read
    /// For reading; a named pipe that nobody writes to is opened all the same.
    case readWithoutWaiting
    /// For reading and writing, made if it is not there, and never a symbolic link.
    case lock
    /// Made, or emptied if it is there.
    case write
    /// At its end; it has to be there.
    case append
    /// Made; it is an error if it is there already.
    case create
  }

  package init(_ path: String, _ mode: Mode) throws(SystemError) {
    let flags =
      switch mode {
      case .read: O_RDONLY
      case .readWithoutWaiting: O_RDONLY | O_NONBLOCK
      case .lock: O_RDWR | O_CREAT | O_NOFOLLOW
      case .write: O_WRONLY | O_CREAT | O_TRUNC
      case .append: O_WRONLY | O_APPEND
      case .create: O_WRONLY | O_CREAT | O_EXCL
      }
    descriptor = tessera_open(path, flags, 0o666)
    self.path = path
    if descriptor < 0 { throw SystemError("open", path) }
  }

  /// The process's standard input, from where it stands.
  package static func standardInput() throws(SystemError) -> File {
    let descriptor = dup(STDIN_FILENO)
    guard descriptor >= 0 else { throw SystemError("read", "standard input") }
    return File(path: "standard input", descriptor: descriptor)
  }

  /// A file for reading and writing that has no name, and is gone when it is closed.
  package static func temporary(in directory: String) throws(SystemError) -> File {
    var name = Array(FileSystem.join(directory, "tessera-XXXXXX").utf8CString)
    let descriptor = name.withUnsafeMutableBufferPointer { name -> Int32 in
      guard let pointer = name.baseAddress else { return -1 }
      let descriptor = mkstemp(pointer)
      if descriptor >= 0 {
        unlink(pointer)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      }
      return descriptor
    }
    guard descriptor >= 0 else { throw SystemError("make a temporary file in", directory) }
    return File(path: directory, descriptor: descriptor)
  }

  private init(path: String, descriptor: Int32) {
    self.path = path
    self.descriptor = descriptor
  }

  /// Waits until a read would not wait, for so long at most. Returns whether it would not.
  package func waitUntilReadable(milliseconds: Int) throws(SystemError) -> Bool {
    var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let ready = Glibc.poll(&poll, 1, Int32(milliseconds))
    if ready < 0 && errno != EINTR { throw SystemError("wait for", path) }
    return ready > 0
  }

  deinit { close(descriptor) }

  /// Appends up to `count` bytes to `buffer`; returns how many, 0 at the end of the file.
  package func read(_ count: Int, into buffer: inout [UInt8]) throws(SystemError) -> Int {
    let start = buffer.count
    buffer.append(contentsOf: repeatElement(0, count: count))
    var got = -1
    repeat {
      got = buffer.withUnsafeMutableBytes { bytes in
        Glibc.read(descriptor, bytes.baseAddress?.advanced(by: start), count)
      }
    } while got < 0 && (errno == EINTR || errno == EAGAIN)
    let error = errno
    buffer.removeLast(count - max(0, got))
    guard got >= 0 else { throw SystemError("read", path, code: error) }
    return got
  }

  /// Up to `count` bytes from `offset`; fewer only where the file ends.
  package func read(_ count: Int, at offset: Int) throws(SystemError) -> [UInt8] {
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
    let failure = bytes.withUnsafeBytes { writeAll($0) }
    guard failure == 0 else { throw SystemError("write to", path, code: failure) }
  }

  package func write(_ bytes: RawSpan) throws(SystemError) {
    let failure = bytes.withUnsafeBytes { writeAll($0) }
    guard failure == 0 else { throw SystemError("write to", path, code: failure) }
  }

  private func writeAll(_ bytes: UnsafeRawBufferPointer) -> Int32 {
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
    Effect.happened()
    return 0
  }

  /// Empties the file and goes back to its start.
  package func truncate() throws(SystemError) {
    guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else {
      throw SystemError("empty", path)
    }
  }

  /// Goes back to its start, to be read from there.
  package func rewind() throws(SystemError) {
    guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw SystemError("read", path) }
  }

  /// Waits until the file's bytes are on the disk.
  package func synchronize() throws(SystemError) {
    guard fsync(descriptor) == 0 else { throw SystemError("flush", path) }
  }

  /// Waits until all that was written to the file's file system is on the disk.
  package func synchronizeFileSystem() throws(SystemError) {
    guard tessera_sync_file_system(descriptor) == 0 else { throw SystemError("flush", path) }
  }

  package func size() throws(SystemError) -> Int { try version().size }

  /// Two versions of a file that were written one after the other differ in one of these.
  package struct Version: Sendable, Equatable {
    /// In bytes.
    package var size: Int
    /// When the bytes were last changed; seconds and nanoseconds since 1970.
    package var changed: [Int]
  }

  package func version() throws(SystemError) -> Version {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw SystemError("examine", path) }
    return Version(
      size: Int(status.st_size), changed: [status.st_mtim.tv_sec, status.st_mtim.tv_nsec])
  }

  /// What is open, without links; nil where the system does not tell.
  package var realPath: String? { FileSystem.realPath("/proc/self/fd/\(descriptor)") }

  /// Size, last change and number of the file: what changes when it does, as far as the file system tells.
  package func stamp() throws(SystemError) -> (size: Int, text: String) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw SystemError("look at", path) }
    let time = status.st_mtim
    return (
      Int(status.st_size), "\(status.st_ino)-\(status.st_size)-\(time.tv_sec).\(time.tv_nsec)"
    )
  }

  /// Whether the file can be read at any place, as a pipe or terminal cannot.
  package var isRegular: Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Takes the file's exclusive lock, which ends with this process at the latest.
  /// Returns false where another process has it.
  package func lock() throws(SystemError) -> Bool {
    switch tessera_lock_file(descriptor) {
    case 0: return true
    case EWOULDBLOCK: return false
    case let code: throw SystemError("lock", path, code: code)
    }
  }
}
