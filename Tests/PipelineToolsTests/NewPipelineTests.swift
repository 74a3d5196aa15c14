import Foundation
import TesseraJSON
import TesseraPipelineFile
import TesseraTestSupport
import Testing

@testable import tessera

/// The files that a new pipeline begins with.
@Suite struct NewPipelineTests {
  private static func template(manifest: String, _ fetch: String) -> String {
    """
    # A Tessera pipeline: which images, which sizes, and how. "tessera check" finds mistakes, \
    "tessera plan"
    # says what a run would make, "tessera run" makes it, "tessera gallery output" shows it.
    # All keys: tessera schema --keys.

    # The list of images: one URL on a line, CSV with a header, or JSON Lines such as
    # {"id": "p1", "url": "https://example.com/p1.jpg", "alt": "A red bridge"}.
    manifest: \(manifest)

    # Gets catalog.json, run.json and variants/.
    output: output

    # The URL that will serve the output; clients put it before a file's path.
    # base-url: https://cdn.example.com/images/

    # The places that your layout has for images, in points.
    slots:
      thumb: {size: 96x96, mode: clip}      # cropped to a square
      card:  {size: 320x, aspect: [1:2, 2:1]}  # 320 points wide, 160 to 640 high
      hero:  {size: 1024x576, mode: fill}   # covers the place

    # Device pixels per point: the screens to make files for.
    scales: [1, 2, 3]

    # variants:
    #   format: webp            # or a list: [avif, webp, jpeg]
    #   quality: 80

    \(fetch)

    """
  }

  private static let contact =
    "\"Tessera/0.1 (+https://your.site/bot)\"  # how owners of images reach you"

  private static func comment(_ allow: String) -> String {
    """
    # fetch:
    #   allow: \(allow)
    #   per-host: 6             # requests at a time to one host
    #   headers: {Authorization: "Bearer ${TOKEN}"}
    #   user-agent: \(contact)
    """
  }

  @Test func withoutImagesThereIsOnlyAPipeline() async throws {
    let folder = try TemporaryFolder()
    let report = try await NewPipeline.write(into: folder.path("new/one"), from: [])
    #expect(folder.files(below: "new") == ["one/pipeline.yaml"])
    #expect(
      try folder.text("new/one/pipeline.yaml")
        == Self.template(
          manifest: "manifest.jsonl",
          Self.comment(
            "[loopback]       # or private, or files:/a/folder; "
              + "else runs read the public internet only"
          )))
    let path = folder.path("new/one")
    #expect(
      text(report.json) == """
        {
          "schema": "tessera-init/1",
          "pipeline": "\(path)/pipeline.yaml",
          "manifest": "\(path)/manifest.jsonl",
          "skipped": []
        }

        """)
    let file = try PipelineFile.load(report.pipeline, manifest: nil, output: nil)
    #expect(file.manifest == .file(report.manifest) && file.output == "\(path)/output")
  }

  @Test func imagesBecomeAManifest() async throws {
    let folder = try TemporaryFolder()
    try folder.add("plain.jpg", as: "my photos/a \"b\".jpg")
    try folder.write("x", to: "my photos/notes.txt")
    let sources = [folder.path("my photos"), "http://127.0.0.1/c.jpg"]
    let report = try await NewPipeline.write(into: folder.path("new"), from: sources)
    let place = folder.place
    #expect(
      try folder.text("new/manifest.jsonl") == """
        {"id":"a \\"b\\"","url":"file://\(place)/my%20photos/a%20%22b%22.jpg"}
        {"id":"c","url":"http://127.0.0.1/c.jpg"}

        """)
    #expect(
      try folder.text("new/pipeline.yaml")
        == Self.template(
          manifest: "manifest.jsonl",
          """
          fetch:
            # Runs read the public internet only, and what is named here.
            allow: ["files:\(place)/my photos", loopback]
            # per-host: 6             # requests at a time to one host
            # user-agent: \(Self.contact)
          """))
    #expect(
      text(report.json) == """
        {
          "schema": "tessera-init/1",
          "pipeline": "\(folder.path("new"))/pipeline.yaml",
          "manifest": "\(folder.path("new"))/manifest.jsonl",
          "images": 2,
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
    let file = try PipelineFile.load(report.pipeline, manifest: nil, output: nil)
    #expect(file.fetch.allow == ["files:\(place)/my photos", "loopback"])
  }

  /// A list stays where it is, whatever its name holds.
  @Test func aListIsNamed() async throws {
    let folder = try TemporaryFolder()
    let name = "-my $HOME \"list\" #1.txt"
    let path = try folder.write("http://localhost/a.jpg\nfile:///none/b.jpg\nx\n", to: name)
    let here = try await NewPipeline.write(into: folder.path(""), from: [path])
    let place = folder.place
    #expect(here.manifest == "\(place)/\(name)" && here.images == 2 && here.problems == 1)
    #expect(here.needs == ["loopback", "files:/none"])
    #expect(folder.files(below: "") == [name, "pipeline.yaml"])
    #expect(
      try folder.text("pipeline.yaml").contains(
        Self.comment(
          "[loopback, \"files:/none\"]  # the manifest has images there; "
            + "permit them if it is your own"
        )
      ))
    // Beside it by its name alone, so that the folder can be moved; from elsewhere by its path.
    let there = try await NewPipeline.write(into: folder.path("new"), from: [path])
    #expect(try !folder.text("pipeline.yaml").contains(place))
    #expect(try folder.text("new/pipeline.yaml").contains("manifest: \"\(place)/-my "))
    for report in [here, there] {
      let file = try PipelineFile.load(report.pipeline, manifest: nil, output: nil)
      guard case .file(let manifest) = file.manifest else { return #expect(Bool(false)) }
      #expect(try String(contentsOfFile: manifest, encoding: .utf8).hasPrefix("http://localhost"))
    }
    #expect(
      text(there.json) == """
        {
          "schema": "tessera-init/1",
          "pipeline": "\(folder.path("new"))/pipeline.yaml",
          "manifest": "\(place)/-my $HOME \\"list\\" #1.txt",
          "images": 2,
          "problems": 1,
          "needs": [
            "loopback",
            "files:/none"
          ],
          "skipped": []
        }

        """)
  }

  @Test func aListAtAURLIsNotFetched() async throws {
    let folder = try TemporaryFolder()
    let url = "https://example.com/list.csv"
    let report = try await NewPipeline.write(into: folder.path("new"), from: [url])
    #expect(report.manifest == url && report.images == nil && report.needs.isEmpty)
    #expect(folder.files(below: "new") == ["pipeline.yaml"])
    let file = try PipelineFile.load(report.pipeline, manifest: nil, output: nil)
    #expect(file.manifest == .url(url))
  }

  @Test func nothingIsReplaced() async throws {
    let folder = try TemporaryFolder()
    let image = "https://example.com/a.jpg"
    func mistake(_ sources: [String]) async -> String {
      do {
        _ = try await NewPipeline.write(into: folder.path(""), from: sources)
        return ""
      } catch {
        return "\(error)"
      }
    }
    func sentence(_ name: String, _ end: String = "") -> String {
      "\"\(folder.path(name))\" exists already; remove it, or name another folder\(end)"
    }
    try folder.write("m", to: "manifest.jsonl")
    #expect(
      await mistake([image])
        == sentence("manifest.jsonl", "; --manifest-only lists the images again"))
    #expect(folder.files(below: "") == ["manifest.jsonl"])
    // A manifest that is there is that of a pipeline without images.
    #expect(await mistake([]) == "")
    try folder.remove("manifest.jsonl")
    let written = try folder.text("pipeline.yaml")
    #expect(await mistake([]) == sentence("pipeline.yaml"))
    #expect(
      await mistake([image])
        == sentence("pipeline.yaml", "; --manifest-only lists the images again"))
    #expect(try folder.text("pipeline.yaml") == written)
    #expect(folder.files(below: "") == ["pipeline.yaml"])
  }

  /// As in `init --from a.jpg b.jpg`.
  @Test func aFileIsNotAFolderToWriteInto() async throws {
    let folder = try TemporaryFolder()
    try folder.write("x", to: "b.jpg")
    let text = await errorText {
      _ = try await NewPipeline.write(
        into: folder.path("b.jpg"), from: ["https://example.com/a.jpg"])
    }
    #expect(
      text
        == "\"\(folder.path("b.jpg"))\" is a file, and the pipeline is written into a folder; if its images are to be "
        + "the first ones: tessera init --from \(folder.path("b.jpg"))")
    #expect(folder.files(below: "") == ["b.jpg"])
  }

  /// It would be read as a variable of the environment.
  @Test func aNameWithAVariableIsRejected() async throws {
    let folder = try TemporaryFolder()
    try folder.write("https://example.com/a.jpg\n", to: "a ${HOME}.txt")
    let text = await errorText {
      _ = try await NewPipeline.write(
        into: folder.path("new"), from: [folder.path("a ${HOME}.txt")])
    }
    #expect(
      text
        == "\"\(folder.path("a ${HOME}.txt"))\" has \"${\" in it, and in a pipeline file that begins a variable of the "
        + "environment; rename it")
    #expect(!folder.has("new"))
  }

  @Test func nothingIsLeftOfWhatFails() async throws {
    let folder = try TemporaryFolder()
    try folder.write("x", to: "file")
    let image = "https://example.com/a.jpg"
    for sources in [[], [image]] {
      for (place, isCancelled) in [("file/new", false), ("new", true)] {
        let task = Task {
          if isCancelled { withUnsafeCurrentTask { $0?.cancel() } }
          return try await NewPipeline.write(into: folder.path(place), from: sources)
        }
        await #expect(throws: (any Error).self) { try await task.value }
      }
    }
    #expect(folder.files(below: "") == ["file"] && !folder.has("new"))
    // A folder that was there stays.
    try folder.makeFolder("old")
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await NewPipeline.write(into: folder.path("old"), from: [image])
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(folder.has("old") && folder.files(below: "old").isEmpty)
  }
}
