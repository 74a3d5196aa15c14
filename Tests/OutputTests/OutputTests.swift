import Foundation
import TesseraOutput
import TesseraSystem
import TesseraTestSupport
import Testing

@Suite struct OutputTests {
  @Test func publishesByRenamingAndReportsWhatIsThere() throws {
    let folder = try TemporaryFolder()
    let output = DirectoryOutput(folder.path("out"))
    let lock = try output.workspace.lock()
    try output.prepare()
    try output.workspace.clear()
    try Data("image!!".utf8).write(to: URL(filePath: output.workspace.stagingPath("1.webp")))
    try output.publish(staged: output.workspace.stagingPath("1.webp"), as: "variants/ab/abc.webp")
    #expect(output.has("variants/ab/abc.webp", bytes: 7))
    #expect(!output.has("variants/ab/abc.webp", bytes: 8))
    #expect(!output.has("variants/ab/other.webp", bytes: 7))
    try Data("catalog".utf8).write(to: URL(filePath: output.workspace.stagingPath("c")))
    try output.write("catalog.json", staged: output.workspace.stagingPath("c"))
    #expect(try folder.text("out/catalog.json") == "catalog")
    _ = consume lock
  }

  @Test func isLockedByOneProcessAtATimeAndNamesIt() throws {
    let folder = try TemporaryFolder()
    let output = DirectoryOutput(folder.path("out"))
    do {
      let lock = try output.workspace.lock()
      defer { withExtendedLifetime(lock) {} }
      #expect {
        _ = try output.workspace.lock()
      } throws: { error in
        "\(error)".contains("another run holds the output")
          && "\(error)".contains("(process \(ProcessInfo.processInfo.processIdentifier))")
      }
    }
    // The lock ended with its holder.
    _ = try output.workspace.lock()
  }

  @Test func doesNotFollowALinkInTheFilesPlace() throws {
    let folder = try TemporaryFolder()
    let output = DirectoryOutput(folder.path("out"))
    _ = try output.workspace.lock()
    try FileManager.default.createDirectory(
      atPath: folder.path("out/variants/ab"), withIntermediateDirectories: true)
    try folder.write("image!!", to: "elsewhere")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("out/variants/ab/x"), withDestinationPath: folder.path("elsewhere"))
    #expect(!output.has("variants/ab/x", bytes: 7))
  }

  @Test func clearsTheRemainsOfADeadRun() throws {
    let folder = try TemporaryFolder()
    let output = DirectoryOutput(folder.path("out"))
    _ = try output.workspace.lock()
    try output.workspace.clear()
    try Data("half".utf8).write(to: URL(filePath: output.workspace.stagingPath("left")))
    try output.workspace.clear()
    #expect(folder.files(below: "out/.tessera/staging").isEmpty)
  }

  @Test func errorsNameThePath() {
    #expect {
      _ = try File("/nowhere/at/all", .read)
    } throws: { error in
      "\(error)" == "could not open \"/nowhere/at/all\": No such file or directory"
    }
  }

  @Test(
    arguments: [("150000 100000", 2), ("max 100000", nil), ("50000 100000", 1), ("x", nil)]
      as [(String, Int?)])
  func readsAControlGroupsQuota(_ text: String, _ processors: Int?) {
    #expect(Host.processors(inQuota: text) == processors)
  }

  /// A container is in the root of its own name space; a service is limited by any group above it.
  @Test(
    arguments: [
      ("0::/\n", ["": "1000\n"], 1000), ("0::/\n", ["": "max\n"], nil), ("0::/\n", [:], nil),
      ("0::/a/b\n", ["/a/b": "max", "/a": "700", "": "900"], 700),
      ("0::/a/b\n", ["/a/b": "300", "/a": "700"], 300),
      ("4:memory:/a\n0::/\n", ["": "5"], 5), ("4:memory:/a\n", ["": "5", "/a": "6"], nil),
      ("", [:], nil),
    ] as [(String, [String: String], Int?)])
  func readsTheMemoryOfAllControlGroups(_ groups: String, _ limits: [String: String], _ bytes: Int?)
  {
    #expect(Host.memoryLimit(inGroups: groups) { limits[$0] } == bytes)
  }

  @Test(
    arguments: [
      ("Name:\tx\nVmPeak:\t  900 kB\nVmHWM:\t  8152 kB\nVmRSS:\t 10 kB\n", 8152), ("VmHWM:\n", nil),
      ("", nil),
    ] as [(String, Int?)])
  func readsAProcessStatus(_ text: String, _ kibibytes: Int?) {
    #expect(Host.peakMemory(inStatus: text) == kibibytes)
  }

  @Test func showsControlCharactersInsteadOfSendingThem() {
    #expect("a\u{1B}[31mb\u{202E}c".printable == "a\\u{1b}[31mb\\u{202e}c")
  }
}
