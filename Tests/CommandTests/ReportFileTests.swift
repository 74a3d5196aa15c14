import Foundation
import TesseraCatalog
import TesseraTestSupport
import Testing

/// The files of `run --events` and `run --metrics`: nothing else is replaced, and no reader holds a run.
@Suite struct ReportFileTests {
  private static func fixture(_ nginx: Nginx, count: Int = 1, keys: String = "") throws
    -> RunFixture
  {
    try RunFixture(
      manifest: (0..<count).map { nginx.url("/one-pixel.png?\($0)") + "\n" }.joined(), keys: keys,
      slots: "slots: {a: {size: 10x}}")
  }

  /// The manifest, the pipeline, files of the output whether they are there or not, and files of the user.
  @Test(.faults(.i27), arguments: ["--events", "--metrics"])
  func noOtherFileIsReplaced(_ option: String) async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let fixture = try Self.fixture(nginx)
    func expectRejected(_ name: String, _ finding: String) async throws {
      let path = fixture.folder.path(name)
      let before = FileManager.default.contents(atPath: path)
      let result = try await fixture.run(option, path)
      #expect(result.status == 2, "\(name)")
      #expect(
        result.errors.contains(
          "\"\(path)\" \(finding), and would be lost; name another file for \(option)"),
        "\(result.errors)")
      #expect(FileManager.default.contents(atPath: path) == before, "\(name)")
    }
    for name in ["out/catalog.json", "out/run.json", "out/.tessera/state.sqlite", "out/.tessera/x"]
    {
      try FileManager.default.createDirectory(
        atPath: fixture.folder.path("out/.tessera"), withIntermediateDirectories: true)
      try await expectRejected(name, "is a file of the output")
    }
    #expect(try await fixture.run().status == 0)
    try await expectRejected("out/catalog.json", "is a file of the output")
    try await expectRejected("manifest", "is the manifest")
    try await expectRejected("feed.yaml", "is the pipeline file")
    try fixture.folder.write("mine\n", to: "notes.txt")
    try await expectRejected("notes.txt", "is a file that no run wrote for \(option)")
    // Also through a link, and if the pipeline file can't be read.
    try FileManager.default.createSymbolicLink(
      atPath: fixture.folder.path("link"), withDestinationPath: "notes.txt")
    _ = try await fixture.run(option, fixture.folder.path("link"))
    try fixture.folder.write("slots: 1\n", to: "feed.yaml")
    #expect(try await fixture.run(option, fixture.folder.path("feed.yaml")).status == 2)
    #expect(try fixture.folder.text("feed.yaml") == "slots: 1\n")
    #expect(try await fixture.run(option, fixture.folder.path("notes.txt")).status == 2)
    #expect(try fixture.folder.text("notes.txt") == "mine\n")
    // Those of an earlier run are replaced.
    try fixture.write(keys: "", slots: "slots: {a: {size: 10x}}")
    for _ in 0..<2 {
      #expect(try await fixture.run(option, fixture.folder.path("own")).status == 0)
    }
    await nginx.stop()
  }

  /// A second run on one output leaves the first one's log alone.
  @Test(.faults(.i27)) func aRunThatFindsTheOutputHeldWritesNoEvents() async throws {
    let server = try FaultServer()
    defer { server.stop() }
    let gate = DispatchSemaphore(value: 0)
    server.route("/a.png") { _, connection in
      gate.wait()
      connection.fixture("one-pixel.png")
    }
    let fixture = try RunFixture(
      manifest: server.url("/a.png") + "\n", slots: "slots: {a: {size: 10x}}")
    let events = fixture.folder.path("events.jsonl")
    let first = try fixture.start("--events", events)
    while server.count("/a.png") == 0 { try await Task.sleep(for: .milliseconds(10)) }
    let before = try fixture.folder.text("events.jsonl")
    #expect(before.contains("run-started"))
    #expect(try await fixture.run("--events", events).status == 75)
    #expect(try fixture.folder.text("events.jsonl") == before)
    gate.signal()
    #expect(await first.end().status == 0)
    let lines = try fixture.folder.text("events.jsonl").split(separator: "\n")
    #expect(lines.count == 3 && lines[2].contains("run-ended"))
  }

  /// A reader that takes nothing, of a named pipe and of standard output: the run ends at its deadline.
  @Test(.faults(.i28), arguments: [true, false])
  func aSlowReaderDoesNotHoldARunBeyondItsDeadline(_ isNamed: Bool) async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let fixture = try Self.fixture(nginx, count: 2_000)
    let pipe = fixture.folder.path("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    // The reader opens the pipe, and goes away long after the deadline.
    let reader = try Tool.start("/bin/sh", ["-c", "exec sleep 30 < \"$1\"", "sh", pipe])
    let command = isNamed ? "exec \"$@\" --events \"$0\"" : "exec \"$@\" --events - > \"$0\""
    let begun = ContinuousClock.now
    let result = try await Tool.run(
      "/bin/sh",
      [
        "-c", command, pipe, Places.tessera, "run", fixture.folder.path("feed.yaml"),
        "--no-progress",
        "--deadline", "3s",
      ])
    let time = begun.duration(to: .now)
    reader.signal(SIGKILL)
    await nginx.stop()
    #expect(time < .seconds(10), "\(time)")
    #expect(result.errors.contains("not all events were written: "), "\(result.errors)")
    #expect(result.status == 1 || result.status == 0)
  }
}
