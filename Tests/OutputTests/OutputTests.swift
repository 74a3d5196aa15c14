import Foundation
import TesseraBytes
import TesseraNet
import TesseraOutput
import TesseraSystem
import TesseraTestSupport
import Testing

@Suite struct OutputTests {
  /// An output and its workspace, as a run prepares them.
  private static func prepared(
    _ folder: TemporaryFolder, as path: String = "out"
  ) throws -> (DirectoryOutput, Workspace) {
    let output = try DirectoryOutput(folder.path(path), creates: true)
    let workspace = try output.workspace()
    try workspace.clear()
    try output.prepare()
    return (output, workspace)
  }

  @Test func publishesByRenamingAndReportsWhatIsThere() async throws {
    let folder = try TemporaryFolder()
    let (output, workspace) = try Self.prepared(folder)
    try workspace.staging("1.webp").open(.create).write(Array("image!!".utf8))
    #expect(
      try output.publish(staged: workspace.staging("1.webp").path, as: "variants/ab/abc.webp"))
    #expect(try await output.has("variants/ab/abc.webp", bytes: 7))
    #expect(try await !output.has("variants/ab/abc.webp", bytes: 8))
    #expect(try await !output.has("variants/ab/other.webp", bytes: 7))
    try workspace.staging("c").open(.create).write(Array("catalog".utf8))
    try output.write("catalog.json", staged: workspace.staging("c"))
    #expect(try folder.text("out/catalog.json") == "catalog")
  }

  /// The path of a table has the digest of its bytes: one of the right length is not enough, because it may be damaged.
  @Test func publishingReplacesADamagedTable() async throws {
    let folder = try TemporaryFolder()
    let (output, workspace) = try Self.prepared(folder)
    let (path, digest) = ("tables/ab/abc.bgra8", SHA256.of("table!!"))
    for present in [nil, "table!!", "damaged", "tab"] {
      if let present { try folder.write(present, to: "out/\(path)") }
      let staged = workspace.staging("1")
      try staged.open(.create).write(Array("table!!".utf8))
      try await output.publish(staged, as: path, digest: digest)
      #expect(try folder.text("out/\(path)") == "table!!")
      #expect(staged.size == nil)
    }
  }

  /// The state of an output in a store says which files are there, so it is never another's.
  @Test func aStateInADirectoryBelongsToOneOutput() async throws {
    let folder = try TemporaryFolder()
    // Nothing listens there.
    var store = StoreSettings(endpoint: "http://127.0.0.1:1")
    store.attempts = 1
    func failure(_ output: String) async -> (any Error)? {
      do {
        _ = try await OpenOutput(output, state: folder.path("state"), store).hold()
        return nil
      } catch {
        return error
      }
    }
    for output in ["s3://feed/a/", "s3://feed/a"] {
      let error = try #require(await failure(output))
      #expect("\(error)".contains("be reached"))
    }
    let other = await failure("s3://feed/b")
    #expect(other.map { "\($0)".contains("is that of the output \"s3://feed/a") } == true)
    #expect(try OpenOutput(folder.path("out"), state: nil, store).output is DirectoryOutput)
  }

  /// The first of two that write a document at the same time wins, and nothing else is left.
  @Test func aDocumentIsCreatedOnce() throws {
    let folder = try TemporaryFolder()
    let (output, workspace) = try Self.prepared(folder)
    for (text, isFirst) in [("one", true), ("two", false)] {
      try workspace.staging("d").open(.create).write(Array(text.utf8))
      #expect(try output.create("shards/8/3.jsonl", staged: workspace.staging("d")) == isFirst)
      #expect(workspace.staging("d").size == nil)
    }
    #expect(try folder.text("out/shards/8/3.jsonl") == "one")
    #expect(folder.files(below: "out/shards") == ["8/3.jsonl"])
    // Another error than that of a document which exists is one, and leaves no draft either.
    let long = String(repeating: "n", count: 256)
    try workspace.staging("d").open(.create).write(Array("two".utf8))
    #expect(throws: SystemError.self) {
      try output.create("shards/8/\(long)", staged: workspace.staging("d"))
    }
    #expect(folder.files(below: "out/shards") == ["8/3.jsonl"])
    try workspace.staging("d").remove()
    try output.delete("shards/8/3.jsonl")
    try workspace.staging("d").open(.create).write(Array("three".utf8))
    #expect(try output.create("shards/8/3.jsonl", staged: workspace.staging("d")))
  }

  /// What a killed run has left beside the catalog is removed before the next one begins.
  @Test func preparingRemovesUnfinishedDocuments() throws {
    let folder = try TemporaryFolder()
    let (output, _) = try Self.prepared(folder)
    for name in ["catalog.json", "catalog.json.tessera-1.new", "mine.new"] {
      try folder.write("x", to: "out/\(name)")
    }
    try output.prepare()
    #expect(folder.files(below: "out") == ["catalog.json", "mine.new"])
  }

  /// Nothing is published through a link, and no state is kept behind one.
  @Test func linksOutOfTheOutputAreRejected() throws {
    let folder = try TemporaryFolder()
    let (output, workspace) = try Self.prepared(folder)
    let state = try workspace.statePath()
    for name in [state, state + "-wal", state + "-shm"] {
      symlink(folder.path("elsewhere"), name)
      #expect(throws: SystemError.link(name)) { try workspace.statePath() }
      unlink(name)
    }
    #expect(try workspace.statePath() == state)
    symlink(folder.path("elsewhere"), folder.path("out/variants/ab"))
    #expect(throws: SystemError.link(folder.path("out/variants/ab"))) { try output.prepare() }
    // A folder further down is looked at when a file comes into it.
    try folder.write("", to: "out/variants/cd/x")
    symlink(folder.path("elsewhere"), folder.path("out/variants/cd/ef"))
    try workspace.staging("1").open(.create).write([1])
    #expect(throws: SystemError.link(folder.path("out/variants/cd/ef"))) {
      try output.publish(staged: workspace.staging("1").path, as: "variants/cd/ef/x.webp")
    }
  }

  /// Only paths that Tessera makes count as its files; prune deletes no other.
  @Test(
    arguments: [
      ("variants/0a/23/SOURCE-64x48-RECIPE.webp", true),
      ("variants/0a/23/SOURCE-1x1-RECIPE.jxl", true),
      ("variants/0a/23/SOURCE-64x48-89abcdef-RECIPE.webp", true),
      ("variants/0b/23/SOURCE-64x48-RECIPE.webp", false),
      ("variants/0a/24/SOURCE-64x48-RECIPE.webp", false),
      ("variants/0a/23/0SOURCE-64x48-RECIPE.webp", false),
      ("variants/0a/23/SOURCE0-64x48-RECIPE.webp", false),
      ("variants/0a/23/0a23-64x48-RECIPE.webp", false), ("variants/0a/23/SOURCE.webp", false),
      ("variants/0a/23/SOURCE-64x48.webp", false), ("variants/0a/23/SOURCE-64x48-RECIPE", false),
      ("variants/0a/23/SOURCE-64X48-RECIPE.webp", false),
      ("variants/0a/23/SOURCE-64x48-89abcde-RECIPE.webp", false),
      ("variants/0a/23/SOURCE-64x48-89abcdef-0-RECIPE.webp", false),
      ("variants/0A/23/0A23456789abcdef0123456789abcdef-64x48-RECIPE.webp", false),
      ("variants/SOURCE-64x48-RECIPE.webp", false),
      ("variants/0a/SOURCE-64x48-RECIPE.webp", false),
      ("variants/0a/23/x/SOURCE-64x48-RECIPE.webp", false),
      ("images/0a/23/SOURCE-64x48-RECIPE.webp", false),
      ("/variants/0a/23/SOURCE-64x48-RECIPE.webp", false),
      // Another character than a slash.
      ("variants/0a/23/\u{301}SOURCE-64x48-RECIPE.webp", false), ("", false),
    ])
  func onlyPathsThatTesseraMakesAreItsOwn(_ pattern: String, _ isOwn: Bool) {
    let path = pattern.replacingOccurrences(of: "SOURCE", with: "0a23456789abcdef0123456789abcdef")
      .replacingOccurrences(of: "RECIPE", with: "fedcba9876543210")
    #expect(PublishedFile.isOne(path) == isOwn)
    #expect(PublishedFile.tableDigest(in: path) == nil)
  }

  @Test(.faults(.f7)) func isLockedByOneProcessAtATimeAndNamesIt() throws {
    let folder = try TemporaryFolder()
    let (_, workspace) = try Self.prepared(folder)
    do {
      let lock = try workspace.lock()
      defer { withExtendedLifetime(lock) {} }
      #expect {
        _ = try workspace.lock()
      } throws: { error in
        "\(error)".contains("another run holds the output \"\(folder.path("out"))\"")
          && "\(error)".contains("(process \(ProcessInfo.processInfo.processIdentifier))")
      }
    }
    // The lock ended with its holder.
    _ = try workspace.lock()
  }

  @Test func errorsNameThePath() {
    #expect {
      _ = try File("/nowhere/at/all", .read)
    } throws: { error in
      "\(error)" == "could not open \"/nowhere/at/all\": No such file or directory"
    }
  }

  @Test(
    arguments: [("150000 100000", 2), ("max 100000", nil), ("50000 100000", 1), ("x", nil)]
      as [(String, Int?)])
  func readsAControlGroupsQuota(_ text: String, _ processors: Int?) {
    #expect(Host.processors(inQuota: text) == processors)
  }

  /// A container is in the root of its own name space; a service is limited by any group above it.
  @Test(
    arguments: [
      ("0::/\n", ["": "1000\n"], 1000), ("0::/\n", ["": "max\n"], nil), ("0::/\n", [:], nil),
      ("0::/a/b\n", ["/a/b": "max", "/a": "700", "": "900"], 700),
      ("0::/a/b\n", ["/a/b": "300", "/a": "700"], 300),
      ("4:memory:/a\n0::/\n", ["": "5"], 5), ("4:memory:/a\n", ["": "5", "/a": "6"], nil),
      ("", [:], nil),
    ] as [(String, [String: String], Int?)])
  func readsTheMemoryOfAllControlGroups(_ groups: String, _ limits: [String: String], _ bytes: Int?)
  {
    #expect(Host.smallestLimit(inGroups: groups) { limits[$0] } == bytes)
  }

  @Test(
    arguments: [
      ("Name:\tx\nVmPeak:\t  900 kB\nVmHWM:\t  8152 kB\nVmRSS:\t 10 kB\n", 8152), ("VmHWM:\n", nil),
      ("", nil),
    ] as [(String, Int?)])
  func readsAProcessStatus(_ text: String, _ kibibytes: Int?) {
    #expect(Host.peakMemory(inStatus: text) == kibibytes)
  }

  @Test func showsControlCharactersInsteadOfSendingThem() {
    #expect("a\u{1B}[31mb\u{202E}c".printable == "a\\u{1b}[31mb\\u{202e}c")
  }
}
