import Foundation
import TesseraTestSupport
import Testing

@testable import TesseraSystem

/// Bytes in memory that other processes write, and files as memory.
@Suite struct MemoryTests {
  @Test func aSealedFileInMemoryNeverChanges() throws {
    let memory = try SharedMemory()
    let text = Array("hello".utf8)
    try memory.write(text.span.bytes)
    try memory.write(text.span.bytes)
    #expect(try memory.seal() == 10)
    #expect(throws: SystemError("write to", "a file in memory", code: EPERM)) {
      try memory.write(text.span.bytes)
    }
    #expect(try memory.read(4, at: 3) == Array("lohe".utf8))
    #expect(try memory.read(9, at: 8) == Array("lo".utf8))
    #expect(ftruncate(memory.descriptor, 0) == -1)
  }

  /// What is there for the other process comes before what that process writes.
  @Test func whatAnotherProcessWritesFollowsWhatItReads() throws {
    let memory = try SharedMemory(Array("question".utf8))
    try memory.write(Array("answer".utf8).span.bytes)
    #expect(try memory.seal() == 6)
    #expect(try memory.read(9, at: 2) == Array("swer".utf8))
    let mapped = try MappedFile(descriptor: memory.descriptor)
    #expect(Array(mapped.bytes) == Array("questionanswer".utf8))
  }

  /// Who can still write has it mapped, and could change it after the check.
  @Test func aFileThatIsMappedForWritingIsNotSealed() throws {
    let memory = try SharedMemory()
    try memory.write([UInt8](repeating: 1, count: 4096).span.bytes)
    let place = mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, memory.descriptor, 0)
    #expect(throws: SystemError("seal", "a file in memory", code: EBUSY)) { try memory.seal() }
    munmap(place, 4096)
    #expect(try memory.seal() == 4096)
  }

  @Test(arguments: ["", "hello"])
  func aMappedFileHasItsBytes(_ text: String) throws {
    let folder = try TemporaryFolder()
    let file = try File(try folder.write(text, to: "a"), .read)
    let mapped = try MappedFile(descriptor: file.descriptor)
    let bytes = Array(mapped.bytes)
    #expect(bytes == Array(text.utf8))
  }

  @Test func whatIsNoFileIsNotMapped() {
    #expect(throws: SystemError("examine", "a file", code: EBADF)) {
      _ = try MappedFile(descriptor: -1)
    }
    let null = open("/dev", O_RDONLY)
    defer { close(null) }
    #expect(throws: SystemError("read", "a file", code: ENODEV)) {
      _ = try MappedFile(descriptor: null)
    }
  }
}
