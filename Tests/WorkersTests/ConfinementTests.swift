import Foundation
import TesseraTestSupport
import Testing

/// What a compromised worker could still do.
@Suite struct ConfinementTests {
  @Test func aWorkerCanUseItsTwoFoldersOnly() async throws {
    let folder = try TemporaryFolder()
    for name in ["sources", "results", "elsewhere"] {
      try FileManager.default.createDirectory(
        atPath: folder.path(name), withIntermediateDirectories: false)
    }
    try folder.write("an image", to: "sources/source")
    try folder.write("a key", to: "elsewhere/secret")
    let result = try await Tool.run(
      Places.products.appending(path: "ConfinementProbe").path,
      ["sources", "results", "elsewhere"].map { folder.path($0) })
    #expect(result.status == 0, "\(result.errors)")
    var lines = result.output.split(separator: "\n").map(String.init)
    let head = lines.removeFirst()
    // Permitted operations are listed, too, so that a probe that does nothing fails the test.
    let files = [
      "read a source: open", "write a result: open", "overwrite a source: EACCES",
      "create a file beside sources: EACCES", "read elsewhere: EACCES", "write elsewhere: EACCES",
      "move a result out: EXDEV", "link a result out: EXDEV", "remove a result: EACCES",
    ]
    let calls = [
      "open a socket: EPERM", "open a local socket: EPERM", "start a process: EPERM",
      "become another program: EPERM", "signal the parent: EPERM", "start a thread: open",
    ]
    guard head.wholeMatch(of: /landlock [1-9] seccomp 0/) != nil else {
      print("not tested: this kernel lacks Landlock or seccomp (\(head))")
      return
    }
    // The error of a denied move depends on the version of Landlock.
    let seen = lines.map { $0.replacing("EXDEV", with: "EACCES") }
    #expect(seen == files.map { $0.replacing("EXDEV", with: "EACCES") } + calls)
    #expect(folder.files(below: "elsewhere") == ["secret"])
  }
}
