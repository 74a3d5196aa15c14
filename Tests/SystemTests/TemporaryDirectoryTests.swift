import TesseraSystem
import TesseraTestSupport
import Testing

/// Directories for temporary files, of which each has a lock.
@Suite struct TemporaryDirectoryTests {
  /// One of a process of this machine that is gone is removed; one of a living process, and what others have made, stays.
  @Test(.faults(.s5)) func thoseOfProcessesThatAreGoneAreRemoved() throws {
    let own = try TemporaryDirectory()
    let above = FileSystem.temporaryDirectory
    let id = UInt64.random(in: 1 ... .max)
    let left = FileSystem.join(above, "tessera-work-\(Host.name)-\(id)")
    // Machines may share the folder, and not the locks in it.
    let others = [
      "tessera-\(id)", "tessera-worked-\(id)", "tessera-work-\(Host.name)-2-\(id)",
      "tessera-work-another.example-\(id)",
    ].map { FileSystem.join(above, $0) }
    for path in [left] + others {
      try FileSystem.makeDirectory(FileSystem.join(path, "spool"))
      try File(FileSystem.join(path, "spool/source"), .create).write([1])
    }
    defer {
      for path in others {
        try? Directory(above).removeTree(FileSystem.name(of: path))
      }
    }
    #expect(own.path.hasPrefix(FileSystem.join(above, "tessera-work-\(Host.name)-")))
    TemporaryDirectory.clearLeftBehind()
    #expect(!FileSystem.exists(left))
    #expect(([own.path] + others).allSatisfy(FileSystem.exists))
  }
}
