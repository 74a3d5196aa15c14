import Foundation
import TesseraBytes
import TesseraManifest
import TesseraSystem
import TesseraTestSupport
import Testing

@testable import TesseraOutput

/// An output in a directory: what is in it, and what comes into it.
@Suite struct DirectoryOutputTests {
  private let folder: TemporaryFolder
  private let output: DirectoryOutput

  init() throws {
    folder = try TemporaryFolder()
    output = try DirectoryOutput(folder.path("out"), creates: true)
  }

  @Test func aMissingDirectoryIsMadeOnlyIfThatIsWanted() throws {
    #expect(throws: SystemError.self) { try DirectoryOutput(folder.path("none")) }
    #expect(!FileManager.default.fileExists(atPath: folder.path("none")))
    #expect(output.location == folder.path("out"))
    #expect(!output.isDurable)
    #expect(!output.hasWorkspace)
    _ = try output.workspace()
    #expect(output.hasWorkspace)
    #expect(FileManager.default.fileExists(atPath: folder.path("out/.tessera")))
  }

  @Test func filesAreFoundWithTheirSizes() async throws {
    for (name, text) in [("variants/ab/x", "four4"), ("y", ""), ("z", "12")] {
      try folder.write(text, to: "out/\(name)")
    }
    #expect(try output.sizes(of: ["y", "none", "variants/ab/x"]) == [0, nil, 5])
    #expect(try await output.size(of: "z") == 2)
    #expect(try await output.size(of: "none") == nil)
    #expect(
      try output.stillHas([("z", 2), ("z", 3), ("none", 0), ("y", 0), ("variants/ab/x", 5)])
        == [true, false, false, true, true])
    #expect(try await output.has("z", bytes: 2))
    #expect(try await !output.has("none", bytes: 0))
    #expect(try output.read("variants/ab/x", 3, at: 1) == Array("our".utf8))
    #expect(try output.read("variants/ab/x", 9, at: 4) == Array("4".utf8))
    #expect(try output.read("variants/ab/x", 9, at: 5) == [])
    #expect(try output.digest(of: "variants/ab/x") == SHA256.of("four4"))
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_000)], ofItemAtPath: folder.path("out/z"))
    #expect(try output.changed("z") == 1_000)
    #expect(try output.changed("none") == nil)
  }

  @Test func foldersAreListed() async throws {
    try folder.write("12", to: "out/f/b")
    try folder.write("", to: "out/f/a/x")
    symlink("b", folder.path("out/f/c"))
    mkfifo(folder.path("out/f/d"), 0o600)
    let entries = [
      OutputEntry("a", .folder), OutputEntry("b", .file(bytes: 2)), OutputEntry("c", .other),
      OutputEntry("d", .other),
    ]
    #expect(try output.list("f") == entries)
    #expect(try await output.listIfThere("f") == entries)
    #expect(try await output.listIfThere("none") == [])
    #expect(throws: SystemError.self) { try output.list("none") }
    symlink("f", folder.path("out/link"))
    await #expect(throws: SystemError.link(folder.path("out/link"))) {
      try await output.listIfThere("link")
    }
  }

  @Test(.faults(.p10)) func draftsOfAFolderAreCleared() throws {
    try folder.write("", to: "out/shards/8/3.jsonl.tessera-1.new")
    try folder.write("", to: "out/shards/8/3.jsonl")
    try folder.write("", to: "out/x.tessera-1.new")
    let others = [
      "screens/feed/i.json.tessera-1.new",
      "shards/8/4.run.json.tessera-1.new", ".tessera/catalogs/l.json.tessera-1.new",
      "x.tessera-1.new",
    ]
    for path in others + ["shards/8/3.run.json.tessera-1.new", "other/x.tessera-1.new"] {
      try folder.write("", to: "out/\(path)")
    }
    // Those of a shard that runs beside others, and then all of the output.
    try output.clearDrafts(of: Shard("3/8"))
    try output.clearDrafts(of: Shard("3/9"))
    #expect(
      Set(folder.files(below: "out"))
        == Set(others + ["shards/8/3.jsonl", "other/x.tessera-1.new"]))
    #expect(!FileManager.default.fileExists(atPath: folder.path("out/shards/9")))
    try output.clearDrafts(of: nil)
    #expect(Set(folder.files(below: "out")) == ["shards/8/3.jsonl", "other/x.tessera-1.new"])
    try folder.write("", to: "out/x.tessera-1.new")
    try output.prepare()
    #expect(Set(folder.files(below: "out")) == ["shards/8/3.jsonl", "other/x.tessera-1.new"])
    #expect(FileManager.default.fileExists(atPath: folder.path("out/variants")))
  }

  @Test func documentsAreReplaced() throws {
    let workspace = try output.workspace()
    try workspace.clear()
    for text in ["one", "two"] {
      try workspace.staging("d").open(.create).write(Array(text.utf8))
      try output.write("a/b/c.json", staged: workspace.staging("d"))
      #expect(try folder.text("out/a/b/c.json") == text)
      try output.write("small.json", Array(text.utf8))
      try output.write("e/small.json", Array(text.utf8))
      #expect(try folder.text("out/small.json") == text)
      #expect(try folder.text("out/e/small.json") == text)
    }
    #expect(folder.files(below: "out") == ["a/b/c.json", "e/small.json", "small.json"])
    for name in ["small.json", "a/b/c.json", "none", "none/x"] { try output.delete(name) }
    #expect(folder.files(below: "out") == ["e/small.json"])
    symlink("e", folder.path("out/link"))
    #expect(throws: SystemError.link(folder.path("out/link"))) {
      try output.write("link/x.json", [])
    }
  }

  /// The first file of a name stands, whatever it is; the caller keeps what was not published.
  @Test func publishingReplacesNothing() throws {
    let workspace = try output.workspace()
    try workspace.clear()
    let path = "variants/ab/cd/x.webp"
    func publish(_ text: String) throws -> Bool {
      let file = workspace.staging("1")
      try file.open(.write).write(Array(text.utf8))
      let isPublished = try output.publish(staged: file.path, as: path)
      #expect((file.size == nil) == isPublished)
      return isPublished
    }
    func fileNumber() throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: folder.path("out/\(path)"))[
        .systemFileNumber] as? Int
    }
    #expect(try publish("image"))
    let first = try fileNumber()
    for text in ["image", "other", ""] { #expect(try !publish(text)) }
    #expect(try folder.text("out/\(path)") == "image")
    #expect(try fileNumber() == first)
    try output.delete(path)
    #expect(try publish("other"))
    #expect(try folder.text("out/\(path)") == "other")
  }

  @Test func foldersOfFilesAreOnTwoLevels() async throws {
    #expect(try await output.foldersOfFiles() == [])
    for path in ["variants/ab/cd/x", "variants/ab/12/x", "variants/00/ff/x/y", "variants/z"] {
      try folder.write("", to: "out/\(path)")
    }
    symlink("ab", folder.path("out/variants/link"))
    #expect(
      try await output.foldersOfFiles() == ["variants/00/ff", "variants/ab/12", "variants/ab/cd"])
  }

  /// A file that is added or removed changes the mark of its folder alone.
  @Test func aMarkTellsFoldersApart() async throws {
    let output: any Output = self.output
    let folders = ["variants/ab/cd", "variants/ab/12", "tables/ab", "screens/feed"]
    for path in folders { try folder.write("", to: "out/\(path)/x") }
    for path in folders {
      // Times of files are only so exact.
      try await Task.sleep(for: .milliseconds(30))
      let before = try #require(try await output.mark())
      #expect(try await output.mark()?.changed(since: before) == [])
      try folder.write("", to: "out/\(path)/new")
      let changed = try await output.mark()?.changed(since: before)
      #expect(changed?.intersection(folders + ["variants", "tables"]) == [path])
    }
  }

  // MARK: Drafts

  @Test func draftsHaveNamesThatNoOtherHas() {
    let names = Set((0..<50).map { _ in Draft.name(of: "run.json") })
    #expect(names.count == 50)
    for name in names {
      #expect(name.wholeMatch(of: /run\.json\.tessera-[1-9][0-9]*\.new/) != nil)
      #expect(Draft.document(of: name) == "run.json")
    }
    for (name, document) in [
      ("a.tessera-0.new", "a"), ("a.tessera-9.new", "a"), ("a.tessera-/.new", nil),
      ("a.tessera-:.new", nil), ("a.tessera-9.old", nil), ("a.tessera9.new", nil),
    ] as [(String, String?)] {
      #expect(Draft.document(of: name).map(String.init) == document, "\(name)")
    }
  }

  /// What is made is there under its name at the end, and only then.
  @Test func anOpenDraftIsPublishedOrRemoved() throws {
    let target = folder.path("target")
    do {
      let draft = try OpenDraft(target)
      #expect(!FileManager.default.fileExists(atPath: draft.path))
      try Data("x".utf8).write(to: URL(filePath: draft.path))
      // Another one does not take it for left behind.
      let other = try OpenDraft(target)
      #expect(FileManager.default.fileExists(atPath: draft.path))
      try Data("y".utf8).write(to: URL(filePath: other.path))
      try draft.publish()
    }
    #expect(folder.files(below: "") == ["target"])
    #expect(try folder.text("target") == "x")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path("")).sorted()
        == ["out", "target"])
  }
}
