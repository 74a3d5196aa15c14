import Foundation
import TesseraBytes
import TesseraTestSupport
import Testing

@testable import TesseraSystem

/// Files in a folder that is reached by its descriptor.
@Suite struct DirectoryFileTests {
  private static func made() throws -> (TemporaryFolder, Directory) {
    let folder = try TemporaryFolder()
    return (folder, try Directory(folder.path("root"), creates: true))
  }

  @Test func opensAndCreatesFolders() throws {
    let (folder, root) = try Self.made()
    #expect(root.path == folder.path("root"))
    #expect(root.path(of: "a/b") == folder.path("root") + "/a/b")
    #expect(root.realPath == FileSystem.realPath(folder.path("root")))
    #expect(throws: SystemError("open", folder.path("none"), code: ENOENT)) {
      try Directory(folder.path("none"))
    }
    let deep = try root.makeDirectory("a/b")
    #expect(deep.path == folder.path("root/a/b"))
    #expect(try root.makeDirectory("a/b").realPath == deep.realPath)
    #expect(try root.directory("a/b").realPath == deep.realPath)
    #expect(try root.directory("a").directory("b").realPath == deep.realPath)
    #expect(try root.makeDirectory("").realPath == root.realPath)
    #expect(throws: SystemError("open", folder.path("root/a/c"), code: ENOENT)) {
      try root.directory("a/c")
    }
    #expect(throws: SystemError("open", folder.path("root/c/d"), code: ENOENT)) {
      try root.directory("c/d")
    }
    try root.open("file", .create).write([1])
    #expect(throws: SystemError("open", folder.path("root/file"), code: ENOTDIR)) {
      try root.makeDirectory("file")
    }
    // Names of dots are names from three dots on.
    #expect(try root.makeDirectory("...").path == folder.path("root/..."))
    #expect(try root.directory("...").path == folder.path("root/..."))
  }

  @Test func aPrivateFolderIsItsOwnersOnly() throws {
    let (folder, root) = try Self.made()
    chmod(folder.path("root"), 0o755)
    try root.makePrivate()
    var status = stat()
    stat(folder.path("root"), &status)
    #expect(status.st_mode & 0o7777 == 0o700)
  }

  @Test func sizesAreThoseOfRegularFiles() throws {
    let (folder, root) = try Self.made()
    let paths = [
      "a", "b/c/d", "b/e", "none", "b/none", "none/x", "b", "b/link", "pipe", "b/c/f", "a", "./a",
    ]
    for (path, count) in [("a", 1), ("b/c/d", 70_000), ("b/e", 0), ("b/c/f", 5)] {
      try folder.write(String(repeating: "x", count: count), to: "root/\(path)")
    }
    symlink("e", folder.path("root/b/link"))
    symlink("b", folder.path("root/linked"))
    mkfifo(folder.path("root/pipe"), 0o600)
    let sizes = try root.sizes(of: paths + ["linked/e"])
    #expect(sizes == [1, 70_000, 0, nil, nil, nil, nil, nil, nil, 5, 1, nil, nil])
    #expect(paths.dropLast().map { root.size(of: $0) } == Array(sizes.dropLast(2)))
    #expect(try root.sizes(of: []) == [])
    #expect(
      paths.filter { root.exists($0) } == [
        "a", "b/c/d", "b/e", "b", "b/link", "pipe", "b/c/f", "a",
      ])
  }

  @Test func theLastChangeIsInSeconds() throws {
    let (folder, root) = try Self.made()
    let path = try folder.write("abc", to: "root/a")
    let times = [timespec(tv_sec: 5, tv_nsec: 0), timespec(tv_sec: 1_000, tv_nsec: 250_000_000)]
    #expect(utimensat(AT_FDCWD, path, times, 0) == 0)
    let found = try #require(root.sizeAndChange(of: "a"))
    #expect(found.size == 3)
    #expect(found.changed == 1_000.25)
    let before = Date().timeIntervalSince1970
    try root.touch("a")
    // The kernel's clock for files may be a tick late.
    #expect(try #require(root.sizeAndChange(of: "a")).changed > before - 1)
    #expect(throws: SystemError("touch", folder.path("root/none"), code: ENOENT)) {
      try root.touch("none")
    }
  }

  /// Also of a file that is longer than one read.
  @Test(arguments: [0, 3, 1 << 20, (1 << 20) + 1, 5 << 19])
  func digestsAreThoseOfTheWholeContent(_ count: Int) throws {
    let (folder, root) = try Self.made()
    defer { withExtendedLifetime(folder) {} }
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    try root.open("a", .create).write(bytes)
    #expect(try root.sha256(of: "a") == SHA256.of(bytes))
  }

  @Test func givesFilesOtherNames() throws {
    let (folder, root) = try Self.made()
    try folder.write("1", to: "root/a")
    try folder.write("2", to: "root/b/c")
    try folder.write("3", to: "spool/x")
    try root.rename("a", to: "b/c")
    #expect(folder.files(below: "root") == ["b/c"])
    try root.link("b/c", as: "d")
    try root.take(folder.path("spool/x"), as: "b/e")
    #expect(folder.files(below: "") == ["root/b/c", "root/b/e", "root/d"])
    #expect(try ["b/c", "d", "b/e"].map { try folder.text("root/\($0)") } == ["1", "1", "3"])
    let place = folder.path("root")
    #expect(throws: SystemError("rename \"\(place)/none\" to", place + "/x", code: ENOENT)) {
      try root.rename("none", to: "x")
    }
    #expect(throws: SystemError("rename \"/none/x\" to", place + "/x", code: ENOENT)) {
      try root.take("/none/x", as: "x")
    }
    #expect(throws: SystemError("link to", place + "/d", code: EEXIST)) {
      try root.link("b/c", as: "d")
    }
    for path in ["d", "d", "none/x"] { try root.remove(path) }
    #expect(folder.files(below: "root") == ["b/c", "b/e"])
    #expect(throws: SystemError("remove", place + "/b", code: EISDIR)) { try root.remove("b") }
  }

  /// The draft is gone, whether the document was replaced or not.
  @Test func replacesADocument() throws {
    let (folder, root) = try Self.made()
    try root.replace("a", with: Array("one".utf8), draft: "draft")
    try folder.write("left", to: "root/draft")
    try root.replace("a", with: Array("two".utf8), draft: "draft")
    #expect(try folder.text("root/a") == "two")
    #expect(folder.files(below: "root") == ["a"])
    _ = try root.makeDirectory("folder/x")
    #expect(throws: SystemError.self) {
      try root.replace("folder", with: Array("three".utf8), draft: "draft")
    }
    #expect(folder.files(below: "root") == ["a"])
  }

  @Test func listsNamesInOrder() throws {
    let (folder, root) = try Self.made()
    for name in ["b", "a", "...", "..x", ".", "é", "c/d"] where name != "." {
      try folder.write("", to: "root/\(name)")
    }
    #expect(try root.list() == ["...", "..x", "a", "b", "c", "é"])
    #expect(try root.directory("c").list() == ["d"])
    // The list is read from the start each time.
    #expect(try root.list().count == 6)
    try root.synchronize()
  }

  @Test func aFolderIsLockedByOne() throws {
    let (_, root) = try Self.made()
    var (isFirst, isSecond) = (false, false)
    do {
      let first = try root.lock()
      let second = try root.lock()
      if case .some = first { isFirst = true }
      if case .some = second { isSecond = true }
    }
    #expect(isFirst && !isSecond)
    // It ends with the value.
    var isAgain = false
    if (try root.lock()) != nil { isAgain = true }
    #expect(isAgain)
  }

  @Test func kindsOfNames() throws {
    let (folder, root) = try Self.made()
    try folder.write("abc", to: "root/a")
    _ = try root.makeDirectory("b")
    symlink("a", folder.path("root/c"))
    mkfifo(folder.path("root/d"), 0o600)
    #expect(
      ["a", "b", "c", "d", "e", "a/x", ""].map { root.kind(of: $0) } == [
        .file(bytes: 3), .folder, .link, .other, nil, nil, nil,
      ])
  }

  /// Names that an interrupted removal left are not in the way of the next one.
  @Test func removesTrees() throws {
    let (folder, root) = try Self.made()
    for path in ["x/a/b/c/f", "x/removed-1/a/f", "x/removed-2", "x/d/e/f", "y/f", "z"] {
      try folder.write("", to: "root/\(path)")
    }
    symlink("../y", folder.path("root/x/a/link"))
    try root.removeTree("x")
    #expect(folder.files(below: "root") == ["y/f", "z"])
    #expect(!root.exists("x"))
    try root.removeTree("z")
    try root.removeTree("z")
    #expect(try root.list() == ["y"])
    try root.clear()
    #expect(try root.list() == [])
  }
}
