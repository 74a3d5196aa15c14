import TesseraTestSupport
import Testing

@testable import TesseraSystem

@Suite struct FileSystemTests {
  @Test func joinsPaths() {
    #expect(FileSystem.join("a", "b") == "a/b")
    #expect(FileSystem.parent(of: "/a/b") == "/a")
    #expect(FileSystem.name(of: "/a/b") == "b")
  }
}
