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

  /// The words of the command line after the program's name.
  package static var arguments: [String] {
    (1..<max(1, tessera_argument_count())).map { String(cString: tessera_argument($0)) }
  }

  /// Whether standard input is a terminal, so that a person may be waiting for a prompt.
  package static var isInputTerminal: Bool { isatty(STDIN_FILENO) == 1 }
  package static var isOutputTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

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

// What the kernel reports in files: processors, memory and the boot.
extension Host {
  /// The number of processors that this process may use: its affinity mask, limited by the quota of
  /// its control group (cgroup v2), rounded up. At least 1.
  package static var processors: Int {
    let usable = Int(tessera_usable_processors())
    // The file is missing outside a control group, and with cgroup v1: then nothing limits it.
    guard let quota = try? FileSystem.read("/sys/fs/cgroup/cpu.max", limit: 128),
      let share = Self.processors(inQuota: String(decoding: quota, as: UTF8.self))
    else { return usable }
    return max(1, min(usable, share))
  }

  /// Reads the content of `cpu.max`: "150000 100000" (microseconds of processor time in each
  /// period) is 2 processors; "max …" is no limit, hence nil.
  package static func processors(inQuota text: String) -> Int? {
    let parts = text.split { $0 == " " || $0 == "\n" }
    guard parts.count == 2, let quota = Int(parts[0]), let period = Int(parts[1]), period > 0 else {
      return nil
    }
    return (quota + period - 1) / period
  }

  /// The memory that this process and its children may use together, in bytes: the smallest
  /// `memory.max` of its control groups (cgroup v2). Nil if nothing limits it.
  package static var memoryLimit: Int? { smallestLimit("memory.max") }

  /// The number of processes and threads that its control groups permit (`pids.max`); nil if nothing limits
  /// it.
  package static var taskLimit: Int? { smallestLimit("pids.max") }

  private static func smallestLimit(_ name: String) -> Int? {
    guard let groups = try? FileSystem.read("/proc/self/cgroup", limit: 4096) else { return nil }
    return smallestLimit(inGroups: String(decoding: groups, as: UTF8.self)) { group in
      let file = "/sys/fs/cgroup\(group)/\(name)"
      return (try? FileSystem.read(file, limit: 128)).map { String(decoding: $0, as: UTF8.self) }
    }
  }

  /// - Parameters:
  ///   - groups: the content of /proc/self/cgroup. The line of cgroup v2 is "0::/path".
  ///   - limit: the content of a group's file, such as `memory.max`: a number, or "max". Nil if there is none.
  package static func smallestLimit(
    inGroups groups: String, _ limit: (_ group: String) -> String?
  ) -> Int? {
    let line = groups.split(separator: "\n").first { $0.hasPrefix("0::/") }
    guard var group = line?.dropFirst(3) else { return nil }
    var limits: [Int] = []
    // A group is also limited by those above it. The root's path is "/", its folder the mount itself.
    while true {
      let text = limit(group == "/" ? "" : String(group)) ?? ""
      if let bytes = Int(text.prefix { $0 != "\n" }) { limits.append(bytes) }
      guard group != "/", let slash = group.lastIndex(of: "/") else { return limits.min() }
      group = slash == group.startIndex ? "/" : group[..<slash]
    }
  }

  /// The largest resident size of this program so far, in bytes: VmHWM of proc_pid_status(5).
  ///
  /// `ru_maxrss` of getrusage(2) survives exec(2): it would report the size of the program that
  /// started this one if that was larger. It is the fallback where /proc is not mounted.
  package static var peakMemory: Int {
    guard let status = try? FileSystem.read("/proc/self/status", limit: 16384),
      let kibibytes = Self.peakMemory(inStatus: String(decoding: status, as: UTF8.self))
    else { return Int(tessera_peak_memory()) }
    return kibibytes * 1024
  }

  /// VmHWM in the content of /proc/self/status, in KiB.
  package static func peakMemory(inStatus text: String) -> Int? {
    for line in text.split(separator: "\n") {
      let words = line.split { $0 == " " || $0 == "\t" }
      if words.first == "VmHWM:", words.count == 3, words[2] == "kB" { return Int(words[1]) }
    }
    return nil
  }

  /// Identifies the current boot of the machine (`random/boot_id` in proc_sys_kernel(5)). If the
  /// system does not report it, each call returns a different value.
  package static var bootIdentifier: String {
    if let bytes = try? FileSystem.read("/proc/sys/kernel/random/boot_id", limit: 128) {
      let text = String(decoding: bytes, as: UTF8.self).filter { $0.isHexDigit || $0 == "-" }
      if !text.isEmpty { return text }
    }
    // Unknown must look like another boot: a caller then distrusts what an earlier one left.
    return "\(now)"
  }
}

/// The programs and libraries that this process has loaded.
package enum LoadedFile {
  /// The folder of the file that an address is in; nil if the address is in none, or the file was
  /// loaded by a relative path.
  package static func folder(of address: UnsafeRawPointer) -> String? {
    guard let path = tessera_loaded_file(address).map({ String(cString: $0) }),
      path.hasPrefix("/"), let end = path.lastIndex(of: "/")
    else { return nil }
    return String(path[..<end])
  }
}
