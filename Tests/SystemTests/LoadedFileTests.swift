import Foundation
import TesseraCProcess
import TesseraSystem
import Testing

@Suite struct LoadedFileTests {
  @Test func aFunctionIsInTheFolderOfItsLibrary() throws {
    let name = try #require(dlsym(nil, "getpid"))
    let folder = try #require(LoadedFile.folder(of: name))
    #expect(FileManager.default.fileExists(atPath: folder + "/libc.so.6"), "\(folder)")
  }

  @Test func memoryThatNoFileWasLoadedToHasNoFolder() {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
    defer { memory.deallocate() }
    #expect(LoadedFile.folder(of: memory) == nil)
  }
}
