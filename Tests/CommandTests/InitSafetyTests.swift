import Foundation
import TesseraTestSupport
import Testing

/// What `init` must not lose: lines of images that exist, ids, owners, and the old manifest.
@Suite struct InitSafetyTests {
  private static let files = FileManager.default

  /// A folder `pipeline` with a pipeline and a manifest, and folders of images beside it.
  private struct Scenario {
    private let files = FileManager.default
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Without links, as URLs have it.
    var place: String { URL(filePath: path("")).resolvingSymlinksInPath().path }

    func path(_ name: String) -> String { folder.path(name) }

    func add(_ names: String...) throws {
      for name in names {
        let url = URL(filePath: path(name))
        try files.createDirectory(
          at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try files.copyItem(at: Places.fixture("one-pixel.png"), to: url)
      }
    }

    func remove(_ name: String) throws { try files.removeItem(atPath: path(name)) }

    func line(_ id: String, _ name: String) -> String {
      #"{"id":"\#(id)","url":"file://\#(place)/\#(name)"}"# + "\n"
    }

    var manifest: String? { try? folder.text("pipeline/manifest.jsonl") }

    func write(_ manifest: String) throws {
      try folder.write(manifest, to: "pipeline/manifest.jsonl")
    }

    /// Runs `init` with the named folders.
    func tessera(
      _ folders: [String], _ words: String..., environment: [String: String] = [:]
    ) async throws -> Tool.Result {
      try await Tool.run(
        Places.tessera,
        ["init", path("pipeline")] + folders.flatMap { ["--from", path($0)] } + words,
        environment: environment)
    }

    func update(_ folders: String...) async throws -> Tool.Result {
      try await tessera(folders, "--manifest-only")
    }

    /// The names of everything in a folder, hidden ones and drafts included.
    func names(in name: String) -> [String] {
      (files.subpaths(atPath: path(name)) ?? []).sorted()
    }
  }

  /// What may happen to the second image or to its folder, without the image being deleted.
  enum Change: CaseIterable {
    case emptied, hidden, belowALink, belowALinkToNothing, inAnOutput, notMounted,
      inAFolderThatWasReplaced, nameTooLong
    case outsideByDots
  }

  @Test(.faults(.i29), arguments: Change.allCases)
  func aLineStaysUnlessItsFileIsDeleted(_ change: Change) async throws {
    let test = try Scenario()
    try test.add("photos/a.png", "photos/sub/b.png", "disk/c.png")
    #expect(try await test.tessera(["photos", "disk"]).status == 0)
    var text = try #require(test.manifest)
    switch change {
    case .emptied: try Data().write(to: URL(filePath: test.path("photos/sub/b.png")))
    case .hidden:
      try test.add("photos/.h.png")
      text += test.line("h", "photos/.h.png")
    case .belowALink:
      try Self.files.createSymbolicLink(
        atPath: test.path("photos/link"), withDestinationPath: test.path("disk"))
      text += test.line("l", "photos/link/c.png")
    case .belowALinkToNothing:
      try Self.files.createSymbolicLink(
        atPath: test.path("photos/link"), withDestinationPath: test.path("nothing"))
      text += test.line("l", "photos/link/c.png")
    case .inAnOutput:
      try Self.files.createDirectory(
        atPath: test.path("photos/sub/.tessera"), withIntermediateDirectories: true)
    case .notMounted: try test.remove("disk/c.png")
    case .inAFolderThatWasReplaced: text += test.line("r", "photos/a.png/r.png")
    case .nameTooLong: text += test.line("n", "photos/" + String(repeating: "n", count: 300))
    case .outsideByDots: text += test.line("o", "photos/../elsewhere/o.png")
    }
    try test.write(text)
    let update = try await test.update("photos", "disk")
    #expect(update.output.contains(", 0 added, 0 removed"), "\(update)")
    #expect(test.manifest == text)
    #expect(!Self.files.fileExists(atPath: test.path("pipeline/manifest.jsonl.before")))
  }

  /// A folder in another one may be the disk that is not mounted.
  @Test(.faults(.i29)) func aLineStaysIfTheInnerFolderHasNoImage() async throws {
    let test = try Scenario()
    try test.add("photos/a.png", "photos/disk/b.png")
    #expect(try await test.tessera(["photos"]).status == 0)
    let text = try #require(test.manifest)
    try test.remove("photos/disk/b.png")
    #expect(try await test.update("photos", "photos/disk").status == 0)
    #expect(test.manifest == text)
  }

  @Test(.faults(.i29)) func aLossOfMostLinesWritesNothing() async throws {
    let test = try Scenario()
    for number in 1...120 { try test.add("photos/\(number).png") }
    #expect(try await test.tessera(["photos"]).status == 0)
    let text = test.manifest
    for number in 1...60 { try test.remove("photos/\(number).png") }
    try test.remove("photos/61.png")
    let update = try await test.update("photos")
    #expect(update.status == 2)
    #expect(
      update.errors == """
        tessera: "\(test.path("pipeline"))/manifest.jsonl" would lose 61 of 120 images (more than 50%), because their \
        files do not exist; nothing was written; check that the folders are mounted and complete, or remove the \
        manifest to begin again

        """)
    #expect(test.manifest == text)
    #expect(test.names(in: "pipeline") == ["manifest.jsonl", "pipeline.yaml"])
    // Exactly half of them is accepted.
    try test.add("photos/61.png")
    #expect(try await test.update("photos").output.contains(": 60 images, 0 added, 60 removed"))
    // All of them are not, however few they are.
    try test.write(test.line("gone", "photos/gone.png"))
    let all = try await test.update("photos")
    #expect(all.status == 2)
    #expect(all.errors.contains("would lose 1 of 1 images (all), because"), "\(all)")
  }

  @Test func aManifestThatLosesLinesIsKept() async throws {
    let test = try Scenario()
    try test.add("photos/a.png", "photos/b.png")
    #expect(try await test.tessera(["photos"]).status == 0)
    let text = try #require(test.manifest)
    try test.remove("photos/b.png")
    let update = try await test.update("photos")
    let place = "\(test.path("pipeline"))/manifest.jsonl"
    #expect(
      update.output == """
        \(place): 1 image, 0 added, 1 removed
        the manifest as it was: \(place).before
        next: tessera run \(test.path("pipeline"))/pipeline.yaml

        """)
    #expect(try test.folder.text("pipeline/manifest.jsonl.before") == text)
    #expect(test.manifest == test.line("a", "photos/a.png"))
    // It stays until lines are removed again, and is then replaced.
    try test.add("photos/c.png")
    let added = try await test.tessera(["photos"], "--manifest-only", "--json")
    #expect(added.status == 0 && !added.output.contains("before"))
    #expect(try test.folder.text("pipeline/manifest.jsonl.before") == text)
    let second = test.manifest
    try test.remove("photos/a.png")
    let removed = try await test.tessera(["photos"], "--manifest-only", "--json")
    #expect(removed.output.contains("\"before\": \"\(place).before\""), "\(removed)")
    #expect(try test.folder.text("pipeline/manifest.jsonl.before") == second)
  }

  @Test(.faults(.i29), arguments: ["photos/%c3%a9.png", "%70hotos/%C3%A9.png#top"])
  func aURLThatIsEncodedOtherwiseIsTheSame(_ spelling: String) async throws {
    let test = try Scenario()
    try test.add("photos/\u{E9}.png", "photos/b.png")
    #expect(try await test.tessera(["photos"]).status == 0)
    let text = try #require(test.manifest).replacing("photos/%C3%A9.png", with: spelling)
    try test.write(text)
    let update = try await test.update("photos")
    #expect(update.output.contains(": 2 images, 0 added, 0 removed"), "\(update)")
    #expect(test.manifest == text)
  }

  @Test func allIdsOfOneURLStay() async throws {
    let test = try Scenario()
    try test.add("photos/a.png", "photos/b.png", "photos/c.png")
    #expect(try await test.tessera(["photos"]).status == 0)
    // The last line has an id that a run derives from the URL.
    let text =
      test.line("one", "photos/a.png") + test.line("b", "photos/a.png")
      + #"{"url":"https://example.com/c"}"# + "\n"
    try test.write(text)
    let update = try await test.update("photos")
    #expect(update.output.contains(": 5 images, 2 added, 0 removed"), "\(update)")
    #expect(
      test.manifest == text + test.line("b-2", "photos/b.png") + test.line("c", "photos/c.png"))
  }

  /// As under sudo: the manifest of a user must not become root's.
  @Test func aManifestKeepsItsOwner() async throws {
    guard geteuid() == 0 else {
      return print("not tested: the owner of a manifest, which only root can change")
    }
    let test = try Scenario()
    try test.add("photos/a.png", "photos/b.png")
    #expect(try await test.tessera(["photos"]).status == 0)
    func owner(_ name: String) throws -> [Int?] {
      let facts = try Self.files.attributesOfItem(atPath: test.path("pipeline/\(name)"))
      return [.ownerAccountID, .groupOwnerAccountID, .posixPermissions].map { facts[$0] as? Int }
    }
    #expect(try owner("manifest.jsonl").prefix(2) == [0, 0])
    try #require(chown(test.path("pipeline/manifest.jsonl"), 4711, 4712) == 0)
    try #require(chmod(test.path("pipeline/manifest.jsonl"), 0o604) == 0)
    try test.remove("photos/b.png")
    #expect(try await test.update("photos").status == 0)
    #expect(try owner("manifest.jsonl") == [4711, 4712, 0o604])
    #expect(try owner("manifest.jsonl.before") == [4711, 4712, 0o604])
  }

  @Test(.faults(.i30)) func idsOfAllFileNamesAreUsable() async throws {
    let test = try Scenario()
    // Foundation copies to no path of more than 1,024 bytes, and these are longer only as ids.
    let deep = ["d", "d", "\u{1}"].map { String(repeating: $0, count: 220) }.joined(separator: "/")
    try test.add("photos/a\u{1}\n.png", "photos/a%01%0A.png", "photos/b\u{85}\u{E9}.png")
    try test.add("photos/\(deep)/x.png", "photos/\(deep)/y.png", "photos/\(deep)/x.b.png")
    try test.add("photos/\(deep)/x.gif.png", "photos/\(deep)/x.gif")
    #expect(try await test.tessera(["photos"]).status == 0)
    let check = try await Tool.tessera("check", test.path("pipeline/pipeline.yaml"))
    #expect(check.output == "8 items, no mistakes\n")
    let ids = try (test.manifest ?? "").split(separator: "\n").map { line in
      let entry = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String]
      return entry?["id"] ?? ""
    }
    #expect(Set(ids).count == 8)
    #expect(Set(ids).isSuperset(of: ["a%01%0A", "a%01%0A-2", "b%C2%85\u{E9}"]))
    #expect(ids.filter { $0.hasPrefix("ddd") }.allSatisfy { $0.utf8.count == 1024 })
    // The same names have the same ids the next time.
    let text = test.manifest
    try test.remove("pipeline")
    #expect(try await test.tessera(["photos"]).status == 0)
    #expect(test.manifest == text)
  }

  /// The calls that need space on the disk.
  private static let growing = "write,sync,create,mkdir,rename,link,allocate"

  /// A disk that is full from the first such call on, from the second one, and so on.
  @Test func aFullDiskLeavesNoPartialPipeline() async throws {
    let test = try Scenario()
    try test.add("photos/a.png")
    let shim = try await Shim(in: test.folder, for: test.path("pipeline"))
    let count = try await shim.count(Self.growing) { environment in
      let made = try await test.tessera(["photos"], environment: environment)
      #expect(made.status == 0)
    }
    #expect(count > 8)
    for call in 1...count {
      try test.remove("pipeline")
      let full = try await test.tessera(
        ["photos"], environment: shim.failing(Self.growing, "\(ENOSPC)", at: call, count: 0))
      #expect(full.status == 2, "call \(call): \(full)")
      #expect(!Self.files.fileExists(atPath: test.path("pipeline")), "call \(call): \(full)")
      #expect(try await test.tessera(["photos"]).status == 0)
    }
  }

  @Test(.faults(.i29)) func aFullDiskLeavesTheOldManifest() async throws {
    let test = try Scenario()
    try test.add("photos/a.png", "photos/b.png")
    #expect(try await test.tessera(["photos"]).status == 0)
    let text = try #require(test.manifest)
    try test.remove("photos/b.png")
    let shim = try await Shim(in: test.folder, for: test.path("pipeline"))
    let count = try await shim.count(Self.growing) { environment in
      let updated = try await test.tessera(
        ["photos"], "--manifest-only", environment: environment)
      #expect(updated.status == 0)
    }
    let new = test.manifest
    let old = test.path("pipeline/manifest.jsonl.before")
    for call in 1...count {
      try test.write(text)
      if Self.files.fileExists(atPath: old) { try Self.files.removeItem(atPath: old) }
      let full = try await test.tessera(
        ["photos"], "--manifest-only",
        environment: shim.failing(Self.growing, "\(ENOSPC)", at: call, count: 0))
      #expect(full.status == 2, "call \(call): \(full)")
      // The last call makes the new names durable.
      #expect(test.manifest == (call == count ? new : text), "call \(call)")
      let names = Set(test.names(in: "pipeline"))
      let known = ["manifest.jsonl", "manifest.jsonl.before", "pipeline.yaml"]
      #expect(names.isSubset(of: known), "call \(call): \(names)")
      if names.count == 3 { #expect(try String(contentsOfFile: old, encoding: .utf8) == text) }
    }
  }
}
