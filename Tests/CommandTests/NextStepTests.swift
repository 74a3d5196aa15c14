import Foundation
import TesseraTestSupport
import Testing

/// What the command says to do next works as it is printed, also in folders whose names a shell would take apart.
@Suite struct NextStepTests {
  private static let name = "my shop's"

  /// A shell in a folder, as a person has it.
  private static func type(_ line: String, in folder: TemporaryFolder) async throws -> Tool.Result {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return try await Tool.run(
      "/bin/sh", ["-c", "cd \(folder.path(""))\n\(line)"],
      environment: ["PATH": "\(Places.products.path):\(path)"])
  }

  /// The commands in the last line that begins with "next: ".
  private static func steps(_ text: String) -> [String] {
    let line = text.split(separator: "\n").last { $0.contains("next: ") } ?? ""
    return line.matches(of: /tessera (?:'(?:[^']|'\\'')*'|[^',;]|'\\'')+?(?=,|;| # | then |$)/)
      .map { String($0.output) }
  }

  /// Types all of them, and expects the exit statuses.
  @discardableResult
  private static func take(
    _ result: Tool.Result, _ commands: [String], _ statuses: [Int32], in folder: TemporaryFolder
  ) async throws -> [Tool.Result] {
    let steps = steps(result.output)
    #expect(steps.map { String($0.split(separator: " ")[1]) } == commands, "\(result.output)")
    var results: [Tool.Result] = []
    for step in steps {
      let end = try await type(step, in: folder)
      results.append(end)
    }
    #expect(results.map(\.status) == statuses, "\(steps) \(results)")
    return results
  }

  @Test func photographsBecomeAGallery() async throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.path("photos"), withIntermediateDirectories: true)
    func add(_ name: String) throws {
      try FileManager.default.copyItem(
        at: Places.fixture("rotated-phone-shot.jpg"),
        to: URL(filePath: folder.path("photos/\(name)")))
    }
    try add("a.jpg")
    let begun = try await Self.type(#"tessera init "\#(Self.name)" --from photos"#, in: folder)
    let ends = try await Self.take(begun, ["run", "gallery"], [0, 0], in: folder)
    try await Self.take(ends[0], ["gallery"], [0], in: folder)
    try add("b.jpg")
    let more = try await Self.type(
      #"tessera init "\#(Self.name)" --from photos --manifest-only"#, in: folder)
    try await Self.take(more, ["run"], [0], in: folder)
  }

  @Test func anEmptyProjectIsFilled() async throws {
    let folder = try TemporaryFolder()
    let begun = try await Self.type(#"tessera init "\#(Self.name)""#, in: folder)
    #expect(begun.output.contains("write the URLs of your images into \(Self.name)/manifest.jsonl"))
    let nginx = try await Nginx(serving: Places.fixtures)
    try folder.write(
      #"{"id":"a","url":"\#(nginx.url("/plain.jpg"))"}"# + "\n", to: "\(Self.name)/manifest.jsonl")
    // Not permitted yet: the run says so, and what it says to do next shows why.
    let ends = try await Self.take(begun, ["run", "gallery"], [1, 0], in: folder)
    let why = try await Self.take(ends[0], ["why", "run"], [0, 1], in: folder)
    #expect(why[0].output.contains("allow: [loopback]"), "\(why[0].output)")
    await nginx.stop()
  }

  @Test func failuresAreLookedAtAndTriedAgain() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let folder = try TemporaryFolder()
    func line(_ id: String, _ path: String) -> String {
      #"{"id":"\#(id)","url":"\#(nginx.url(path))"}"# + "\n"
    }
    try folder.write(
      line("a", "/plain.jpg") + line("it's, gone; -x", "/none.jpg"), to: "\(Self.name)/list.jsonl")
    try folder.write(
      """
      manifest: list.jsonl
      output: its output
      slots: {card: {size: 180x}}
      fetch: {allow: loopback, retries: 0}

      """, to: "\(Self.name)/feed.yaml")
    let pipeline = #""\#(Self.name)/feed.yaml""#
    let run = try await Self.type("tessera run \(pipeline)", in: folder)
    let ends = try await Self.take(run, ["why", "run", "gallery"], [0, 1, 0], in: folder)
    #expect(ends[0].output.contains("it's, gone; -x, line 2"), "\(ends[0].output)")
    let status = try await Self.type("tessera status \(pipeline)", in: folder)
    let commands = status.output.matches(of: /tessera (?:why|prune) (?:'(?:[^']|'\\'')*'|[^' \n])+/)
      .map { String($0.output) }
    #expect(
      Set(commands.map { $0.split(separator: " ")[1] }) == ["why", "prune"], "\(status.output)")
    for command in commands {
      let end = try await Self.type(
        command.contains(" why ") ? "\(command) a" : command, in: folder)
      #expect(end.status == 0, "\(command) \(end.errors)")
    }
    await nginx.stop()
  }

  @Test func shardsAreMerged() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let fixture = try RunFixture(
      manifest: #"{"id":"a","url":"\#(nginx.url("/plain.jpg"))"}"# + "\n")
    let output = "\(Self.name)/out"
    var last: Tool.Result?
    for shard in ["0/2", "1/2"] {
      last = try await Self.type(
        #"tessera run feed.yaml --output "\#(output)" --shard \#(shard)"#, in: fixture.folder)
    }
    try await Self.take(#require(last), ["merge"], [0], in: fixture.folder)
    await nginx.stop()
  }
}
