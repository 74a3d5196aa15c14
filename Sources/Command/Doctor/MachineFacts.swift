internal import TesseraSystem
internal import TesseraText
internal import TesseraWorkers

/// What this machine grants to a run.
struct MachineFacts: Sendable {
  /// How many files may be open, and how many processes this user and this control group may have; nil for
  /// any number.
  var openFiles: Int?
  var processes: Int?
  /// How many bytes of addresses this process may have; nil for any number.
  var addresses: Int?
  var processors: Int
  /// The memory of the control group in bytes; nil if nothing limits it.
  var memory: Int?
  /// In seconds since 1970.
  var now: Double
  /// The content of /etc/resolv.conf; nil if it can't be read.
  var resolver: String?

  init(
    openFiles: Int?, processes: Int?, addresses: Int? = nil, processors: Int, memory: Int?,
    now: Double, resolver: String?
  ) {
    (self.openFiles, self.processes, self.addresses) = (openFiles, processes, addresses)
    (self.processors, self.memory) = (processors, memory)
    (self.now, self.resolver) = (now, resolver)
  }

  static func current() -> MachineFacts {
    let processes = [Host.processLimit, Host.taskLimit].compactMap(\.self).min()
    let resolver = try? FileSystem.read("/etc/resolv.conf", limit: 1 << 16)
    return MachineFacts(
      openFiles: Host.openFileLimit, processes: processes, addresses: Host.addressLimit,
      processors: Host.processors, memory: Host.memoryLimit, now: Host.now,
      resolver: resolver.map { String(decoding: $0, as: UTF8.self) })
  }

  /// A connection and a spooled file for each of 16 transfers, the files of the workers, the state, and room
  /// for as many transfers more.
  private static let leastFiles = 256
  /// Two threads for each of some workers, and those of the coordinator.
  private static let leastProcesses = 64
  /// With half of it, the coordinator could not start its threads, whose stacks take addresses.
  private static let leastAddresses = 1_000_000_000
  /// With less address space, libvips and its codecs fail on ordinary photographs.
  private static let leastMemory = 512_000_000
  /// 2025-01-01: before Tessera was written.
  private static let leastTime = 1_735_689_600.0

  var findings: [HealthCheck] {
    [files, tasks] + (addresses.map { [space($0)] } ?? []) + [workers, clock, names]
  }

  private var files: HealthCheck {
    let value = openFiles.map { "\($0) open files" } ?? "any number of open files"
    guard let openFiles, openFiles < Self.leastFiles else { return HealthCheck(.limits, value) }
    return HealthCheck(
      .limits, value, problem: "a run may open only \(openFiles) files",
      fix: "ulimit -n 4096 before it, or LimitNOFILE=4096 in its systemd unit")
  }

  private var tasks: HealthCheck {
    let value = processes.map { "\($0) processes" } ?? "any number of processes"
    guard let processes, processes < Self.leastProcesses else { return HealthCheck(.limits, value) }
    return HealthCheck(
      .limits, value, problem: "a run may have only \(processes) processes and threads",
      fix: "ulimit -u 512 before it, TasksMax=512 in its systemd unit, or --pids-limit 512 of its "
        + "container")
  }

  private func space(_ addresses: Int) -> HealthCheck {
    let value = "\(Units.text(bytes: addresses)) of address space"
    guard addresses < Self.leastAddresses else { return HealthCheck(.limits, value) }
    return HealthCheck(
      .limits, value, problem: "a run may have only \(value)",
      fix: "ulimit -v unlimited before it, or LimitAS=infinity in its systemd unit")
  }

  private var workers: HealthCheck {
    // The default of `limits.memory` in a pipeline file.
    let budget = WorkerBudget(
      requested: nil, processors: processors, memory: 2_000_000_000, available: memory)
    let share =
      "\(budget.count) worker\(budget.count == 1 ? "" : "s") with "
      + "\(Units.text(bytes: budget.memory)) each"
    guard let memory else { return HealthCheck(.memory, "no limit by a control group: \(share)") }
    let value = "\(Units.text(bytes: memory)) of the control group: \(share)"
    guard memory - 256_000_000 < Self.leastMemory else { return HealthCheck(.memory, value) }
    return HealthCheck(
      .memory, value,
      problem: "\(Units.text(bytes: memory)) are too little for one worker and the coordinator",
      fix: "MemoryMax=1G in its systemd unit, or --memory 1g of its container")
  }

  private var clock: HealthCheck {
    let value = Host.timestamp(now)
    guard now < Self.leastTime else { return HealthCheck(.clock, value) }
    return HealthCheck(
      .clock, value, problem: "the clock of this machine is wrong: it shows \(value)",
      fix: "timedatectl set-ntp true")
  }

  private var names: HealthCheck {
    guard let resolver else {
      return HealthCheck(
        .names, "/etc/resolv.conf can't be read",
        problem: "host names can't be resolved: /etc/resolv.conf can't be read",
        fix: "write \"nameserver ADDRESS\" to it, or --dns ADDRESS of the container")
    }
    let servers = resolver.split(separator: "\n").compactMap { line -> Substring? in
      let words = line.split { $0 == " " || $0 == "\t" }
      return words.count >= 2 && words[0] == "nameserver" ? words[1] : nil
    }
    // resolv.conf(5): without a server, that of this machine is asked.
    return HealthCheck(
      .names, servers.isEmpty ? "a server on this machine" : servers.joined(separator: " "))
  }
}
