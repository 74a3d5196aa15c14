import Foundation
import TesseraCatalog
import TesseraTestSupport
import Testing

/// A disk that is full, read-only or without inodes, a locked state, used-up descriptors: the run ends
/// with a sentence that says what to do, the state is not blamed, and the next run goes on with all that
/// was known (F1, F3, F9, F13, F14, F16, F19).
@Suite struct DiskErrorTests {
  /// An output with one fresh image, and one that has just been added to the manifest.
  private struct Grown {
    let server: FaultServer
    let fixture: RunFixture
    let catalog: String

    /// - Parameter isSlow: whether the new image is sent so late that a commit comes before it.
    init(on fixture: RunFixture, isSlow: Bool = false) async throws {
      let server = try FaultServer([
        "/known": { $1.fixture("plain.jpg", ["Cache-Control": "max-age=3600"]) },
        "/new": { _, connection in
          if isSlow { connection.pause(1) }
          connection.fixture("grey.png", ["Cache-Control": "max-age=3600"])
        },
      ])
      (self.server, self.fixture) = (server, fixture)
      try fixture.folder.write(server.url("/known") + "\n", to: "manifest")
      try #require(try await fixture.run().status == 0)
      catalog = try fixture.catalogText
      try fixture.folder.write(
        server.url("/known") + "\n" + server.url("/new") + "\n", to: "manifest")
    }

    /// Expects a run that ended with an error, and left the catalog and the state as they were.
    func expect(_ failed: Tool.Result, says parts: [String]) throws {
      #expect(failed.status == 2, "\(failed.status) \(failed.errors)")
      for part in parts { #expect(failed.errors.contains(part), "\(failed.errors)") }
      #expect(failed.errors.hasSuffix(", and run again\n"), "\(failed.errors)")
      #expect(try fixture.catalogText == catalog)
      #expect(!fixture.folder.files(below: "out/.tessera").contains { $0.contains("damaged") })
    }

    /// The next run is as if nothing had happened: what was fresh is not requested.
    func expectNextRunGoesOn() async throws {
      let next = try await fixture.run()
      #expect(next.status == 0 && next.errors.isEmpty, "\(next.errors)")
      #expect(server.count("/known") == 1)
      #expect(try fixture.catalog.images.map(\.status) == [.ok, .ok])
      try await fixture.expectWhole()
      server.stop()
    }
  }

  /// A commit fails in the background, between two items: SQLite rolls back, and the next commit fails
  /// for the only reason that there is nothing to commit. That was taken for a damaged state.
  @Test(
    .faults(.f16),
    arguments: [
      (ENOSPC, "database or disk is full; free space on its file system"),
      (EDQUOT, "(778: Disk quota exceeded); free space or have the quota raised"),
      (EIO, "(778: Input/output error); check the disk"),
    ])
  func aFailedCommitIsNotADamagedState(_ code: Int32, _ cause: String) async throws {
    let grown = try await Grown(on: RunFixture(manifest: ""), isSlow: true)
    let state = grown.fixture.folder.path("out/.tessera/state.sqlite")
    let shim = try await Shim(in: grown.fixture.folder, for: state + "-wal")
    let failed = try await grown.fixture.run(
      environment: shim.failing("write", "\(code)", at: 1, count: 1))
    try grown.expect(failed, says: ["tessera: the state file \"\(state)\": ", cause])
    try await grown.expectNextRunGoesOn()
  }

  /// Another program holds the state (F19).
  @Test(.faults(.f19)) func aLockedStateIsNotADamagedState() async throws {
    let grown = try await Grown(on: RunFixture(manifest: ""))
    let state = grown.fixture.folder.path("out/.tessera/state.sqlite")
    let script = """
      import sqlite3, sys
      d = sqlite3.connect(sys.argv[1], isolation_level=None)
      d.execute("PRAGMA locking_mode = EXCLUSIVE")
      d.execute("BEGIN EXCLUSIVE")
      open(sys.argv[2], "w").close()
      sys.stdin.read()
      """
    let held = grown.fixture.folder.path("held")
    let holder = try Tool.start(
      "/bin/sh",
      [
        "-c", "sleep 60 | exec /usr/bin/python3 -c \"$0\" \"$1\" \"$2\"", script, state, held,
      ])
    for _ in 0..<500 where !FileManager.default.fileExists(atPath: held) {
      try await Task.sleep(for: .milliseconds(20))
    }
    let failed = try await grown.fixture.run()
    try grown.expect(
      failed, says: [state, "database is locked; end the program that holds its lock"])
    for child in holder.children { kill(child, SIGKILL) }
    _ = await holder.end()
    try await grown.expectNextRunGoesOn()
  }

  /// Every write fails from some call on, with many images in flight. Whichever of them fails first, the
  /// message names the disk and does not say that the run stopped.
  @Test func theFirstErrorEndsTheRun() async throws {
    let folder = try TemporaryFolder()
    var manifest = ""
    for number in 0..<24 {
      try Data(Places.bytes("grey.png")).write(to: folder.url.appending(path: "\(number)"))
      manifest += "file://\(folder.path("\(number)"))\n"
    }
    let shim = try await Shim(in: folder, for: "")
    try await forEach(Array(1...24), atATime: 2) { [manifest] number in
      let fixture = try RunFixture(
        manifest: manifest, keys: "fetch: {allow: \"files:\(folder.url.path)\"}",
        slots: "slots: {a: {size: 8x8}}")
      let output = fixture.folder.path("out")
      let failed = try await fixture.run(
        environment: shim.with(root: output, image: "").failing(
          "write", "\(ENOSPC)", at: number * 3, count: 0))
      #expect(failed.status == 2, "\(number): \(failed.errors)")
      #expect(!failed.errors.contains("stopped"), "\(number): \(failed.errors)")
      #expect(failed.errors.contains(output), "\(number): \(failed.errors)")
      #expect(failed.errors.hasSuffix(", and run again\n"), "\(number): \(failed.errors)")
    }
  }

  // MARK: Real file systems

  /// A small file system as the output, with `options` of tmpfs. False where mounting is not permitted.
  private static func withDisk(
    _ options: String, _ body: (RunFixture, _ disk: String) async throws -> Void
  ) async throws {
    let fixture = try RunFixture(manifest: "")
    let disk = fixture.folder.path("out")
    try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
    let mount = try await Tool.run("/bin/mount", ["-t", "tmpfs", "-o", options, "tmpfs", disk])
    guard mount.status == 0 else {
      print("not tested: a disk with \(options) (no permission to mount a tmpfs)")
      return
    }
    do {
      try await body(fixture, disk)
    } catch {
      Issue.record(error)
    }
    _ = try await Tool.run("/bin/umount", [disk])
  }

  /// Who looks for what fills the disk needs no space for that, and the history says what it was.
  @Test func aFullDiskIsNamedAndRead() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    try await Self.withDisk("size=4m") { fixture, disk in
      try fixture.folder.write(nginx.url("/plain.jpg"), to: "manifest")
      #expect(try await fixture.run().status == 0)
      _ = try await Tool.run("/bin/dd", ["if=/dev/zero", "of=\(disk)/rest", "bs=4k"])
      let status = try await Tool.tessera("status", disk)
      #expect(status.status == 0 && status.output.contains(", 0 B free on the disk"), "\(status)")
      #expect(status.output.contains("failures: none"))
      #expect(try await Tool.tessera("why", disk, "plain.jpg").errors.isEmpty == false)
      let plan = try await Tool.tessera("plan", fixture.folder.path("feed.yaml"))
      #expect(plan.status == 0, "\(plan.errors)")
      #expect(try await fixture.run().status == 2)
      let after = try await Tool.tessera("status", disk)
      #expect(after.output.contains(" failed: disk-full "), "\(after.output)")
    }
    await nginx.stop()
  }

  @Test(.faults(.f3)) func aReadOnlyDiskIsNamed() async throws {
    try await Self.withDisk("size=9m") { fixture, disk in
      let grown = try await Grown(on: fixture)
      #expect(try await Tool.run("/bin/mount", ["-o", "remount,ro", disk]).status == 0)
      try grown.expect(
        try await fixture.run(),
        says: [disk, "Read-only file system; make its file system writable"])
      #expect(try await Tool.run("/bin/mount", ["-o", "remount,rw", disk]).status == 0)
      try await grown.expectNextRunGoesOn()
    }
  }

  /// The disk has room for a few more blocks only: wherever the run meets its end, it says so.
  @Test(.faults(.f1)) func aFullDiskIsNamed() async throws {
    try await Self.withDisk("size=1m") { fixture, disk in
      let grown = try await Grown(on: fixture)
      let filler = disk + "/filler"
      for free in [0, 1, 2, 4, 8, 16] {
        let command = "head -c 9999999 /dev/zero > \"$0\"; truncate -s -\(free * 4096) \"$0\""
        _ = try await Tool.run("/bin/sh", ["-c", command, filler])
        let failed = try await fixture.run()
        // The command itself reports what it could not write.
        try grown.expect(failed, says: [disk, "free space on its file system"])
        try FileManager.default.removeItem(atPath: filler)
      }
      try await grown.expectNextRunGoesOn()
    }
  }

  @Test(.faults(.f13)) func usedUpInodesAreNamed() async throws {
    try await Self.withDisk("size=9m,nr_inodes=40") { fixture, disk in
      let grown = try await Grown(on: fixture)
      for free in 0...3 {
        let command = """
          mkdir "$0/filler"; i=0
          while : 2>/dev/null > "$0/filler/$i"; do i=$((i + 1)); done
          while [ $((\(free))) -gt 0 ] && [ ${n:-0} -lt \(free) ]; do
            n=$((${n:-0} + 1)); rm "$0/filler/$((i - n))"
          done
          """
        _ = try await Tool.run("/bin/bash", ["-c", command, disk])
        try grown.expect(try await fixture.run(), says: [disk, "inodes"])
        try FileManager.default.removeItem(atPath: disk + "/filler")
      }
      try await grown.expectNextRunGoesOn()
    }
  }

  // MARK: Limits

  /// Too few descriptors for a run, from none to spare to all it needs (F13).
  @Test(.faults(.f13)) func usedUpDescriptorsAreNamed() async throws {
    let grown = try await Grown(on: RunFixture(manifest: ""))
    let pipeline = grown.fixture.folder.path("feed.yaml")
    var statuses: [Int32] = []
    for limit in stride(from: 12, through: 32, by: 2) {
      let result = try await Tool.run(
        "/bin/sh", ["-c", "ulimit -n \(limit); exec \"$0\" run \"$1\"", Places.tessera, pipeline])
      statuses.append(result.status)
      #expect([0, 2].contains(result.status), "\(limit): \(result.status) \(result.errors)")
      guard result.status == 2 else { continue }
      #expect(result.errors.contains("oo many open files"), "\(limit): \(result.errors)")
      #expect(try grown.fixture.catalogText == grown.catalog, "\(limit)")
    }
    #expect(statuses.contains(2) && statuses.contains(0), "\(statuses)")
    try await grown.expectNextRunGoesOn()
  }

  /// A name that is longer than a file system allows (F13).
  @Test(.faults(.f13)) func anOverlongNameIsNamed() async throws {
    let fixture = try RunFixture(manifest: "")
    for name in [String(repeating: "o", count: 256), String(repeating: "long/", count: 999)] {
      let result = try await fixture.run("--output", fixture.folder.path(name))
      #expect(result.status == 2)
      #expect(result.errors.contains(": File name too long"), "\(result.errors)")
    }
  }

  /// A list of names that breaks off is not taken for a shorter folder.
  @Test func aFolderThatCannotBeListedIsAnError() async throws {
    let fixture = try RunFixture(
      manifest: "file://\(Places.fixture("one-pixel.png").path)",
      keys: "fetch: {allow: [\"files:\(Places.fixtures.path)\"]}", slots: "slots: {a: {size: 8x8}}")
    let out = fixture.folder.path("out")
    try #require(try await fixture.run().status == 0)
    let shim = try await Shim(in: fixture.folder, for: out)
    let count = try await shim.count("list") { environment in
      _ = try await Tool.run(Places.tessera, ["prune", out], environment: environment)
    }
    #expect(count >= 5, "\(count)")
    for number in 1...count {
      let failed = try await Tool.run(
        Places.tessera, ["prune", out],
        environment: shim.failing("list", "\(EIO)", at: number, count: 1))
      #expect(failed.status == 2, "\(number)")
      #expect(
        failed.errors.hasPrefix("tessera: could not list \"\(out)")
          && failed.errors.hasSuffix(": Input/output error; check the disk, and run again\n"),
        "\(number): \(failed.errors)")
    }
  }

  /// Temporary files are on another file system than the output (F14).
  @Test(.faults(.f14)) func temporaryFilesMayBeOnAnotherFileSystem() async throws {
    let other = "/dev/shm/tessera-test-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: other) }
    let server = try FaultServer(["/a": { $1.fixture("plain.jpg") }])
    defer { server.stop() }
    let url = server.url("/a")
    let fixture = try RunFixture(
      manifest: "\(url)\n\(url)?2\n", keys: "fetch: {allow: loopback, order: newest-first}")
    func device(_ path: String) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: path)[.systemNumber] as? Int
    }
    if try device(other) == device(fixture.folder.url.path) {
      print("not tested: two file systems (/dev/shm is on the same as the temporary folder)")
    }
    #expect(try await fixture.run(environment: ["TMPDIR": other]).status == 0)
    #expect(try fixture.catalog.images.map(\.status) == [.ok, .ok])
    try await fixture.expectWhole()
    #expect(try FileManager.default.contentsOfDirectory(atPath: other).isEmpty)
  }
}
