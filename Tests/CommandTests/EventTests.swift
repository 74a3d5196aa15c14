import Foundation
import Synchronization
import TesseraCatalog
import TesseraTestSupport
import Testing

/// What a run tells while it works and at its end: events, progress, summary; and how signals end it.
@Suite struct EventTests {
  /// The events without what differs from run to run.
  private static func events(_ fixture: RunFixture) throws -> [String] {
    try fixture.folder.text("events.jsonl").split(separator: "\n").map { line in
      #expect(line.contains(/^\{"time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ",/))
      return String(line).replacing(/"time":"[^"]*",/, with: "")
        .replacing(/,"(fetchSeconds|transcodeSeconds)":[\d.]+/, with: "")
        .replacing(/"seconds":[\d.]+/, with: "\"seconds\":0")
        .replacing(/127\.0\.0\.1:\d+/, with: "HOST")
    }
  }

  /// Checks each line against the published schema.
  private static func validate(_ fixture: RunFixture) async throws {
    let program = """
      import json, sys, jsonschema
      schema = json.load(open(sys.argv[1]))
      jsonschema.Draft202012Validator.check_schema(schema)
      validator = jsonschema.Draft202012Validator(schema)
      for line in open(sys.argv[2]):
          event = json.loads(line)
          # Strictly: a member that no kind of event has is a mistake.
          known = {"time"} | {n for d in schema["$defs"].values()
                              if d.get("properties", {}).get("event", {}).get("const") == event["event"]
                              for n in d["properties"]}
          for error in validator.iter_errors(event): print(error.message, line)
          for name in set(event) - known: print("unknown member", name, line)
      """
    let schema = Places.root.appending(path: "Examples/operations/events.schema.json").path
    let check = try await Tool.run(
      "/usr/bin/python3", ["-c", program, schema, fixture.folder.path("events.jsonl")])
    #expect(check.output.isEmpty && check.status == 0, "\(check.output)\(check.errors)")
  }

  private static func item(_ id: String, _ url: String) -> String {
    #"{"id":"\#(id)","url":"\#(url)"}"# + "\n"
  }

  @Test func eventsTellWhatHappens() async throws {
    let server = try FaultServer(["/a": { $1.fixture("plain.jpg") }])
    defer { server.stop() }
    let (good, bad) = (server.url("/a"), server.url("/none"))
    let fixture = try RunFixture(
      manifest: Self.item("a", good) + Self.item("gone", bad) + "{}\n",
      keys: "fetch: {allow: loopback, retries: 0, concurrency: 1}")
    let path = fixture.folder.path("events.jsonl")
    #expect(try await fixture.run("--events", path).status == 1)
    try await Self.validate(fixture)
    let bytes = try #require(try fixture.report["variants.bytesWritten"])
    let first = try Self.events(fixture)
    #expect(first.first == #"{"event":"run-started"}"#)
    #expect(
      first.dropFirst().dropLast().sorted() == [
        #"{"event":"item-done","id":"a","status":"ok","change":"new","made":3,"bytes":\#(bytes)}"#,
        #"{"event":"item-failed","id":"gone","status":"failed","code":"http-status","message":"The server answered 404 Not Found.","retryable":false}"#,
        #"{"event":"manifest-problem","line":3,"message":"the member \"url\" is missing"}"#,
      ])
    #expect(
      first.last
        == #"{"event":"run-ended","seconds":0,"items":{"total":2,"failed":1,"ok":1}}"#)
    // The file of the next run replaces it.
    server.route("/a") { $1.fixture("lossy.webp") }
    #expect(try await fixture.run("--events", path).status == 1)
    #expect(
      try Self.events(fixture).contains {
        $0.contains(#""id":"a","status":"ok","change":"changed""#)
      })
    server.route("/a") { $1.respond("304 Not Modified") }
    #expect(try await fixture.run("--events", path).status == 1)
    try await Self.validate(fixture)
  }

  /// A host that is busy, a worker that is killed, a run that fails and one that is stopped.
  @Test func hostsAndRunsThatEndEarlyAreEvents() async throws {
    let server = try FaultServer([
      "/busy": { request, connection in
        if request.before == 0 {
          connection.respond("429 Too Many Requests", ["Retry-After": "1"])
        } else {
          connection.fixture("plain.jpg")
        }
      }
    ])
    defer { server.stop() }
    let fixture = try RunFixture(
      manifest: (0..<4).map { Self.item("b\($0)", server.url("/busy?\($0)")) }.joined(),
      keys: "fetch: {allow: loopback, retries: 2}")
    let path = fixture.folder.path("events.jsonl")
    _ = try await fixture.run("--events", path)
    try await Self.validate(fixture)
    let events = try Self.events(fixture)
    #expect(
      events.contains(
        #"{"event":"host-slowed","host":"HOST","message":"the server answered 429 Too Many Requests","seconds":0}"#
      ), "\(events)")

    try fixture.folder.write("nothing\n", to: "manifest")
    #expect(try await fixture.run("--events", path).status == 2)
    try await Self.validate(fixture)
    #expect(try Self.events(fixture).last?.hasPrefix(#"{"event":"run-failed","message":""#) == true)

    let server2 = try FaultServer(["/hang": { $1.hang() }])
    defer { server2.stop() }
    try fixture.folder.write(Self.item("h", server2.url("/hang")), to: "manifest")
    let running = try fixture.start("--events", path, "--allow-shrink")
    for _ in 0..<1_000 where server2.count("/hang") == 0 {
      try await Task.sleep(for: .milliseconds(10))
    }
    running.signal(SIGTERM)
    #expect(await running.end().status == 143)
    try await Self.validate(fixture)
    #expect(try Self.events(fixture).last == #"{"event":"run-stopped"}"#)
  }

  /// A file that can't be written is found before the run; a reader that goes away ends no run.
  @Test func eventsThatCannotBeWritten() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let fixture = try RunFixture(manifest: nginx.url("/plain.jpg") + "\n")
    let wrong = try await fixture.run("--events", fixture.folder.path("none/events"))
    #expect(wrong.status == 2)
    #expect(wrong.errors.contains("none/events\": No such file or directory"))
    let full = try await fixture.run("--events", "/dev/full")
    #expect(full.status == 0)
    #expect(full.errors.contains("warning: not all events were written: "))
    #expect(full.errors.contains("No space left on device"))
    await nginx.stop()
  }

  // MARK: The end of a run

  @Test func theSummaryNamesReasonsAndCommands() async throws {
    let server = try FaultServer([
      // So that the first run takes a time that is worth a word.
      "/a": {
        $1.pause(0.1)
        $1.fixture("plain.jpg")
      }, "/b": { $1.fixture("lossy.webp") },
    ])
    defer { server.stop() }
    var lines = [("a", "/a"), ("b", "/b"), ("it's", "/none"), ("z", "/none/2")].map {
      Self.item($0.0, server.url($0.1))
    }
    lines.append("{}\n")
    let fixture = try RunFixture(manifest: lines.joined())
    func summary() async throws -> String {
      try await fixture.run("--no-progress").output
        .replacing(/\d[\d.]* (k?B|s|%)/) { "N \($0.1)" }
        .replacing(fixture.folder.path("") + "/", with: "")
    }
    let first = try await summary()
    #expect(
      first == """
        4 images: 2 ok, 2 failed (2 new)
        failures: 2 new
          2 http-status, such as it's: The server answered 404 Not Found.
        1 line of the manifest could not be used
        6 files made (N kB) from 2 images (N kB), 0 reused
        rounded sizes cost visitors N % more bytes; tessera plan --fit 8 finds sizes that cost less
        N kB fetched in 4 requests
        N s, in which requests took N s and workers N s, several at a time
        next: tessera why out 'it'\\''s', and when its cause is gone, tessera run feed.yaml --retry-failed; the others: tessera gallery out
        out/catalog.json

        """)
    try fixture.folder.write(lines[0] + lines[1], to: "manifest")
    // How long nothing takes depends on the machine.
    let second = try await summary().replacing(/, in which requests .*/, with: "")
    #expect(
      second == """
        2 images, 2 fewer than in the last run: 2 ok (2 reused)
        0 files made (N B), 6 reused
        N kB fetched in 2 requests
        N s
        next: tessera gallery out
        out/catalog.json

        """)
  }

  // MARK: On a terminal

  @Test func progressHasTwoLinesOnATerminal() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let fixture = try RunFixture(
      manifest: try Places.images().map { nginx.url("/\($0)") + "\n" }.joined())
    func output(_ environment: [String: String]) async throws -> String {
      let command =
        "stty cols 70; rm -rf \(fixture.folder.path("out")); \(Places.tessera) run "
        + fixture.folder.path("feed.yaml")
      return try await Tool.run(
        "/usr/bin/script", ["-qec", command, "/dev/null"], environment: environment
      ).output
    }
    let colours = try await output(["TERM": "xterm", "NO_COLOR": ""])
    #expect(colours.contains(/\d+ waiting, \d+ transcoding/))
    #expect(colours.contains("\u{1B}[31mfailed:\u{1B}[0m 1 decode"))
    // The last state stays, and the two lines are taken away before each other one.
    let end = try #require(colours.components(separatedBy: "\r\u{1B}[1A\u{1B}[J").last)
    #expect(end.contains(#/^\[#+\] \d+\/\d+ /#))
    for line in colours.components(separatedBy: .newlines) where line.contains("transcoding") {
      let plain = line.replacing(/\u{1B}\[[0-9]*[A-Za-z]/, with: "")
      #expect(plain.split(separator: "\r").allSatisfy { $0.count < 70 }, "\(plain)")
    }
    let plain = try await output(["TERM": "xterm", "NO_COLOR": "1"])
    #expect(plain.contains("transcoding") && !plain.contains("\u{1B}[31m"))
    // A terminal that can't move its cursor gets none of it.
    let dumb = try await output(["TERM": "dumb", "NO_COLOR": ""])
    #expect(!dumb.contains("\u{1B}") && !dumb.contains("[#"))
    await nginx.stop()
  }

  /// The reader of messages goes away; the run is done all the same.
  @Test func aClosedPipeEndsNoRun() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let fixture = try RunFixture(
      manifest: (0..<50).map { nginx.url("/none/\($0)") + "\n" }.joined() + nginx.url("/plain.jpg"),
      keys: "fail-above: 100%")
    let shell = try await Tool.run(
      "/bin/bash",
      [
        "-c",
        "set -o pipefail; { \(Places.tessera) run \(fixture.folder.path("feed.yaml")) 2>&1 >/dev/null; "
          + "echo $? > \(fixture.folder.path("status")); } | head -1 > /dev/null",
      ])
    _ = shell
    #expect(try fixture.folder.text("status") == "1\n")
    #expect(try fixture.catalog.images.count == 51)
    await nginx.stop()
  }

  // MARK: Signals

  /// After the first signal what is being decoded is finished and kept; the second one ends all at once.
  @Test(arguments: [1, 2])
  func signalsFinishOrEndWhatIsDecoded(_ signals: Int) async throws {
    let server = try FaultServer([
      "/tall": { $1.fixture("tall-900x20000.png") }, "/hang": { $1.hang() },
      "/late": { request, connection in
        // The worker has the other one by then.
        connection.pause(1)
        connection.fixture("lossy.webp")
      },
    ])
    defer { server.stop() }
    // The tall image takes seconds, and less than the twenty that are given to it.
    let fixture = try RunFixture(
      manifest: ["tall", "late", "hang"].map { Self.item($0, server.url("/\($0)")) }.joined(),
      keys: "workers: 1\nfetch: {allow: loopback, timeout: 60s}",
      slots: "slots: {card: {size: 180x}}")
    let running = try fixture.start()
    var isDecoding = false
    for _ in 0..<4_000 where !isDecoding {
      try await Task.sleep(for: .milliseconds(10))
      guard server.count("/hang") > 0, server.count("/late") > 0 else { continue }
      // A worker has the image once it has used some processor time.
      isDecoding = running.children.flatMap(Tool.children).contains {
        Tool.processorTicks(of: $0) > 10
      }
    }
    #expect(isDecoding)
    for number in 0..<signals {
      if number > 0 { try await Task.sleep(for: .milliseconds(100)) }
      running.signal(SIGINT)
    }
    let result = await running.end()
    #expect(result.status == 130)
    #expect(result.errors.contains("a second signal (Ctrl-C) stops at once\n"))
    #expect(
      result.errors.hasSuffix(
        """
        \(2 - signals) of 3 images done; the rest is left to the next run
        tessera: stopped; completed work is kept, run again to resume

        """), "\(result.errors)")
    #expect(fixture.folder.files(below: "out/variants").isEmpty == (signals == 2))
    server.route("/hang") { $1.fixture("plain.jpg") }
    #expect(try await fixture.run().status == 0)
    #expect(try fixture.report["decodes"] == (signals == 2 ? 3 : 2))
    try await fixture.expectWhole()
  }

  /// A reader that comes late has all events. Without one, or with one that stops, nothing hangs.
  @Test func aNamedPipeNeedsAReader() async throws {
    // More events than a pipe holds.
    let lines = (0..<2_000).map { "file:///nowhere/\($0).jpg" }.joined(separator: "\n")
    let fixture = try RunFixture(manifest: lines, keys: "fail-above: 100%")
    let pipe = fixture.folder.path("p")
    #expect(mkfifo(pipe, 0o600) == 0)
    func run(_ reader: String) async throws -> (result: Tool.Result, seconds: Double) {
      let start = ContinuousClock.now
      let result = try await Tool.run(
        "/bin/sh",
        [
          "-c",
          "(\(reader)) & \(Places.tessera) run \(fixture.folder.path("feed.yaml")) --events \(pipe); s=$?; wait; exit $s",
        ])
      return (result, start.duration(to: .now) / .seconds(1))
    }
    let late = try await run("sleep 1; exec cat \(pipe) >\(fixture.folder.path("got"))")
    #expect(late.result.status == 1)
    let got = try fixture.folder.text("got").split(separator: "\n")
    #expect(got.first?.contains("run-started") == true && got.last?.contains("run-ended") == true)
    #expect(got.count == 2_002)

    let stopped = try await run("exec 3<\(pipe); sleep 20")
    #expect(stopped.result.status == 1)
    #expect(stopped.result.errors.contains("not all events were written: "), "\(stopped)")

    let none = try await run(":")
    #expect(none.result.status == 2 && none.seconds < 60)
    #expect(
      none.result.errors
        == "tessera: \"\(pipe)\" is a named pipe that no program reads; start its reader, too\n")
  }
}
