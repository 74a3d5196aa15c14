import Foundation
import TesseraTestSupport
import Testing

/// What a compromised worker could still do.
@Suite struct ConfinementTests {
  @Test func aWorkerCanUseItsDescriptorsOnly() async throws {
    let folder = try TemporaryFolder()
    for name in ["libraries", "elsewhere"] {
      try FileManager.default.createDirectory(
        atPath: folder.path(name), withIntermediateDirectories: false)
    }
    try folder.write("a font", to: "libraries/readable")
    try folder.write("an image", to: "source")
    try folder.write("a file", to: "result")
    try folder.write("a key", to: "elsewhere/secret")
    let result = try await Tool.run(
      Places.products.appending(path: "ConfinementProbe").path,
      ["libraries", "source", "result", "elsewhere"].map { folder.path($0) })
    #expect(result.status == 0, "\(result.errors)")
    var lines = result.output.split(separator: "\n").map(String.init)
    let head = lines.removeFirst()
    guard head.wholeMatch(of: /landlock [1-9] seccomp 0 privileges 0/) != nil else {
      print("not tested: this kernel lacks Landlock or seccomp (\(head))")
      return
    }
    // Permitted operations are listed, too, so that a probe that does nothing fails the test.
    let server = [
      "fork server: start a process: open", "fork server: wait for it: open", "worker: 0",
    ]
    let files = [
      "read an open source: open", "write an open result: open", "read a library's file: open",
      "write there: EPERM", "create a file there: EPERM", "truncate a file there: EPERM",
      "read elsewhere: EACCES", "write elsewhere: EPERM", "move the result: EPERM",
      "link the result: EPERM",
      "remove the result: EPERM", "change permissions: EPERM",
    ]
    let calls = [
      "open a socket: EPERM", "open a local socket: EPERM", "make a socket pair: EPERM",
      "start a process: EPERM", "become another program: EPERM", "signal the parent: EPERM",
      "signal the parent's thread: EPERM", "have a descriptor signal the parent: EPERM",
      "have it signal a group: EPERM", "choose its signal: EPERM", "outlive the parent: EPERM",
      "limit the parent: EPERM", "trace: EPERM",
      "make a user namespace: EPERM", "use io_uring: EPERM",
      "load a program into the kernel: EPERM", "make a call that is not listed: EPERM",
      "start a thread: open", "become another user: EPERM",
    ]
    let limits = [
      "memory: 1073741824", "file: 1073741824", "tasks: 8192", "core: 0", "raise the limit: EPERM",
    ]
    #expect(lines == server + files + calls + limits)
    #expect(folder.files(below: "elsewhere") == ["secret"])
  }
}
