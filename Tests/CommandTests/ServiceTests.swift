import Foundation
import TesseraTestSupport
import Testing

/// The systemd units of the operations guide, without a systemd that runs.
@Suite struct ServiceTests {
  private static let unit = "Examples/operations/tessera@.service"

  /// The lines of a unit, with continued ones joined.
  private static func settings(_ path: String) throws -> [(key: String, value: String)] {
    try Document(path).text.replacing("\\\n", with: "").split(separator: "\n").compactMap { line in
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return parts.count == 2 && !line.hasPrefix("#") ? (String(parts[0]), String(parts[1])) : nil
    }
  }

  /// The calls of a set, with those of the sets in it.
  private static func calls(of set: String) async throws -> Set<String> {
    let list = try await Tool.run("/usr/bin/systemd-analyze", ["syscall-filter", set])
    try #require(list.status == 0, "\(list.errors)")
    var calls: Set<String> = []
    for line in list.output.split(separator: "\n") where line.hasPrefix("    ") {
      let name = line.trimmingCharacters(in: .whitespaces)
      if name.hasPrefix("@") {
        calls.formUnion(try await Self.calls(of: name))
      } else if !name.hasPrefix("#") {
        calls.insert(name)
      }
    }
    return calls
  }

  /// The calls that the service may make: lists are added, and those after a tilde are taken away.
  private static func allowedCalls() async throws -> Set<String> {
    var allowed: Set<String> = []
    for (key, value) in try settings(unit) where key == "SystemCallFilter" {
      let isDenied = value.hasPrefix("~")
      for name in value.drop(while: { $0 == "~" }).split(separator: " ").map(String.init) {
        let calls = name.hasPrefix("@") ? try await Self.calls(of: name) : [name]
        if isDenied { allowed.subtract(calls) } else { allowed.formUnion(calls) }
      }
    }
    return allowed
  }

  /// Compiles the program that starts another one with these calls only.
  private static func launcher(in folder: TemporaryFolder) async throws -> String {
    let program = folder.path("service")
    let source = Places.root.appending(path: "Tests/Shims/service.c").path
    let built = try await Tool.run(
      "/usr/bin/env", ["clang", "-O1", "-o", program, source, "-lseccomp"])
    try #require(built.status == 0, "\(built.errors)")
    return program
  }

  private static func probe(
    _ folder: TemporaryFolder, _ launcher: String, _ calls: Set<String>?
  ) async throws -> String {
    for name in ["libraries", "elsewhere"] {
      try FileManager.default.createDirectory(
        atPath: folder.path(name), withIntermediateDirectories: true)
    }
    try folder.write("a font", to: "libraries/readable")
    try folder.write("a key", to: "elsewhere/secret")
    for name in ["source", "result"] { try folder.write("bytes", to: name) }
    let words =
      [Places.products.appending(path: "ConfinementProbe").path]
      + ["libraries", "source", "result", "elsewhere"].map { folder.path($0) }
    let result = try await Tool.run(
      calls == nil ? words[0] : launcher,
      calls.map { $0.sorted() + ["--"] + words } ?? Array(words.dropFirst()))
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    return result.output
  }

  /// A worker confines itself under the service's filter as it does without one.
  @Test func theWorkersSandboxIsWholeInTheService() async throws {
    let folder = try TemporaryFolder()
    let launcher = try await Self.launcher(in: folder)
    let calls = try await Self.allowedCalls()
    let plain = try await Self.probe(folder, launcher, nil)
    let inService = try await Self.probe(folder, launcher, calls)
    #expect(inService == plain)
    // The test would notice if they were missing.
    let landlock = calls.filter { $0.hasPrefix("landlock_") }
    #expect(landlock.count == 3)
    let without = try await Self.probe(folder, launcher, calls.subtracting(landlock))
    #expect(without.hasPrefix("landlock 0 "))
    #expect(!calls.contains("mount") && !calls.contains("setuid") && !calls.contains("bpf"))
  }

  /// A whole run, by its own account confined: otherwise `require-sandbox` would end it.
  @Test func aRunSucceedsInTheService() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let names = ["plain.jpg", "lossy.webp", "rotated-phone-shot.jpg"]
    let port = try #require(URL(string: nginx.url("/"))?.port)
    let fixture = try RunFixture(
      manifest: names.map { "http://localhost:\(port)/\($0)\n" }.joined(),
      keys: "require-sandbox: true")
    let launcher = try await Self.launcher(in: fixture.folder)
    let words = [Places.tessera, "run", fixture.folder.path("feed.yaml"), "--no-progress"]
    let result = try await Tool.run(
      launcher, try await Self.allowedCalls().sorted() + ["--"] + words)
    await nginx.stop()
    #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    #expect(try fixture.report["decodes"] == 3)
    try await fixture.expectWhole()
  }

  @Test func theUnitsAreValidAndHardened() async throws {
    let folder = try TemporaryFolder()
    for name in ["tessera@.service", "tessera@.timer"] {
      // The command is not installed where the tests run.
      let text = try Document("Examples/operations/\(name)").text
      try folder.write(text.replacing("/usr/bin/tessera", with: "/bin/true"), to: name)
    }
    let units = ["service", "timer"].map { folder.path("tessera@feed.\($0)") }
    let verified = try await Tool.run("/usr/bin/systemd-analyze", ["verify", "--man=no"] + units)
    #expect(verified.status == 0 && verified.errors.isEmpty, "\(verified.errors)")
    let security = try await Tool.run(
      "/usr/bin/systemd-analyze",
      ["security", "--offline=yes", "--threshold=15", units[0]])
    #expect(security.status == 0, "\(security.output.suffix(200))")
    // 1.4 by the systemd of Debian 12, 1.2 by that of Debian 13.
    #expect(security.output.contains(/Overall exposure level for tessera@feed.service: 1.[0-4] OK/))
  }

  /// The service's command lines use options that exist.
  @Test func theServicesCommandsAreValid() async throws {
    let lines = try Self.settings(Self.unit).filter { $0.key == "ExecStart" }.map(\.value)
    #expect(lines.count == 2)
    for line in lines {
      let words = line.split(separator: " ").map(String.init)
      let help = try await Tool.tessera(words[1], "--help").output
      for word in words where word.hasPrefix("--") { #expect(help.contains("  \(word) ")) }
    }
  }
}
