import Foundation
import TesseraTestSupport
import Testing

/// Memory grows neither with the manifest nor with the length of its lines.
@Suite struct ManifestMemoryTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = try folder.write(
      """
      manifest: "-"
      output: out
      slots: {card: {size: 180x}}
      fetch: {allow: loopback, retries: 0, timeout: 15s, deadline: 15s}
      fail-above: 100%
      workers: 1

      """, to: "p.yaml")
  }

  /// The last line of a command's output, and its peak memory in kB, for the lines of a Python
  /// expression.
  private func measure(_ command: [String], _ lines: String) async throws -> (String, Int) {
    let script = """
      import resource, subprocess, sys
      command = subprocess.Popen(
          sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
      for line in \(lines): command.stdin.write(line)
      command.stdin.close()
      print(command.stdout.read().decode().splitlines()[-1])
      command.wait()
      print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
      """
    let result = try await Tool.run(
      "/usr/bin/python3", ["-c", script, Places.tessera] + command + [path],
      // One arena for all threads: with several, memory also depends on how they take turns.
      environment: ["MALLOC_ARENA_MAX": "1"])
    let lines = result.output.split(separator: "\n").map(String.init)
    try #require(lines.count == 2, "\(result.errors)")
    return (lines[0], try #require(Int(lines[1])))
  }

  /// M5, M6: `check`.
  @Test(.faults(.m5, .m6)) func checkIsIndependentOfTheManifest() async throws {
    func check(_ lines: String) async throws -> (String, Int) {
      try await measure(["check"], lines)
    }
    let few = try await check("(b'https://a/%d\\n' % i for i in range(1000))")
    #expect(few.0 == "1000 items, no mistakes")
    let many = try await check("(b'https://a/%d\\n' % i for i in range(30000))")
    #expect(many.0 == "30000 items, no mistakes")
    let long = try await check("[b'https://a/'] + [b'x' * 1000000] * 100 + [b'\\nhttps://a/1\\n']")
    #expect(long.0 == "1 item, 1 line can't be used")
    for memory in [many.1, long.1] {
      #expect(memory < few.1 + 16_000, "\(few.1) kB grew to \(memory) kB")
    }
  }

  /// M5: `run`. The items fail before any request, so that a run of many is short. The smaller
  /// manifest is large enough to fill the window of items in flight, and the difference holds
  /// SQLite's cache of 16 MB.
  @Test(.faults(.m5)) func runIsIndependentOfTheNumberOfItems() async throws {
    func run(_ count: Int) async throws -> Int {
      let line = #"{"id":"i%d","url":"http://127.0.0.1/%d","slots":["none"]}\n"#
      let (last, memory) = try await measure(
        ["run"], "(b'\(line)' % (i, i) for i in range(\(count)))")
      #expect(last.hasSuffix("out/catalog.json"))
      return memory
    }
    let few = try await run(4_000)
    let many = try await run(40_000)
    #expect(many < few + 24_000, "\(few) kB grew to \(many) kB")
  }

  /// M15: lines with a megabyte of `extra`. Those of a run are all in flight, behind one request.
  @Test(.faults(.m15)) func longExtraStaysText() async throws {
    let server = try FaultServer([
      "/slow": { _, connection in connection.hang() },
      "/p.jpg": { _, connection in connection.fixture("plain.jpg") },
    ])
    defer { server.stop() }
    // As a tree, a number takes thirty times the memory of its text.
    func lines(_ path: String) -> String {
      #"(b'{"id":"%d","url":"\#(server.url(path))","extra":[%s1]}\n' % (i, b'1,' * 499990) "#
        + "for i in range(40))"
    }
    let run = try await measure(["run"], lines("/slow"))
    #expect(run.0.hasSuffix("out/catalog.json"))
    let check = try await measure(["check", "--probe"], lines("/p.jpg"))
    #expect(check.0 == "40 items, no mistakes")
    for memory in [run.1, check.1] { #expect(memory < 150_000, "\(memory) kB") }
  }
}
