import Foundation
import TesseraSystem
import TesseraTestSupport
import Testing

/// Folders that are reached by descriptors: no link in them is followed.
@Suite struct DirectoryTests {
  /// A folder `root` with a file in a folder, and links that lead out of it.
  private static func made() throws -> (TemporaryFolder, Directory) {
    let folder = try TemporaryFolder()
    let root = try Directory(folder.path("root"), creates: true)
    _ = try root.makeDirectory("inside/deep")
    try root.open("inside/file", .create).write(Array("mine".utf8))
    try FileManager.default.createDirectory(
      atPath: folder.path("victim"), withIntermediateDirectories: true)
    try folder.write("precious", to: "victim/file")
    for (link, target) in [
      ("root/linked", "../victim"), ("root/inside/linked", "../../victim"),
      ("root/name", "../victim/file"), ("root/nowhere", "missing"),
    ] {
      symlink(target, folder.path(link))
    }
    return (folder, root)
  }

  /// A path, and the part of it that is a link; nil for none.
  @Test(
    .faults(.f8),
    arguments: [
      ("linked/file", "linked"), ("inside/linked/file", "inside/linked"), ("name", "name"),
      ("nowhere", "nowhere"), ("name/file", "name"),
    ])
  func noOperationFollowsALink(_ path: String, _ link: String) throws {
    let (folder, root) = try Self.made()
    let expected = SystemError.link(folder.path("root/\(link)"))
    func expectLink(_ body: () throws(SystemError) -> Void) {
      do throws(SystemError) {
        try body()
        Issue.record("it was followed")
      } catch {
        #expect(error == expected)
      }
    }
    expectLink { () throws(SystemError) in _ = try root.open(path, .read) }
    expectLink { () throws(SystemError) in _ = try root.open(path, .append) }
    expectLink { () throws(SystemError) in _ = try root.directory(path) }
    expectLink { () throws(SystemError) in _ = try root.makeDirectory(path) }
    expectLink { () throws(SystemError) in _ = try root.sha256(of: path) }
    #expect(root.size(of: path) == nil)
    #expect("\(expected)".hasPrefix("\"\(folder.path("root/\(link)"))\" is a symbolic link, and"))
    if path.hasSuffix("/file") {
      expectLink { () throws(SystemError) in _ = try root.open(path, .write) }
      expectLink { () throws(SystemError) in try root.remove(path) }
      expectLink { () throws(SystemError) in try root.rename(path, to: "taken") }
      expectLink { () throws(SystemError) in try root.rename("inside/file", to: path) }
      expectLink { () throws(SystemError) in try root.link("inside/file", as: path) }
      expectLink { () throws(SystemError) in try root.touch(path) }
    }
    #expect(try folder.text("victim/file") == "precious")
    #expect(folder.files(below: "victim") == ["file"])
    #expect(try folder.text("root/inside/file") == "mine")
  }

  @Test(arguments: ["", ".", "..", "../victim", "inside/../../victim", "/etc", "inside//deep"])
  func pathsThatAreNotPlainAreRejected(_ path: String) throws {
    let (folder, root) = try Self.made()
    for file in [path, path + "/file"] {
      #expect(throws: SystemError.self) { _ = try root.open(file, .read) }
      #expect(throws: SystemError.self) { try root.remove(file) }
    }
    #expect(throws: SystemError.self) { _ = try root.directory(path) }
    #expect(try folder.text("victim/file") == "precious")
  }

  /// The user may choose a link for the folder itself. It is resolved once.
  @Test func theFolderItselfMayBeALink() throws {
    let (folder, _) = try Self.made()
    symlink("root", folder.path("chosen"))
    let chosen = try Directory(folder.path("chosen"))
    unlink(folder.path("chosen"))
    symlink("victim", folder.path("chosen"))
    try chosen.open("new", .create).write(Array("x".utf8))
    #expect(folder.files(below: "victim") == ["file"])
    #expect(chosen.realPath == folder.path("root"))
  }

  /// A file that is written anew keeps its other names as they are (F8).
  @Test func writingLeavesHardLinksAlone() throws {
    let (folder, root) = try Self.made()
    link(folder.path("victim/file"), folder.path("root/linked-file"))
    try root.open("linked-file", .write).write(Array("new".utf8))
    #expect(try folder.text("root/linked-file") == "new")
    #expect(try folder.text("victim/file") == "precious")
    try root.replace("linked-file", with: Array("newer".utf8), draft: "inside-file")
    #expect(try folder.text("root/linked-file") == "newer")
  }

  /// Pipes and folders are not read: a pipe would block its reader.
  @Test func onlyRegularFilesAreRead() throws {
    let (folder, root) = try Self.made()
    mkfifo(folder.path("root/pipe"), 0o600)
    for name in ["pipe", "inside"] {
      #expect(throws: SystemError.notAFile(folder.path("root/\(name)"))) {
        _ = try root.open(name, .read)
      }
    }
    #expect(root.kind(of: "pipe") == .other)
    #expect(root.kind(of: "linked") == .link)
    #expect(root.kind(of: "inside") == .folder)
    #expect(root.kind(of: "inside/file") == .file(bytes: 4))
  }

  /// What is removed may be of any kind, of any depth, and may have any name. Links are removed
  /// themselves (F18).
  @Test(.faults(.f18)) func everyKindOfLeftoverIsRemoved() throws {
    let (folder, root) = try Self.made()
    mkfifo(folder.path("root/inside/pipe"), 0o600)
    mkdir(folder.path("root/locked"), 0o700)
    mkdir(folder.path("root/locked/inner"), 0)
    chmod(folder.path("root/locked"), 0)
    // Not UTF-8.
    mkdir(folder.path("root/inside/x"), 0o700)
    let odd: [CChar] = Array((folder.path("root/inside/x/odd")).utf8CString.dropLast()) + [-1, 0]
    let isMade = mkdir(odd, 0o700) == 0
    #expect(isMade)
    // Deeper than a path may be long (PATH_MAX).
    var place = try root.makeDirectory("tower")
    for _ in 0..<1_500 { place = try place.makeDirectory("floor") }
    try place.open("top", .create).write([1])
    try root.removeTree("tower")
    #expect(!root.exists("tower"))
    try root.clear()
    #expect(try root.list().isEmpty)
    #expect(try folder.text("victim/file") == "precious")
    try root.removeTree("never there")
  }
}
