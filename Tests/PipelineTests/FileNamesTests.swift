import TesseraBytes
import TesseraCatalog
import TesseraJSON
import TesseraMemoryOutput
import TesseraPlan
import TesseraState
import Testing

@testable import TesseraPipeline
@testable import TesseraPipelineFile

/// Names of files: what is in them, and which file a name has.
@Suite struct FileNamesTests {
  private static let photo = TinyImage.webp(300, 200, "photo")

  private static func begun(
    _ change: (inout PipelineFile) -> Void = { _ in }
  ) throws -> RunInMemory {
    var run = try RunInMemory()
    change(&run.file)
    run.serve("photo", .image(photo, etag: "\"1\"", freshFor: 3_600))
    return run
  }

  // MARK: What is in a name

  /// The bytes of a source and the pipeline file say what its files are called.
  @Test func namesAreKnownBeforeTheWork() async throws {
    let run = try Self.begun {
      $0.plan.slots.append(Slot("square", width: 50, height: 50, mode: .clip))
    }
    let facts = SourceFacts(size: Size(300, 200), hasAlpha: false, frames: 1)
    let plan = Plan(for: facts.planned("webp", focus: nil), settings: run.file.plan)
    let keys = ContentKeys(
      content: SHA256.of(Self.photo), format: "webp", facts: facts,
      decode: plan.decode(of: facts.size), FileNames(run.file))
    let planned = plan.files.map(keys.path(of:))
    let outcome = try await run.run(["a": "photo"])
    #expect(try outcome.paths(0) == planned && planned.count == 3)
    #expect(run.output.paths == planned.sorted())
    #expect(planned.count { FileName.parts(of: $0)?.crop != nil } == 1)
  }

  /// So that a name of one format leads to those of all others.
  @Test func formatsDifferInRecipeAndExtensionAlone() throws {
    let facts = SourceFacts(size: Size(300, 200), hasAlpha: false, frames: 1)
    let run = try Self.begun { $0.plan.formats = [.fixed(.avif), .fixed(.webp), .fixed(.jpeg)] }
    let plan = Plan(for: facts.planned("webp", focus: nil), settings: run.file.plan)
    let names = FileNames(run.file)
    let keys = ContentKeys(
      content: "c", format: "webp", facts: facts, decode: plan.decode(of: facts.size), names)
    for variant in plan.variants {
      let paths = variant.files.map(keys.path(of:))
      let runContext = try paths.map { try #require(FileName.parts(of: $0)) }
      #expect(runContext.map(\.fileExtension) == ["avif", "webp", "jpg"])
      #expect(runContext.map { String($0.recipe) } == names.formats.prefix(3).map(\.recipe))
      #expect(Set(runContext.map(\.recipe)).count == 3)
      let starts = zip(paths, runContext).map {
        $0.dropLast($1.recipe.count + $1.fileExtension.count + 1)
      }
      #expect(Set(starts).count == 1)
    }
  }

  /// The formats whose recipes a change of the settings changes.
  private static func renamed(_ change: (inout PipelineFile) -> Void) -> [String] {
    func recipes(_ change: (inout PipelineFile) -> Void) -> [String: String] {
      var file = PipelineFile.example()
      file.plan.formats = [.fixed(.avif), .fixed(.webp), .fixed(.jpeg)]
      change(&file)
      return Dictionary(
        uniqueKeysWithValues: FileNames(file).formats.compactMap { format in
          format.recipe.map {
            (format.type.dropFirst("image/".count) + (format.dynamicRange ?? ""), $0)
          }
        }.map { (String($0.0), $0.1) })
    }
    let (old, new) = (recipes { _ in }, recipes(change))
    return old.keys.filter { new[$0] != nil && old[$0] != new[$0] }.sorted()
  }

  /// A setting of one format renames no file of another.
  @Test func aSettingRenamesOnlyWhatItShapes() {
    let cases: [(String, [String], (inout PipelineFile) -> Void)] = [
      ("quality", ["webp"], { $0.plan.quality[.webp] = 61 }),
      ("quality of AVIF", ["avif"], { $0.plan.quality[.avif] = 61 }),
      ("quality of JPEG", ["jpeg"], { $0.plan.quality[.jpeg] = 61 }),
      ("found quality", ["avif"], { $0.plan.quality[.avif] = nil }),
      ("effort", ["avif"], { $0.plan.effort[.avif] = 9 }),
      ("effort of WebP", ["webp"], { $0.plan.effort[.webp] = 6 }),
      ("quality of alpha", ["webp"], { $0.plan.alphaQuality = 40 }),
      ("background", ["jpeg"], { $0.plan.background = Colour(red: 1, green: 2, blue: 3) }),
      // What does not shape the bytes of a file of a given size and crop.
      ("slots", [], { $0.plan.slots.append(Slot("other", width: 9, height: nil)) }),
      ("scales", [], { $0.plan.scales = [3] }),
      ("order of formats", [], { $0.plan.formats.reverse() }),
      ("one format less", [], { $0.plan.formats.removeLast() }),
      ("gain maps", [], { $0.plan.dynamicRange = .keep }),
      ("placeholders", [], { $0.placeholders = [.blurhash] }),
      ("profile", [], { $0.profile = .full }),
    ]
    for (name, expected, change) in cases {
      #expect(Self.renamed(change) == expected, "\(name)")
    }
    // The target of qualities that are found, of formats that have one.
    let found = Self.renamed { file in
      for format in [OutputFormat.avif, .webp] { file.plan.quality[format] = nil }
    }
    #expect(found == ["avif", "webp"])
  }

  /// A better format is named as in a list of formats.
  @Test func anUpgradeRenamesNothing() {
    var list = PipelineFile.example()
    list.plan.formats = [.fixed(.avif), .fixed(.webp)]
    var upgrade = PipelineFile.example()
    upgrade.upgrade = Upgrade(format: .avif, budget: .zero)
    #expect(FileNames(upgrade).formats == FileNames(list).formats)
  }

  // MARK: Another version of libvips

  @Test func anotherVersionOfLibvipsRenamesNothing() async throws {
    var run = try Self.begun()
    let first = try await run.run(["a": "photo"])
    run.transcoder = FakeTranscoder(libvips: "8.99.0")
    let second = try await run.run(["a": "photo"])
    #expect(second.lines == first.lines)
    #expect((second.decodes, second.requests) == ([], []))
    // An image that is new has its files from the new version, under names that the old one would have given.
    run.serve("new", .image(TinyImage.webp(300, 200, "new"), etag: "\"1\""))
    let third = try await run.run(["a": "photo", "b": "new"])
    #expect(third.lines[0] == first.lines[0] && third.decodes == [2])
    let other = try RunInMemory()
    other.serve("new", .image(TinyImage.webp(300, 200, "new"), etag: "\"1\""))
    #expect(try await other.run(["b": "new"]).paths(0) == third.paths(1))
  }

  /// Without the state of the run that made them: the files stand, and no name has other bytes.
  @Test func filesOfAnotherVersionStand() async throws {
    let old = try Self.begun()
    let first = try await old.run(["a": "photo"])
    let files = old.output.files
    var new = try Self.begun()
    new.transcoder = FakeTranscoder(libvips: "8.99.0-longer")
    new.output.files = files
    let second = try await new.run(["a": "photo"])
    #expect(second.decodes == [2] && new.output.files == files)
    #expect(second.lines == first.lines)
    #expect(second.report.variantsStanding == 2)
    // The same bytes are not counted.
    let same = try Self.begun()
    same.output.files = files
    let third = try await same.run(["a": "photo"])
    #expect(third.lines == first.lines && third.report.variantsStanding == 0)
    #expect(third.decodes == [2] && same.output.files == files && same.output.published == 0)
  }

  // MARK: The first file of a name

  /// Other bytes of a whole image of that size and format: clients may have them, and keep them forever.
  @Test func aWholeImageStands() async throws {
    var run = try Self.begun { $0.profile = .full }
    let first = try await run.run(["a": "photo"])
    let path = try first.paths(0)[0]
    // Without a record of it.
    run.state = try StateStore(path: "")
    let other = TinyImage.webp(
      64, 43, "from another version of a library, with more bytes than usual")
    try run.output.write(path, other)
    let second = try await run.run(["a": "photo"])
    #expect(second.items == ["a ok"] && second.decodes == [2])
    #expect(second.report.variantsStanding == 1)
    #expect(run.output.files[path] == other)
    #expect(try second.paths(0) == first.paths(0))
    // The line and the state say what is there.
    let variant = try second.image(0)["variants"]?.arrayValue?.first
    #expect(variant?["bytes"]?.arrayValue == [.number("\(other.count)")])
    #expect(variant?["sha256"]?.arrayValue == [.string(SHA256.of(other))])
    let record = try #require(try await run.state.file(at: path))
    #expect((record.bytes, record.sha256) == (other.count, SHA256.of(other)))
    let third = try await run.run(["a": "photo"])
    #expect(third.lines == second.lines && third.decodes == [])
    #expect(third.report.variantsStanding == 0)
  }

  /// What no client can show is replaced, and what is not what was published.
  @Test(arguments: [
    [], Array("no image".utf8), Array(TinyImage.webp(64, 43, "cut off").dropLast(3)),
    TinyImage.webp(64, 42, "another size, and a longer text"), TinyImage.png(64, 43),
    TinyImage.webp(64, 43, "whole, and other bytes than its record says"),
  ])
  func aBrokenFileIsReplaced(_ bytes: [UInt8]) async throws {
    let run = try Self.begun()
    let first = try await run.run(["a": "photo"])
    let (path, files) = (try first.paths(0)[0], run.output.files)
    try run.output.write(path, bytes)
    let second = try await run.run(["a": "photo"])
    #expect(second.decodes == [1] && second.lines == first.lines)
    #expect(second.report.variantsStanding == 0)
    #expect(run.output.files == files)
  }

  @Test func aFileThatCannotBeReadIsReplaced() async throws {
    let run = try Self.begun()
    let first = try await run.run(["a": "photo"])
    let (path, files) = (try first.paths(0)[0], run.output.files)
    try run.output.write(path, TinyImage.webp(64, 43, "another text, and a longer one"))
    run.output.setUnreadable(path)
    let second = try await run.run(["a": "photo"])
    #expect(second.lines == first.lines && second.report.variantsStanding == 0)
    #expect(run.output.files == files)
  }
}
