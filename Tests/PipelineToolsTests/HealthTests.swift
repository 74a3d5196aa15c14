import Foundation
import TesseraSystem
import TesseraTestSupport
import TesseraWorkers
import Testing

@testable import tessera

/// The limits of what `doctor` calls well, and what it finds of this machine.
@Suite struct HealthTests {
  private static func machine(
    files: Int? = nil, processes: Int? = nil, addresses: Int? = nil, memory: Int? = nil,
    now: Double = 1_795_459_387, resolver: String? = ""
  ) -> [HealthCheck] {
    MachineFacts(
      openFiles: files, processes: processes, addresses: addresses, processors: 1, memory: memory,
      now: now, resolver: resolver
    ).findings
  }

  private static func isWell(_ findings: [HealthCheck]) -> Bool {
    findings.allSatisfy { $0.problem == nil && $0.fix == nil }
  }

  @Test func aMachineHasLeastValues() {
    expectLeast(256) { Self.isWell(Self.machine(files: $0)) }
    expectLeast(64) { Self.isWell(Self.machine(processes: $0)) }
    expectLeast(1_000_000_000) { Self.isWell(Self.machine(addresses: $0)) }
    // One worker, and 256 MB for the coordinator.
    expectLeast(768_000_000) { Self.isWell(Self.machine(memory: $0)) }
    expectLeast(1_735_689_600) { Self.isWell(Self.machine(now: Double($0))) }
    #expect(!Self.isWell(Self.machine(resolver: nil)))
    #expect(Self.machine().map(\.kind) == [.limits, .limits, .memory, .clock, .names])
    #expect(
      Self.machine(addresses: 1).map(\.kind)
        == [.limits, .limits, .limits, .memory, .clock, .names])
  }

  /// resolv.conf(5): a keyword and its value, separated by blanks or tabs.
  @Test(
    arguments: [
      ("nameserver\t192.0.2.1\n", "192.0.2.1"), ("nameserver  ::1 # here", "::1"),
      (
        "nameserver\nnameservers 1.1.1.1\n#nameserver 1.1.1.1\noptions nameserver 2.2.2.2\n",
        "a server on this machine"
      ),
      ("nameserver 1.1.1.1\n\nsearch a\n  nameserver 2.2.2.2\n", "1.1.1.1 2.2.2.2"),
    ])
  func serversAreRead(_ resolver: String, _ value: String) {
    #expect(Self.machine(resolver: resolver).last == HealthCheck(.names, value))
  }

  @Test func anOutputHasLeastValues() {
    func facts(bytes: Int = 1 << 40, inodes: Int? = nil, exists: Bool = true) -> [HealthCheck] {
      OutputFacts(
        output: "/o", folder: "/", exists: exists,
        room: .success(.init(freeBytes: bytes, bytes: 1 << 41, freeInodes: inodes))
      ).findings
    }
    expectLeast(1_000_000_000) { Self.isWell(facts(bytes: $0)) }
    expectLeast(10_000) { Self.isWell(facts(inodes: $0)) }
    #expect(facts().map(\.kind) == [.space, .access, .lock])
    #expect(facts(inodes: 1 << 20).map(\.kind) == [.space, .inodes, .access, .lock])
    // Without any of these, not even `prune` can begin.
    let byHand = "delete a file by hand, and then "
    expectLeast(128_000) { facts(bytes: $0)[0].fix?.hasPrefix(byHand) == false }
    expectLeast(4) { facts(inodes: $0)[1].fix?.hasPrefix(byHand) == false }
    #expect(facts(bytes: 1, exists: false)[0].fix == "a larger file system for /")
    let unknown = OutputFacts(
      output: "/o", folder: "/", room: .failure(SystemError("examine", "/", code: 5)))
    #expect(unknown.findings.map(\.kind) == [.access, .lock])
  }

  @Test func anOutputIsExaminedAsItIs() async throws {
    let folder = try TemporaryFolder()
    try folder.write("x", to: "file")
    let there = await OutputFacts.examine(folder.path(""))
    #expect(there.exists && !there.isStore && there.obstacle == nil && there.holder == nil)
    #expect(there.folder == folder.path("") && there.output == there.folder)
    guard case .success(let room)? = there.room else {
      Issue.record("no room is known")
      return
    }
    #expect(room.freeBytes > 0 && room.bytes >= room.freeBytes)
    let new = await OutputFacts.examine(folder.path("new/one"))
    #expect(!new.exists && new.obstacle == nil)
    #expect(FileManager.default.contentsEqual(atPath: new.folder, andPath: folder.path("")))
    let file = await OutputFacts.examine(folder.path("file"))
    #expect(file.obstacle == SystemError("use", folder.path("file"), code: 20))
    #expect(file.findings.compactMap(\.fix).contains("name a folder (output)"))
    #expect(folder.files(below: "") == ["file"])
    let here = await OutputFacts.examine("no-such-folder")
    #expect(here.folder == "." && !here.exists)
  }

  @Test(
    arguments: [
      ("https://a/b", true, true, false), ("http://a", true, true, false),
      ("ftp://a/b", false, false, false), ("s3://bucket/a", false, true, false),
      ("build/feed", false, true, false), ("example.com/a.jpg", false, true, true),
      ("./a.b/c", false, true, false), ("example.com", false, true, false),
      ("httpx://a", false, false, false), ("/a.b/c", false, true, false),
    ])
  func operandsAreOutputsOrURLs(
    _ place: String, _ isURL: Bool, _ isTaken: Bool, _ isHost: Bool
  ) {
    #expect(Doctor.isURL(place) == isURL)
    #expect(Doctor.takes(place) == isTaken)
    #expect(Doctor.isHostWithPath(place) == isHost)
  }

  @Test func thisMachineIsExamined() {
    let facts = MachineFacts.current()
    #expect(facts.openFiles == Host.openFileLimit && facts.processors == Host.processors)
    #expect(facts.memory == Host.memoryLimit && facts.addresses == Host.addressLimit)
    #expect(facts.processes == [Host.processLimit, Host.taskLimit].compactMap(\.self).min())
    #expect(abs(facts.now - Date().timeIntervalSince1970) < 600)
    let resolver = try? String(contentsOfFile: "/etc/resolv.conf", encoding: .utf8)
    #expect(facts.resolver == resolver)
    #expect(
      Doctor.shortfallsOfMachine
        == facts.findings.compactMap { finding in
          finding.problem.map { "\($0); to repair it: \(finding.fix ?? "")" }
        })
  }

  @Test func nothingMayWork() {
    let doctor = Doctor(
      libvips: "8.15", landlock: 0, hasSeccomp: false,
      checks: [
        ExaminationCheck(.read, "jpeg", problem: "no"),
        ExaminationCheck(.read, "png", problem: nil),
        ExaminationCheck(.read, "gif", problem: nil),
        ExaminationCheck(.colour, "a", problem: nil), ExaminationCheck(.colour, "b", problem: nil),
        ExaminationCheck(.turn, "1", problem: nil), ExaminationCheck(.turn, "2", problem: nil),
      ], processors: 1)
    #expect(!doctor.isWell)
    #expect(
      doctor.lines == [
        "tessera 0.1.0, libvips 8.15, 1 processor", "reads     png gif", "writes    nothing",
        "turns     orientations 1 2", "colours   a, b",
        "files     this kernel can't keep workers from files (no Landlock)",
        "network   this kernel can't keep workers from it (no seccomp)", "can't read jpeg: no",
      ])
    #expect(
      text(doctor.json).hasPrefix(
        """
        {
          "schema": "tessera-doctor/1",
          "version": "0.1.0",
          "libvips": "8.15",
          "processors": 1,
          "landlock": 0,
          "seccomp": false,
          "checks": [
            {
              "kind": "read",
              "subject": "jpeg",
              "ok": false,
              "problem": "no"
            },
            {
              "kind": "read",
              "subject": "png",
              "ok": true
            },
        """))
    #expect(text(doctor.json).hasSuffix("  ],\n  \"findings\": []\n}\n"))
    var well = doctor
    well.checks.removeFirst()
    #expect(well.isWell)
    well.findings = [HealthCheck(.clock, "x", problem: "wrong", fix: "set it")]
    #expect(!well.isWell && well.lines.last == "wrong; to repair it: set it")
  }
}
