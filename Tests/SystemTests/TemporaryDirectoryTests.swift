import TesseraSystem
import TesseraTestSupport
import Testing

/// Directories for temporary files, of which each has a lock.
@Suite struct TemporaryDirectoryTests {
  /// One of a process that is gone is removed; one of a living process, and what others have made, stays.
  @Test func thoseOfProcessesThatAreGoneAreRemoved() throws {
    let own = try TemporaryDirectory()
    let above = FileSystem.temporaryDirectory
    let id = UInt64.random(in: 1 ... .max)
    let left = FileSystem.join(above, "tessera-work-\(id)")
    let others = [
      FileSystem.join(above, "tessera-\(id)"), FileSystem.join(above, "tessera-worked-\(id)"),
    ]
    for path in [left] + others {
      try FileSystem.makeDirectory(FileSystem.join(path, "spool"))
      try File(FileSystem.join(path, "spool/source"), .create).write([1])
    }
    defer {
      for path in others {
        try? Directory(above).removeTree(FileSystem.name(of: path))
      }
    }
    #expect(own.path.hasPrefix(FileSystem.join(above, "tessera-work-")))
    TemporaryDirectory.clearLeftBehind()
    #expect(!FileSystem.exists(left))
    #expect(([own.path] + others).allSatisfy(FileSystem.exists))
  }
}
