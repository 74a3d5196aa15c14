import Foundation
import TesseraTestSupport
import Testing

@testable import TesseraSystem

/// Open files.
@Suite struct FileTests {
  private static func expectError(
    _ code: Int32, _ operation: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws(SystemError) -> Void
  ) {
    do throws(SystemError) {
      try body()
      Issue.record("no error", sourceLocation: sourceLocation)
    } catch {
      #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
      #expect(error.operation == operation, sourceLocation: sourceLocation)
    }
  }

  /// A mode, and whether it creates a missing file, keeps the content of an existing one, may read
  /// and may write.
  @Test(arguments: [
    (File.Mode.read, false, true, true, false), (.readWithoutWaiting, false, true, true, false),
    (.lock, true, true, true, true), (.write, true, false, false, true),
    (.append, false, true, false, true),
  ])
  func modes(_ mode: File.Mode, _ creates: Bool, _ keeps: Bool, _ reads: Bool, _ writes: Bool)
    throws
  {
    let folder = try TemporaryFolder()
    let (old, new) = (try folder.write("old", to: "old"), folder.path("new"))
    if creates {
      _ = try File(new, mode)
    } else {
      Self.expectError(ENOENT, "open") { () throws(SystemError) in _ = try File(new, mode) }
    }
    #expect(FileManager.default.fileExists(atPath: new) == creates)
    let file = try File(old, mode)
    #expect(file.path == old)
    #expect(try folder.text("old") == (keeps ? "old" : ""))
    var bytes: [UInt8] = []
    #expect(((try? file.read(9, into: &bytes)) != nil) == reads)
    #expect(bytes == (reads ? Array("old".utf8) : []))
    #expect(((try? file.write(Array("!".utf8))) != nil) == writes)
    #expect(try folder.text("old") == (writes ? (keeps ? "old!" : "!") : "old"))
  }

  @Test func anExistingFileIsNotCreated() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("mine", to: "a")
    Self.expectError(EEXIST, "open") { () throws(SystemError) in _ = try File(path, .create) }
    try File(folder.path("b"), .create).write([1])
    #expect(try folder.read("b") == Data([1]))
    // Nor does a link lead a lock file elsewhere.
    symlink(path, folder.path("link"))
    Self.expectError(ELOOP, "open") { () throws(SystemError) in
      _ = try File(folder.path("link"), .lock)
    }
    try File(folder.path("link"), .write).write([2])
    #expect(try folder.text("a") == "mine")
  }

  @Test func readsAndWritesFromAnyOffset() throws {
    let folder = try TemporaryFolder()
    let file = try File(try folder.write("0123456789", to: "a"), .lock)
    #expect(try file.read(4, at: 3) == Array("3456".utf8))
    #expect(try file.read(4, at: 8) == Array("89".utf8))
    #expect(try file.read(4, at: 10) == [])
    try file.write(Array("abc".utf8), at: 9)
    try file.write([], at: 20)
    #expect(try folder.text("a") == "012345678abc")
    var bytes = Array("x".utf8)
    #expect(try file.read(5, into: &bytes) == 5)
    #expect(try file.read(99, into: &bytes) == 7)
    #expect(try file.read(99, into: &bytes) == 0)
    #expect(bytes == Array("x012345678abc".utf8))
    try file.rewind()
    try file.write(Array("AB".utf8).span.bytes)
    #expect(try folder.text("a") == "AB2345678abc")
    try file.truncate()
    #expect(try file.size() == 0)
    try file.write(Array("new".utf8))
    try file.synchronize()
    try file.synchronizeFileSystem()
    #expect(try folder.text("a") == "new")
  }

  @Test func aCallThatFailsNamesTheFile() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("abc", to: "a")
    let reader = try File(path, .read)
    let writer = try File(path, .append)
    let closed = File(path: "closed", descriptor: -1)
    var bytes = [UInt8](repeating: 7, count: 2)
    Self.expectError(EBADF, "write to") { () throws(SystemError) in try reader.write([1]) }
    Self.expectError(EBADF, "write to") { () throws(SystemError) in try reader.write([1], at: 0) }
    Self.expectError(EBADF, "write to") { () throws(SystemError) in
      try reader.write([UInt8(1)].span.bytes)
    }
    Self.expectError(EBADF, "read") { () throws(SystemError) in _ = try writer.read(1, at: 0) }
    Self.expectError(EBADF, "read") { () throws(SystemError) in
      _ = try writer.read(1, into: &bytes)
    }
    #expect(bytes == [7, 7])
    Self.expectError(EBADF, "read") { () throws(SystemError) in try closed.rewind() }
    Self.expectError(EINVAL, "empty") { () throws(SystemError) in try reader.truncate() }
    Self.expectError(EBADF, "flush") { () throws(SystemError) in try closed.synchronize() }
    Self.expectError(EBADF, "examine") { () throws(SystemError) in _ = try closed.size() }
    Self.expectError(EBADF, "look at") { () throws(SystemError) in _ = try closed.stamp() }
    Self.expectError(EBADF, "lock") { () throws(SystemError) in _ = try closed.lock() }
    let isRegular = closed.isRegular
    #expect(!isRegular)
    #expect(closed.realPath == nil)
  }

  @Test(.faults(.f21)) func aVersionChangesWithTheContent() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("abc", to: "a")
    let file = try File(path, .lock)
    var status = stat()
    stat(path, &status)
    let (seconds, rest) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    #expect(try file.version() == File.Version(size: 3, changed: [seconds, rest]))
    let stamp = try file.stamp()
    #expect(stamp.size == 3)
    let inode = status.st_ctim
    #expect(
      stamp.text
        == "\(status.st_ino)-3-\(seconds).\(rest)-\(inode.tv_sec).\(inode.tv_nsec)")
    // Changed in place, with its old size and time.
    try File(path, .lock).write(Array("xyz".utf8))
    var times = [status.st_atim, status.st_mtim]
    utimensat(AT_FDCWD, path, &times, 0)
    #expect(try File(path, .read).stamp().text != stamp.text)
    let isRegular = file.isRegular
    #expect(isRegular)
    #expect(file.realPath == FileSystem.realPath(path))
    // Its permissions are those of another file, if there is one.
    chmod(try folder.write("", to: "b"), 0o640)
    try file.takePermissions(of: folder.path("b"))
    try file.takePermissions(of: folder.path("none"))
    stat(path, &status)
    #expect(status.st_mode & 0o7777 == 0o640)
  }

  @Test func aLockHasOneHolderOrManyThatShareIt() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("", to: "a")
    let one = try File(path, .lock)
    let two = try File(path, .lock)
    #expect(try one.lock(isShared: true))
    #expect(try two.lock(isShared: true))
    #expect(try !two.lock())
    #expect(try one.lock(isShared: true))
    do {
      let three = try File(path, .lock)
      #expect(try !three.lock())
      #expect(try three.lock(isShared: true))
    }
  }

  @Test func aTemporaryFileHasNoName() throws {
    let folder = try TemporaryFolder()
    let file = try File.temporary(in: folder.path(""))
    try file.write(Array("abc".utf8))
    #expect(try file.read(3, at: 0) == Array("abc".utf8))
    #expect(folder.files(below: "") == [])
    #expect(fcntl(file.descriptor, F_GETFD) == FD_CLOEXEC)
    Self.expectError(ENOENT, "make a temporary file in") { () throws(SystemError) in
      _ = try File.temporary(in: folder.path("none"))
    }
  }

  /// The end of a file's scope closes it: the other end of a pipe then is at its end.
  @Test func aFileIsClosedAtItsEnd() throws {
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    let reader = File(path: "pipe", descriptor: ends[0])
    do {
      let writer = File(path: "pipe", descriptor: ends[1])
      #expect(try !reader.waitUntilReadable(milliseconds: 0))
      try writer.write([1])
      #expect(try reader.waitUntilReadable(milliseconds: 10_000))
      let isRegular = reader.isRegular
      #expect(!isRegular)
    }
    var bytes: [UInt8] = []
    #expect(try reader.read(9, into: &bytes) == 1)
    #expect(try reader.read(9, into: &bytes) == 0)
    #expect(bytes == [1])
  }
}
