import Foundation
import TesseraTestSupport
import Testing

/// Whole runs whose workers are confined in part, hang, or run in a container.
@Suite struct ConfinedRunTests {
  private static let sentence =
    "this kernel can't confine a worker that an image has taken over: it could "

  /// W19
  @Test(
    .faults(.w19),
    arguments: [
      (["landlock"], "read this machine's files (no Landlock)"),
      (["seccomp"], "use the network and start processes (no seccomp)"),
      (
        ["landlock", "seccomp"],
        "read this machine's files, use the network and start processes (neither Landlock nor "
          + "seccomp)"
      ),
    ])
  func aGapInTheConfinementIsReportedByEveryRun(_ lacks: [String], _ gap: String) async throws {
    guard try await Self.canConfine() else { return }
    let server = try FaultServer(["/a": { _, connection in connection.fixture("display-p3.jpg") }])
    defer { server.stop() }
    let shim = try await WorkerShim(lacks: lacks)
    let tessera = try await shim.tessera()
    let fixture = try RunFixture(
      manifest: server.url("/a") + "\n", keys: "require-sandbox: true")
    let pipeline = fixture.folder.path("feed.yaml")
    let rejected = try await Tool.run(tessera, ["run", pipeline])
    #expect(rejected.status == 2)
    #expect(
      rejected.errors.contains(
        Self.sentence + gap + ", and the pipeline has \"require-sandbox: true\""),
      "\(rejected.errors)")
    #expect(server.total == 0)
    try fixture.write(keys: "")
    for _ in 0..<2 {
      let result = try await Tool.run(tessera, ["run", pipeline])
      #expect(result.status == 0)
      #expect(
        result.errors.contains("warning: " + Self.sentence + gap + "\n"), "\(result.errors)")
    }
    try await fixture.expectWhole()
  }

  /// Whether this kernel has what the shim takes away.
  private static func canConfine() async throws -> Bool {
    let doctor = try await Tool.tessera("doctor", "--json")
    let canConfine =
      doctor.output.contains("\"seccomp\": true") && !doctor.output.contains("\"landlock\": 0")
    if !canConfine { print("not tested: this kernel lacks Landlock or seccomp") }
    return canConfine
  }

  /// W7: the coordinator's memory does not depend on its workers'.
  @Test(.faults(.w7)) func leaksOfWorkersStayWithThem() async throws {
    let server = try FaultServer()
    defer { server.stop() }
    var manifest = ""
    for number in 0..<12 {
      server.route("/\(number)") { _, connection in connection.fixture("display-p3.jpg") }
      manifest += "{\"id\":\"\(number)\",\"url\":\"\(server.url("/\(number)"))\"}\n"
    }
    let shim = try await WorkerShim(does: ["leak"])
    let tessera = try await shim.tessera()
    var peaks: [Int] = []
    for program in [Places.tessera, tessera] {
      let fixture = try RunFixture(
        manifest: manifest, keys: "workers: 1\nlimits: {memory: 600MB}")
      let result = try await Tool.run(program, ["run", fixture.folder.path("feed.yaml")])
      #expect(result.status == 0, "\(result.errors)")
      peaks.append(try #require(try fixture.report.first { $0.key.contains("peak") }?.value))
    }
    #expect(try !shim.numbers("worker").isEmpty)
    #expect(peaks[1] < peaks[0] + 20_000_000, "\(peaks)")
  }

  /// W11: the kernel ends workers with the fork server, and that with the coordinator. Processes
  /// that a decoder starts, where no filter denies it, are not reached by that.
  @Test(.faults(.w11), arguments: [false, true])
  func workersEndWithAKilledCoordinator(_ startsProcesses: Bool) async throws {
    let server = try FaultServer(["/a": { _, connection in connection.fixture("display-p3.jpg") }])
    defer { server.stop() }
    let shim = try await WorkerShim(
      lacks: startsProcesses ? ["seccomp"] : [],
      does: startsProcesses ? ["fork", "sleep"] : ["sleep"])
    let fixture = try RunFixture(manifest: server.url("/a") + "\n")
    let running = try Tool.start(
      try await shim.tessera(), ["run", fixture.folder.path("feed.yaml")])
    let end = ContinuousClock.now.advanced(by: .seconds(60))
    while try shim.numbers("worker").isEmpty
      || (startsProcesses && shim.numbers("child").count < 10), ContinuousClock.now < end
    {
      try await Task.sleep(for: .milliseconds(20))
    }
    let processes = try running.children + shim.numbers("worker")
    #expect(processes.count == 2)
    running.signal(SIGKILL)
    _ = await running.end()
    #expect(try await haveEnded(processes))
    for child in try shim.numbers("child") { kill(child, SIGKILL) }
  }

  /// W16: the first process of a container, with and without a shell before it.
  @Test(
    .faults(.w16),
    arguments: [
      ["--mount-proc"], ["--mount-proc", "/bin/sh", "-c", #""$0" "$@"; exit $?"#],
    ])
  func tesseraAsTheFirstProcess(_ options: [String]) async throws {
    let server = try FaultServer(["/a": { _, connection in connection.fixture("display-p3.jpg") }])
    defer { server.stop() }
    let fixture = try RunFixture(manifest: server.url("/a") + "\n")
    guard try await Tool.run("/usr/bin/unshare", ["-pf"] + options.prefix(1) + ["true"]).status == 0
    else {
      print("not tested: no namespace of processes can be made here")
      return
    }
    for arguments in [["doctor"], ["run", fixture.folder.path("feed.yaml")]] {
      let result = try await Tool.run(
        "/usr/bin/unshare", ["-pf"] + options + [Places.tessera] + arguments)
      #expect(result.status == 0, "\(arguments) \(result.output)\(result.errors)")
    }
    try await fixture.expectWhole()
  }

  /// libdispatch would end the process after about a second, whatever it is doing.
  @Test(.faults(.w16)) func aNamespaceWithTheProcOfAnotherOne() async throws {
    guard try await Tool.run("/usr/bin/unshare", ["-pf", "true"]).status == 0 else {
      print("not tested: no namespace of processes can be made here")
      return
    }
    let result = try await Tool.run("/usr/bin/unshare", ["-pf", Places.tessera, "--version"])
    #expect(result.status == 2)
    #expect(result.output.isEmpty)
    #expect(
      result.errors
        == "tessera: /proc does not show this process, and Swift's runtime needs that; mount the "
        + "/proc of its namespace (unshare --mount-proc, mount -t proc proc /proc)\n")
  }

  /// The limit of the control group is a file in a namespace of mounts: what the run does about it
  /// is tested, not what the kernel does.
  @Test func aControlGroupWithLittleMemory() async throws {
    let server = try FaultServer(["/a": { _, connection in connection.fixture("display-p3.jpg") }])
    defer { server.stop() }
    let fixture = try RunFixture(manifest: server.url("/a") + "\n")
    let group = try TemporaryFolder()
    try group.write("900000000\n", to: "memory.max")
    let command = #"mount --bind "$0" /sys/fs/cgroup && exec "$@""#
    func run(_ words: [String]) async throws -> Tool.Result {
      try await Tool.run(
        "/usr/bin/unshare", ["-m", "/bin/sh", "-c", command, group.url.path] + words)
    }
    guard try await run(["true"]).status == 0 else {
      print("not tested: no namespace of mounts can be made here")
      return
    }
    let result = try await run([Places.tessera, "run", fixture.folder.path("feed.yaml")])
    #expect(result.status == 0)
    let warning =
      "warning: the control group's memory leaves each of 1 workers 644 MB, less than limits.memory\n"
    #expect(result.errors.contains(warning), "\(result.errors)")
    try await fixture.expectWhole()
  }
}
