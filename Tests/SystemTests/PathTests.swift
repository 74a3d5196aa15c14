import Foundation
import TesseraTestSupport
import Testing

@testable import TesseraSystem

/// Paths, and what is at them.
@Suite struct PathTests {
  @Test(arguments: [
    ("a", "b", "a/b"), ("a/", "b", "a/b"), ("/", "b", "/b"), ("", "b", "b"), (".", "b", "b"),
    ("..", "b", "../b"), ("a", "/b", "/b"), ("a", "", "a/"),
  ])
  func joins(_ base: String, _ path: String, _ joined: String) {
    #expect(FileSystem.join(base, path) == joined)
  }

  @Test(arguments: [
    ("/a/b", "/a", "b"), ("/a", "/", "a"), ("a", ".", "a"), ("a/b/c", "a/b", "c"), ("/", "/", ""),
    ("a/", "a", ""), ("", ".", ""), ("a/é\u{301}", "a", "é\u{301}"),
  ])
  func splits(_ path: String, _ parent: String, _ name: String) {
    #expect(FileSystem.parent(of: path) == parent)
    #expect(FileSystem.name(of: path) == name)
  }

  /// What is at a path: exists, link, directory, pipe, and the size of a file.
  @Test(
    arguments: [
      ("file", [true, false, false, false], 3), ("folder", [true, false, true, false], nil),
      ("pipe", [true, false, false, true], nil), ("to-file", [true, true, false, false], nil),
      ("to-folder", [true, true, true, false], nil), ("to-pipe", [true, true, false, true], nil),
      ("to-none", [true, true, false, false], nil), ("none", [false, false, false, false], nil),
    ] as [(String, [Bool], Int?)])
  func kinds(_ name: String, _ expected: [Bool], _ size: Int?) throws {
    let folder = try TemporaryFolder()
    try folder.write("abc", to: "file")
    mkdir(folder.path("folder"), 0o700)
    mkfifo(folder.path("pipe"), 0o600)
    for target in ["file", "folder", "pipe", "none"] {
      symlink(target, folder.path("to-\(target)"))
    }
    let path = folder.path(name)
    let found = [
      FileSystem.exists(path), FileSystem.isLink(path), FileSystem.isDirectory(path),
      FileSystem.isPipe(path),
    ]
    #expect(found == expected)
    #expect(FileSystem.size(ofFile: path) == size)
    let real = try #require(FileSystem.realPath(folder.path("")))
    let target = name.replacing("to-", with: "")
    #expect(FileSystem.realPath(path) == (target == "none" ? nil : "\(real)/\(target)"))
  }

  @Test func makesDirectoriesAndTheirParents() throws {
    let folder = try TemporaryFolder()
    for path in ["a/b/c", "a/b/c", "a", ""] {
      try FileSystem.makeDirectory(folder.path(path))
      #expect(FileSystem.isDirectory(folder.path(path)))
    }
    symlink("a", folder.path("link"))
    try FileSystem.makeDirectory(folder.path("link"))
    try FileSystem.makeDirectory(folder.path("link/d"))
    #expect(FileSystem.isDirectory(folder.path("a/d")))
    try folder.write("", to: "file")
    for (path, code) in [("file", EEXIST), ("file/x", ENOTDIR)] {
      #expect(throws: SystemError("make the directory", folder.path(path), code: code)) {
        try FileSystem.makeDirectory(folder.path(path))
      }
    }
    try FileSystem.removeDirectory(folder.path("a/d"))
    #expect(!FileSystem.exists(folder.path("a/d")))
    #expect(throws: SystemError("remove", folder.path("a"), code: ENOTEMPTY)) {
      try FileSystem.removeDirectory(folder.path("a"))
    }
  }

  @Test func aTemporaryDirectoryIsPrivateAndRemoved() throws {
    let base = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/var/tmp"
    #expect(FileSystem.temporaryDirectory == base)
    var path = ""
    do {
      let (one, two) = (try TemporaryDirectory(), try TemporaryDirectory())
      path = one.path
      #expect(path != two.path)
      #expect(path.hasPrefix(FileSystem.join(base, "tessera-")))
      var status = stat()
      #expect(stat(path, &status) == 0)
      #expect(status.st_mode & 0o7777 == 0o700)
      try FileSystem.makeDirectory(path + "/a/b")
      try File(path + "/a/b/file", .create).write([1])
    }
    #expect(!FileSystem.exists(path))
  }

  @Test func readsSmallFilesOnly() throws {
    let folder = try TemporaryFolder()
    let text = String(repeating: "a", count: 100_000)
    let path = try folder.write(text, to: "a")
    expectLeast(100_000) { limit in
      (try? FileSystem.read(path, limit: limit)) == Array(text.utf8)
    }
    #expect(throws: SystemError("read", path, code: EFBIG)) {
      try FileSystem.read(path, limit: 99_999)
    }
    #expect(try FileSystem.read(try folder.write("", to: "b"), limit: 0) == [])
    #expect(throws: SystemError("open", folder.path("none"), code: ENOENT)) {
      try FileSystem.read(folder.path("none"), limit: 9)
    }
  }

  @Test func renamesAndRemoves() throws {
    let folder = try TemporaryFolder()
    let (a, b, none) = (
      try folder.write("1", to: "a"), try folder.write("2", to: "b"), folder.path("n")
    )
    try FileSystem.rename(a, to: b)
    #expect(folder.files(below: "") == ["b"])
    #expect(try folder.text("b") == "1")
    #expect(throws: SystemError("rename \"\(a)\" to", none, code: ENOENT)) {
      try FileSystem.rename(a, to: none)
    }
    for _ in 0..<2 { try FileSystem.remove(b) }
    #expect(folder.files(below: "") == [])
    #expect(throws: SystemError.self) { try FileSystem.remove(folder.path("")) }
  }

  @Test func knowsWhatIsLeftOfTheFileSystem() throws {
    let folder = try TemporaryFolder()
    var status = statvfs()
    #expect(statvfs(folder.path(""), &status) == 0)
    let room = try FileSystem.room(at: folder.path(""))
    #expect(room.bytes == Int(status.f_blocks) * Int(status.f_frsize))
    // Others write to the same file system meanwhile.
    let free = Int(status.f_bavail) * Int(status.f_frsize)
    #expect(abs(room.freeBytes - free) < 1 << 30)
    #expect((room.freeInodes == nil) == (status.f_files == 0))
    #expect(abs((room.freeInodes ?? 0) - Int(status.f_favail)) < 100_000)
    #expect(throws: SystemError("examine", folder.path("none"), code: ENOENT)) {
      try FileSystem.room(at: folder.path("none"))
    }
    try FileSystem.expectWritable(folder.path(""))
    #expect(throws: SystemError("write to", folder.path("none"), code: ENOENT)) {
      try FileSystem.expectWritable(folder.path("none"))
    }
    // Permissions do not bind root.
    guard getuid() != 0 else { return }
    for mode: mode_t in [0o500, 0o600] {
      chmod(folder.path(""), mode)
      #expect(throws: SystemError("write to", folder.path(""), code: EACCES)) {
        try FileSystem.expectWritable(folder.path(""))
      }
    }
    chmod(folder.path(""), 0o700)
  }
}
