internal import Glibc
internal import TesseraCProcess

/// What the process may ask about itself and the machine.
package enum Host {
  /// The processors that this process may really use: its affinity mask, and the quota of its
  /// control group (version 2) rounded up. At least 1.
  package static var processors: Int {
    let usable = Int(tessera_usable_processors())
    guard let quota = try? FileSystem.read("/sys/fs/cgroup/cpu.max", limit: 128),
      let share = Self.processors(inQuota: String(decoding: quota, as: UTF8.self))
    else { return usable }
    return max(1, min(usable, share))
  }

  /// "150000 100000" (microseconds of processor time in each period) is 2 processors; "max …" none.
  package static func processors(inQuota text: String) -> Int? {
    let parts = text.split { $0 == " " || $0 == "\n" }
    guard parts.count == 2, let quota = Int(parts[0]), let period = Int(parts[1]), period > 0 else {
      return nil
    }
    return (quota + period - 1) / period
  }

  /// The largest resident size of this program so far, in bytes: VmHWM of proc_pid_status(5). Not getrusage(2)'s
  /// ru_maxrss, which tells that of the program that started this one where that was larger.
  package static var peakMemory: Int {
    guard let status = try? FileSystem.read("/proc/self/status", limit: 16384),
      let kibibytes = Self.peakMemory(inStatus: String(decoding: status, as: UTF8.self))
    else { return Int(tessera_peak_memory()) }
    return kibibytes * 1024
  }

  /// In KiB.
  package static func peakMemory(inStatus text: String) -> Int? {
    for line in text.split(separator: "\n") {
      let words = line.split { $0 == " " || $0 == "\t" }
      if words.first == "VmHWM:", words.count == 3, words[2] == "kB" { return Int(words[1]) }
    }
    return nil
  }

  /// Stands for this start of the machine (proc_sys_kernel(5), random/boot_id); another one each time where the
  /// system does not tell.
  package static var bootIdentifier: String {
    if let bytes = try? FileSystem.read("/proc/sys/kernel/random/boot_id", limit: 128) {
      let text = String(decoding: bytes, as: UTF8.self).filter { $0.isHexDigit || $0 == "-" }
      if !text.isEmpty { return text }
    }
    return "\(now)"
  }

  package static var processIdentifier: Int { Int(getpid()) }

  /// Columns of the terminal behind standard error, or nil where there is none.
  package static var terminalWidth: Int? {
    let width = tessera_terminal_width(STDERR_FILENO)
    return width > 0 ? Int(width) : nil
  }

  /// Whether standard input is a terminal: somebody may be waiting there for a prompt.
  package static var isInputTerminal: Bool { isatty(STDIN_FILENO) == 1 }

  /// Raises the number of files that may be open to what this process is allowed.
  package static func raiseFileLimit() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }

  package static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  /// The path of the running program, links resolved.
  package static func executablePath() throws(SystemError) -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    let length = readlink("/proc/self/exe", &buffer, Int(PATH_MAX))
    guard length > 0 else { throw SystemError("resolve", "/proc/self/exe") }
    return String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Seconds since 1970 in UTC.
  package static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// A moment as RFC 3339 in UTC: `2026-11-21T12:00:00Z`.
  package static func timestamp(_ seconds: Double) -> String {
    var time = time_t(seconds)
    var parts = tm()
    gmtime_r(&time, &parts)
    func two(_ value: Int32) -> String { value < 10 ? "0\(value)" : "\(value)" }
    return "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
      + "T\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))Z"
  }
}
