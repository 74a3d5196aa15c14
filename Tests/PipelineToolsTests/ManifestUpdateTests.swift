import TesseraJSON
import TesseraTestSupport
import Testing

@testable import tessera

/// A manifest that is brought up to date with its images.
@Suite struct ManifestUpdateTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(Self.pipeline(folder.place), to: "pipeline.yaml")
  }

  private static func pipeline(_ place: String) -> String {
    """
    manifest: manifest.jsonl
    output: output
    slots: {card: {size: 10x10}}
    fetch: {allow: ["files:\(place)/photos"]}
    """
  }

  private func update(_ sources: String...) async throws -> ManifestUpdate.Report {
    try await ManifestUpdate.write(
      in: folder.path(""),
      from: sources.map { $0.contains("://") ? $0 : folder.path($0) })
  }

  private func mistake(_ sources: String...) async -> String {
    do {
      _ = try await ManifestUpdate.write(
        in: folder.path(""),
        from: sources.map { $0.contains("://") ? $0 : folder.path($0) })
      return ""
    } catch {
      return "\(error)"
    }
  }

  private func line(_ name: String, id: String? = nil) -> String {
    let id = id.map { "\"id\":\"\($0)\"," } ?? ""
    return "{\(id)\"url\":\"file://\(folder.place)/photos/\(name).jpg\"}\n"
  }

  private func add(_ names: String...) throws {
    for name in names { try folder.add("plain.jpg", as: "photos/\(name).jpg") }
  }

  @Test func aMissingManifestIsWritten() async throws {
    try add("a", "b")
    let report = try await update("photos")
    #expect(try folder.text("manifest.jsonl") == line("a", id: "a") + line("b", id: "b"))
    #expect(
      text(report.json) == """
        {
          "schema": "tessera-manifest-update/1",
          "manifest": "\(folder.path("manifest.jsonl"))",
          "images": 2,
          "added": 2,
          "removed": 0,
          "skipped": []
        }

        """)
    #expect(folder.files(below: "").count == 4)
  }

  @Test func linesStayAsTheyAre() async throws {
    try add("b", "c", "new")
    try folder.write("x", to: "photos/notes.txt")
    let known = "{\"alt\": \"A bridge\", \"url\": \"file://\(folder.place)/photos/%62.jpg\"}\n"
    let far = "{\"id\":\"new\",\"url\":\"file:///none/far.jpg\"}\n"
    let old = known + "\n" + line("gone", id: "x") + far + line("c", id: "c")
    try folder.write(old, to: "manifest.jsonl")
    try folder.setPermissions("manifest.jsonl", 0o640)
    let report = try await update("photos")
    #expect(
      try folder.text("manifest.jsonl") == known + far + line("c", id: "c")
        + line("new", id: "new-2")
    )
    #expect(try folder.text("manifest.jsonl.before") == old)
    for name in ["manifest.jsonl", "manifest.jsonl.before"] {
      #expect(try folder.permissions(name) == 0o640)
    }
    #expect(
      text(report.json) == """
        {
          "schema": "tessera-manifest-update/1",
          "manifest": "\(folder.path("manifest.jsonl"))",
          "images": 4,
          "added": 1,
          "removed": 1,
          "before": "\(folder.path("manifest.jsonl.before"))",
          "skipped": [
            "notes.txt"
          ],
          "leftOut": [
            {
              "reason": "not an image",
              "count": 1,
              "names": [
                "notes.txt"
              ]
            }
          ]
        }

        """)
    // Again, there is nothing to do.
    try folder.remove("manifest.jsonl.before")
    let again = try await update("photos")
    #expect(again.added == 0 && again.removed == 0 && again.images == 4 && again.before == nil)
    #expect(!folder.has("manifest.jsonl.before"))
  }

  /// A run derives an id from the URL, as far as it is shown: no other image gets it.
  @Test func aLineWithoutAnIDHasTheOneOfARun() async throws {
    try add("a")
    try folder.write(
      "{\"url\":\"file:///none/b.jpg\"}\n{\"url\":\"https://example.com/c?token=1\"}\n",
      to: "manifest.jsonl")
    #expect(try await update("photos", "https://example.com/d/b.jpg.png").added == 2)
    let ids = try folder.text("manifest.jsonl").split(separator: "\n").suffix(2)
    #expect(ids.first?.hasPrefix("{\"id\":\"a\"") == true)
    #expect(ids.last?.hasPrefix("{\"id\":\"b.jpg-2\"") == true)
  }

  @Test func whatThePipelineDoesNotPermitIsNamed() async throws {
    try add("a")
    try folder.add("plain.jpg", as: "other/b.jpg")
    #expect(try await update("photos").needs == [])
    #expect(try await update("https://example.com/c.jpg").needs == [])
    let report = try await update("other", "http://10.0.0.1/d.jpg")
    #expect(report.needs == ["files:other", "private"])
    #expect(
      text(report.json).hasSuffix(
        """
          "removed": 0,
          "needs": [
            "files:other",
            "private"
          ],
          "skipped": []
        }

        """))
    // Images that have a line already are not new.
    #expect(try await update("other").needs == [])
  }

  @Test func theTargetOfALinkIsReplaced() async throws {
    try add("a")
    try folder.write(line("gone", id: "g") + line("a", id: "a"), to: "data/list.jsonl")
    try folder.link("manifest.jsonl", to: "data/list.jsonl")
    let report = try await update("photos")
    #expect(report.manifest == folder.path("manifest.jsonl"))
    #expect(report.before == "\(folder.place)/data/list.jsonl.before")
    #expect(try folder.text("data/list.jsonl") == line("a", id: "a"))
    #expect(folder.files(below: "data") == ["list.jsonl", "list.jsonl.before"])
    try add("b")
    #expect(try await update("photos").added == 1)
    #expect(try folder.text("manifest.jsonl") == line("a", id: "a") + line("b", id: "b"))
  }

  /// 100 images or more lose half of them at most; a few may lose many, but not all.
  @Test(arguments: [
    (100, 50, ""), (100, 51, "more than 50%"), (99, 90, ""), (2, 2, "all"),
  ])
  func aGreatLossIsAMistake(_ count: Int, _ lost: Int, _ share: String) async throws {
    try add("there")
    var names = (1...count).map { "\($0)" }
    let manifest = names.map { line($0, id: $0) }.joined()
    try folder.write(manifest, to: "manifest.jsonl")
    names.removeFirst(lost)
    for name in names { try folder.write("x", to: "photos/\(name).jpg") }
    let path = folder.path("manifest.jsonl")
    let sentence =
      "\"\(path)\" would lose \(lost) of \(count) images (\(share)), because their files do not "
      + "exist; nothing was written; check that the folders are mounted and complete, or remove "
      + "the manifest to begin again"
    #expect(await mistake("photos") == (share.isEmpty ? "" : sentence))
    #expect(try (folder.text("manifest.jsonl") == manifest) == !share.isEmpty)
  }

  /// With a base that is a folder, what is below it is named relative to it.
  @Test func namesAreRelativeToABaseThatIsAFolder() async throws {
    try folder.write("base: .\n" + Self.pipeline(folder.place), to: "pipeline.yaml")
    try add("a b", "c")
    try folder.write(#"{"id":"c","url":"photos/c.jpg"}"# + "\n", to: "manifest.jsonl")
    #expect(try await update("photos").added == 1)
    #expect(
      try folder.text("manifest.jsonl") == """
        {"id":"c","url":"photos/c.jpg"}
        {"id":"a b","url":"photos/a%20b.jpg"}

        """)
    try folder.remove("photos/c.jpg")
    let report = try await update("photos")
    #expect((report.added, report.removed) == (0, 1))
    // Relative to a base on the web, a file is no path.
    try folder.write(
      "base: https://example.com/x/\n" + Self.pipeline(folder.place), to: "pipeline.yaml")
    #expect(try await update("photos").added == 1)
    #expect(try folder.text("manifest.jsonl").hasSuffix(line("a%20b", id: "a b-2")))
  }

  @Test func mistakesAreSentences() async throws {
    try add("a")
    let path = folder.path("manifest.jsonl")
    for lines in ["{\"id\":\"a\"}", "https://example.com/a.jpg", "{\"url\":\"a.jpg\"}"] {
      try folder.write(line("a", id: "a") + "\n" + lines + "\n", to: "manifest.jsonl")
      #expect(
        await mistake("photos")
          == "line 3 of \"\(path)\" has no absolute URL; correct it, or edit the manifest by hand")
    }
    try folder.remove("manifest.jsonl")
    #expect(
      await mistake("https://example.com/list.csv")
        == "a list is a manifest by itself; --manifest-only needs images, folders or URLs")
    for manifest in ["manifest.csv", "https://example.com/list.jsonl"] {
      try folder.write(
        Self.pipeline(folder.place).replacing("manifest.jsonl", with: manifest),
        to: "pipeline.yaml")
      #expect(
        await mistake("photos")
          == "the manifest of \"\(folder.path("pipeline.yaml"))\" is not a .jsonl file; "
          + "--manifest-only writes no other")
    }
    try folder.remove("pipeline.yaml")
    #expect(await mistake("photos").contains("could not open \"\(folder.path("pipeline.yaml"))\""))
    #expect(folder.files(below: "") == ["photos/a.jpg"])
  }

  @Test func aCancelledUpdateLeavesTheManifest() async throws {
    try add("a")
    let old = line("gone", id: "g") + line("a", id: "a")
    for manifest in [old, line("a", id: "a"), nil] {
      try add(manifest.map { "new\($0.count)" } ?? "new")
      if let manifest { try folder.write(manifest, to: "manifest.jsonl") }
      let task = Task { [folder] in
        withUnsafeCurrentTask { $0?.cancel() }
        return try await ManifestUpdate.write(in: folder.path(""), from: [folder.path("photos")])
      }
      await #expect(throws: CancellationError.self) { try await task.value }
      if let manifest {
        #expect(try folder.text("manifest.jsonl") == manifest)
        try folder.remove("manifest.jsonl")
      }
      #expect(
        folder.files(below: "").allSatisfy { $0.hasPrefix("photos/") || $0 == "pipeline.yaml" })
    }
  }
}
