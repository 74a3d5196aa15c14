import Foundation
import TesseraTestSupport
import Testing

@testable import TesseraSystem

/// What the machine says of itself.
@Suite struct HostTests {
  /// cpu.max: microseconds of processor time in each period, rounded up to processors.
  @Test(
    arguments: [
      ("100000 100000\n", 1), ("150000 100000\n", 2), ("200000 100000", 2), ("200001 100000", 3),
      ("1 100000", 1), ("0 100000", 0), ("5 1", 5), ("max 100000\n", nil), ("100000", nil),
      ("100000 0", nil), ("100000 -1", nil), ("1 2 3", nil), ("a b", nil), ("", nil),
    ] as [(String, Int?)])
  func processorsOfAQuota(_ text: String, _ count: Int?) {
    #expect(Host.processors(inQuota: text) == count)
  }

  /// A control group is also limited by those above it, up to the root, whose name is empty.
  @Test(
    arguments: [
      ("0::/a/b\n", ["/a/b": "7\n", "/a": "5\n", "": "9\n"], 5, ["/a/b", "/a", ""]),
      ("0::/a/b\n", ["/a/b": "max\n", "/a": "max\n"], nil, ["/a/b", "/a", ""]),
      ("12:cpu:/x\n0::/a\n", ["/a": "3"], 3, ["/a", ""]),
      ("0::/\n", ["": "4\n"], 4, [""]), ("0::/\n", [:], nil, [""]),
      ("0::/a\n0::/b\n", ["/b": "1"], nil, ["/a", ""]),
      ("1:name=systemd:/a\n", ["/a": "1"], nil, []),
      ("", ["": "1"], nil, []),
    ] as [(String, [String: String], Int?, [String])])
  func theSmallestLimitCounts(
    _ groups: String, _ files: [String: String], _ limit: Int?, _ asked: [String]
  ) {
    var names: [String] = []
    let found = Host.smallestLimit(inGroups: groups) { group in
      names.append(group)
      return files[group]
    }
    #expect(found == limit)
    #expect(names == asked)
  }

  @Test(
    arguments: [
      ("Name:\ttests\nVmHWM:\t  1234 kB\nVmRSS:\t  99 kB\n", 1234), ("VmHWM: 5 kB", 5),
      ("VmRSS:\t 99 kB\n", nil), ("VmHWM:\t 5 MB\n", nil), ("VmHWM:\t 5\n", nil),
      ("VmHWM:\t 5 kB more\n", nil), ("VmHWM:\t x kB\n", nil), ("", nil),
    ] as [(String, Int?)])
  func peakMemoryOfAStatus(_ status: String, _ kibibytes: Int?) {
    #expect(Host.peakMemory(inStatus: status) == kibibytes)
  }

  /// /proc/locks: only flock(2) counts, and of a path its last number, the inode.
  @Test(
    arguments: [
      ("1: FLOCK  ADVISORY  WRITE 692 00:1a:1065 0 EOF\n", 692),
      ("1: FLOCK  ADVISORY  READ 0 00:1a:1065 0 EOF\n", 0),
      ("1: POSIX  ADVISORY  WRITE 692 00:1a:1065 0 EOF\n", nil),
      ("1: FLOCK  ADVISORY  WRITE 692 00:1065:1066 0 EOF\n", nil),
      ("1: FLOCK  ADVISORY  WRITE 692\n2: FLOCK  ADVISORY  WRITE 7 08:01:1065\n", 7),
      ("1: FLOCK  ADVISORY  WRITE x 00:1a:1065 0 EOF\n", nil), ("", nil),
    ] as [(String, Int?)])
  func theHolderOfALock(_ locks: String, _ process: Int?) {
    #expect(Host.holder(ofLockOn: 1065, inLocks: locks) == process)
  }

  @Test func thisProcessHoldsItsLocks() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("", to: "lock")
    #expect(Host.holder(ofLockOn: path) == nil)
    let file = try File(path, .lock)
    #expect(try file.lock())
    #expect([Host.processIdentifier, 0].contains(try #require(Host.holder(ofLockOn: path))))
    #expect(Host.holder(ofLockOn: folder.path("none")) == nil)
  }

  /// RFC 3339, also where a number has one digit, and on a leap day.
  @Test(arguments: [
    (0.0, "1970-01-01T00:00:00Z"), (784_111_777.9, "1994-11-06T08:49:37Z"),
    (951_827_696, "2000-02-29T12:34:56Z"), (1_767_225_599, "2025-12-31T23:59:59Z"),
    (1_791_540_610, "2026-10-09T10:10:10Z"),
  ])
  func timestamps(_ seconds: Double, _ text: String) { #expect(Host.timestamp(seconds) == text) }

  @Test func clocks() {
    let before = Date().timeIntervalSince1970
    let times = [WallClock.system.now(), Host.now]
    let after = Date().timeIntervalSince1970
    // Foundation's clock has a resolution of microseconds.
    for time in times { #expect((before - 0.001...after + 0.001).contains(time)) }
    #expect(WallClock.fixed(7.5).now() == 7.5)
    #expect(WallClock { 8 }.now() == 8)
  }

  @Test(arguments: [
    (Duration.zero, 0.0), (.milliseconds(1_500), 1.5), (.seconds(-2), -2), (.nanoseconds(1), 1e-9),
    (.milliseconds(-250), -0.25), (.seconds(86_400), 86_400),
  ])
  func durationsInSeconds(_ duration: Duration, _ seconds: Double) {
    #expect(duration.inSeconds == seconds)
  }

  /// The same facts, as the kernel's files have them.
  @Test func theKernelsFilesAgree() throws {
    func read(_ path: String) throws -> String {
      try String(contentsOfFile: path, encoding: .utf8).trimmingCharacters(in: .newlines)
    }
    #expect(Host.processIdentifier == Int(getpid()))
    #expect(Host.name == (try read("/proc/sys/kernel/hostname")))
    #expect(Host.bootIdentifier == (try read("/proc/sys/kernel/random/boot_id")))
    let files = FileManager.default
    #expect(
      try Host.executablePath() == (try files.destinationOfSymbolicLink(atPath: "/proc/self/exe")))
    let link = try files.destinationOfSymbolicLink(atPath: "/proc/self")
    #expect(Host.isShownInProc == (link == "\(getpid())"))
    #expect(Host.environment("PATH") == ProcessInfo.processInfo.environment["PATH"])
    #expect(Host.environment("TESSERA_NOT_SET") == nil)
    func peak() throws -> Int {
      try #require(Host.peakMemory(inStatus: try read("/proc/self/status"))) * 1024
    }
    let before = try peak()
    let now = Host.peakMemory
    #expect(try (before...peak()).contains(now))
  }

  @Test func limitsAreThoseOfTheProcess() {
    func expected(_ resource: Int32, _ part: KeyPath<rlimit, rlim_t>) -> Int? {
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(UInt32(resource)), &limit)
      return Int(exactly: limit[keyPath: part])
    }
    // The numbers of getrlimit(2) on Linux.
    let (processes, files, addresses): (Int32, Int32, Int32) = (6, 7, 9)
    #expect(Host.processLimit == expected(processes, \.rlim_cur))
    #expect(Host.addressLimit == expected(addresses, \.rlim_cur))
    #expect(Host.openFileLimit == expected(files, \.rlim_max))
    Host.raiseFileLimit()
    #expect(expected(files, \.rlim_cur) == expected(files, \.rlim_max))
    let groups = (try? String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8)) ?? ""
    func smallest(_ name: String) -> Int? {
      Host.smallestLimit(inGroups: groups) { group in
        try? String(contentsOfFile: "/sys/fs/cgroup\(group)/\(name)", encoding: .utf8)
      }
    }
    #expect(Host.memoryLimit == smallest("memory.max"))
    #expect(Host.taskLimit == smallest("pids.max"))
    #expect(Host.isInputTerminal == (isatty(STDIN_FILENO) == 1))
    if isatty(STDERR_FILENO) != 1 { #expect(Host.terminalWidth == nil) }
    #expect(StandardStream.error.write("") && StandardStream.output.write(""))
    #expect((1...sysconf(Int32(_SC_NPROCESSORS_CONF))).contains(Host.processors))
  }

  /// Control characters, and marks that change the direction of a text, are spelled out.
  @Test(
    arguments: [
      (0x00, true), (0x1F, true), (0x20, false), (0x7E, false), (0x7F, true), (0x9F, true),
      (0xA0, false), (0x2027, false), (0x2028, true), (0x202E, true), (0x202F, false),
      (0x2065, false), (0x2066, true), (0x2069, true), (0x206A, false),
    ] as [(UInt32, Bool)])
  func unprintableCharactersAreSpelledOut(_ value: UInt32, _ isSpelled: Bool) throws {
    let character = String(try #require(UnicodeScalar(value)))
    let digits = String(value, radix: 16)
    #expect("a\(character)b".printable == (isSpelled ? "a\\u{\(digits)}b" : "a\(character)b"))
    #expect("\(character)\u{1B}".printable.hasSuffix("\\u{1b}"))
  }
}
