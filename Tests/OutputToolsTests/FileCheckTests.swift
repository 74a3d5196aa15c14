import Foundation
import TesseraMemoryOutput
import TesseraOutput
import TesseraTestSupport
import Testing

@testable import tessera

/// What `verify` says of one file.
@Suite struct FileCheckTests {
  private let folder: TemporaryFolder
  private let output: DirectoryOutput
  private let file: PublishedFile

  /// An output with one file, a PNG of 120 by 80 pixels, and what a catalog says of it.
  init() throws {
    folder = try TemporaryFolder()
    let bytes = try Places.bytes("grey.png")
    try Data(bytes).write(to: folder.url.appending(path: "copy"))
    output = try DirectoryOutput(folder.path("out"), creates: true)
    try output.prepare()
    file = SmallOutput.Made(of: bytes, width: 120, height: 80).published
    _ = try output.publish(staged: folder.path("copy"), as: file.path)
  }

  private func problem(
    isDeep: Bool = false, _ change: (inout PublishedFile) -> Void = { _ in }
  ) async -> String? {
    var file = file
    change(&file)
    return await FileCheck(file, sha256: file.sha256.map { [$0] } ?? [], in: output, isDeep: isDeep)
      .problem()
  }

  @Test func aFileIsComparedWithTheCatalog() async {
    #expect(await problem() == nil)
    #expect(await problem { $0.width = 121 } == "has 120 x 80 pixels instead of 121 x 80")
    #expect(await problem { $0.height = 79 } == "has 120 x 80 pixels instead of 120 x 79")
    #expect(await problem { $0.type = "image/webp" } == "is a PNG image instead of image/webp")
    #expect(
      await problem { $0.bytes += 1 } == "has \(file.bytes) bytes instead of \(file.bytes + 1)")
    #expect(await problem { $0.path = "variants/copy.png" } == "has a name that no run gives")
    #expect(await problem { $0.path += "x" } == "is missing")
    #expect(
      await problem { $0.path = String($0.path.dropFirst("variants/".count)) }
        == "has a name that no run gives")
  }

  /// A file without a size is missing, unless reading it fails for another reason.
  @Test func aFileThatCannotBeReachedIsNotMissing() async {
    let memory = MemoryOutput()
    #expect(await FileCheck(file, in: memory, isDeep: false).problem() == "is missing")
    memory.setUnreadable(file.path)
    let problem = await FileCheck(file, in: memory, isDeep: false).problem()
    #expect(problem?.hasPrefix("can't be read: ") == true, "\(problem ?? "none")")
  }

  @Test func onlyADeepCheckReadsTheContent() async throws {
    #expect(await problem(isDeep: true) == nil)
    var bytes = try folder.read("out/\(file.path)")
    bytes[bytes.count - 20] ^= 1
    try bytes.write(to: folder.url.appending(path: "out/\(file.path)"))
    #expect(await problem() == nil)
    #expect(await problem(isDeep: true) == "has other content than was published")
    // Nothing else says what it was.
    #expect(await problem(isDeep: true) { $0.sha256 = nil } == nil)
  }
}
