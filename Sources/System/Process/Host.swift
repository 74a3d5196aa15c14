internal import Glibc
internal import TesseraCProcess

/// The process and the machine it runs on.
package enum Host {
  package static var processIdentifier: Int { Int(getpid()) }

  /// Whether `/proc` shows this process under its own number. It does not in a namespace of processes that
  /// has the `/proc` of another one, or none. libdispatch then ends the process with an illegal instruction as
  /// soon as it counts its threads there, about a second after the start.
  package static var isShownInProc: Bool {
    var buffer = [CChar](repeating: 0, count: 32)
    let length = max(0, readlink("/proc/self", &buffer, buffer.count))
    let number = String(
      decoding: buffer[..<length].map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
    return number == "\(processIdentifier)"
  }

  /// The machine's name; empty if it has none.
  package static var name: String {
    var buffer = [CChar](repeating: 0, count: Int(HOST_NAME_MAX) + 1)
    guard gethostname(&buffer, buffer.count - 1) == 0 else { return "" }
    return String(
      decoding: buffer.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
  }

  /// The value of an environment variable; nil if it is not set.
  package static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  /// The number of columns of the terminal behind standard error; nil if it is not a terminal.
  package static var terminalWidth: Int? {
    let width = tessera_terminal_width(STDERR_FILENO)
    return width > 0 ? Int(width) : nil
  }

  /// Whether standard input is a terminal, so that a person may be waiting for a prompt.
  package static var isInputTerminal: Bool { isatty(STDIN_FILENO) == 1 }

  /// Raises the soft limit of open files to the hard limit of this process.
  package static func raiseFileLimit() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    // A failure leaves the soft limit as it was: the run still works, with fewer connections.
    _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }

  /// The path of the running program, with links resolved.
  package static func executablePath() throws(SystemError) -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    let length = readlink("/proc/self/exe", &buffer, Int(PATH_MAX))
    guard length > 0 else { throw SystemError("resolve", "/proc/self/exe") }
    return String(decoding: buffer[..<length].map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
  }
}

// What the kernel limits by setrlimit(2), and what it knows of locks.
extension Host {
  /// How many files this process may have open, once it has raised its soft limit; nil for any number.
  package static var openFileLimit: Int? { limit(RLIMIT_NOFILE.rawValue, \.rlim_max) }

  /// How many processes this user may have; nil for any number.
  package static var processLimit: Int? { limit(__RLIMIT_NPROC.rawValue, \.rlim_cur) }

  /// How many bytes of addresses this process may have; nil for any number.
  package static var addressLimit: Int? { limit(RLIMIT_AS.rawValue, \.rlim_cur) }

  private static func limit(_ resource: UInt32, _ part: KeyPath<rlimit, rlim_t>) -> Int? {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(resource), &limit) == 0 else { return nil }
    // RLIM_INFINITY does not fit.
    return Int(exactly: limit[keyPath: part])
  }

  /// The process that holds a lock (flock(2)) on a file; 0 for one that this process can't see; nil if none
  /// on this machine does. Taking the lock to find out would get in the way of a run that starts just then.
  package static func holder(ofLockOn path: String) -> Int? {
    var status = stat()
    guard stat(path, &status) == 0, let bytes = try? FileSystem.read("/proc/locks", limit: 1 << 20)
    else { return nil }
    return holder(ofLockOn: Int(status.st_ino), inLocks: String(decoding: bytes, as: UTF8.self))
  }

  /// - Parameters:
  ///   - file: the number of a file's inode. Its device says nothing: overlays and btrfs have several.
  ///   - locks: the content of proc_locks(5): `1: FLOCK  ADVISORY  WRITE 692 00:1a:1065 0 EOF`.
  package static func holder(ofLockOn file: Int, inLocks locks: String) -> Int? {
    for line in locks.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count >= 6, words[1] == "FLOCK", let process = Int(words[4]) else { continue }
      if words[5].split(separator: ":").last.flatMap({ Int($0) }) == file { return process }
    }
    return nil
  }
}

extension FileSystem {
  /// What is left on a file system.
  package struct Room: Sendable, Equatable {
    package var freeBytes: Int
    package var bytes: Int
    /// Nil if the file system makes inodes as they are needed.
    package var freeInodes: Int?

    package init(freeBytes: Int, bytes: Int, freeInodes: Int?) {
      (self.freeBytes, self.bytes, self.freeInodes) = (freeBytes, bytes, freeInodes)
    }
  }

  /// What is left for this user where a path is.
  package static func room(at path: String) throws(SystemError) -> Room {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { throw SystemError("examine", path) }
    let block = Int(status.f_frsize)
    return Room(
      freeBytes: Int(status.f_bavail) * block, bytes: Int(status.f_blocks) * block,
      freeInodes: status.f_files == 0 ? nil : Int(status.f_favail))
  }

  /// Checks that this process may write to a file, or create files in a folder, and does neither.
  package static func expectWritable(_ path: String) throws(SystemError) {
    let rights = isDirectory(path) ? W_OK | X_OK : W_OK
    guard faccessat(AT_FDCWD, path, rights, AT_EACCESS) == 0 else {
      throw SystemError("write to", path)
    }
  }
}
