internal import TesseraCProcess

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
