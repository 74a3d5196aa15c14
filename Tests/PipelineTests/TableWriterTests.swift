import TesseraBytes
import TesseraCatalog
import TesseraJSON
import TesseraManifest
import TesseraMemoryOutput
import TesseraNet
import TesseraOutput
import TesseraPlan
import TesseraSystem
import TesseraTestSupport
import TesseraWorkers
import Testing

@testable import TesseraPipeline
@testable import TesseraPipelineFile
@testable import TesseraState

/// Atlases, and the tables of a whole catalog.
@Suite struct TableWriterTests {
  private var run: RunInMemory
  private let workers = FakeTableWorkers()

  init() throws { run = try RunInMemory() }

  private func runContext() async throws -> RunContext {
    RunContext(
      run.file, .everything, run: try await run.state.beginRun(boot: "test"), onlyFailed: false,
      clock: run.clock.wallClock, state: run.state, fetcher: run.fetcher, transcoder: workers,
      memory: 1, output: run.output, workspace: run.workspace, cache: nil,
      recorder: RunRecorder(), lines: try run.lines())
  }

  /// Publishes the files of images of 3 x 2 pixels: an id and its bytes each.
  private func entries(
    _ images: [(id: String, text: String)]
  ) async throws -> [StateStore.TableEntry] {
    var entries: [StateStore.TableEntry] = []
    for (id, text) in images {
      let file = try await run.publish(text)
      entries.append(
        StateStore.TableEntry(
          hash: TablePlace.hash(of: id), id: id, path: file.path, type: "image/webp", width: 3,
          height: 2, bytes: file.bytes))
    }
    return entries.sorted { $0.hash < $1.hash }
  }

  // MARK: Atlases

  @Test func anAtlasHasAnIndex() async throws {
    let runContext = try await runContext()
    let entries = try await entries([("a", "one"), ("b", "second")])
    let (ids, lengths) = (entries.map(\.id), entries.map(\.bytes))
    let atlas = TinyImage.webp(32, 16, "atlas")
    workers.makeAtlas(atlas)
    let part = TablePart(.webp, .all, entries, run.file.plan)
    let made = try #require(try await TableFiles(runContext).file(part))
    let digest = SHA256.of(atlas)
    let path = "tables/\(digest.prefix(2))/\(digest.prefix(32))-32x16.webp"
    let document =
      #"{"image":"\#(path)","width":32,"height":16,"images":{"\#(ids[0])":[0,0,3,2],"#
      + #""\#(ids[1])":[16,0,3,2]}}"# + "\n"
    let indexDigest = SHA256.of(document)
    let index = "tables/\(indexDigest.prefix(2))/\(indexDigest.prefix(32)).json"
    let expected = CatalogTable.File(
      path: path, prefix: "", width: 32, height: 16, count: 2, bytes: atlas.count, sha256: digest,
      index: index)
    #expect(made == expected)
    #expect(try run.output.text(index) == document)
    #expect(try run.output.read(path, 1 << 16, at: 0) == atlas)
    var jobEntries = [
      TableJob.Entry(offset: 0, length: lengths[0], format: "webp", size: Size(3, 2)),
      TableJob.Entry(offset: lengths[0], length: lengths[1], format: "webp", size: Size(3, 2)),
    ]
    jobEntries[1].x = 16
    #expect(
      workers.takeJobs() == [
        TableJob(
          pixels: .webp, rowBytes: 0, entryBytes: 0, background: .white,
          atlas: .init(size: Size(32, 16), quality: 80, effort: 4),
          maximumPixels: run.file.limits.pixels, entries: jobEntries)
      ])
    #expect(runContext.recorder.current.bytesWritten == atlas.count + document.utf8.count)
  }

  /// Both files have to be there for a later run.
  @Test func anAtlasIsMadeOnce() async throws {
    let runContext = try await runContext()
    workers.makeAtlas(TinyImage.webp(32, 16, "atlas"))
    let part = TablePart(
      .webp, .all, try await entries([("a", "one"), ("b", "second")]), run.file.plan)
    let expected = try #require(try await TableFiles(runContext).file(part))
    let (path, index) = (expected.path, try #require(expected.index))
    let document = try run.output.text(index)
    #expect(try await TableFiles(runContext).file(part) == expected)
    #expect(runContext.recorder.current.tablesReused == 1)
    for lost in [index, path] {
      run.output.delete(lost)
      #expect(try await TableFiles(runContext).file(part) == expected)
      #expect(try run.output.text(index) == document)
    }
    #expect(
      (runContext.recorder.current.tablesReused, runContext.recorder.current.tablesMade) == (1, 3))
  }

  /// A worker's atlas is measured: its format and both of its sides.
  @Test(arguments: [
    [], TinyImage.webp(31, 16), TinyImage.webp(32, 17), TinyImage.png(32, 16),
  ])
  func anotherAtlasThanPlannedIsAnError(_ bytes: [UInt8]) async throws {
    workers.makeAtlas(bytes)
    let part = TablePart(
      .webp, .all, try await entries([("a", "one"), ("b", "second")]), run.file.plan)
    let runContext = try await runContext()
    let error = await #expect(throws: TesseraError.self) {
      try await TableFiles(runContext).file(part)
    }
    #expect(error?.description == "a worker's atlas was not what it reported")
  }

  @Test func anImageThatCrashesAnAtlasIsFound() async throws {
    var images = (0..<300).map { ("\($0)", "x\($0)") }
    let order = images.map(\.0).sorted { TablePlace.hash(of: $0) < TablePlace.hash(of: $1) }
    let crashing = [order[3], order[280]]
    for index in images.indices where crashing.contains(images[index].0) {
      images[index].1 = "bad \(index)"
    }
    // 298 images in 18 columns of 16 pixels, as the square demands.
    workers.makeAtlas(TinyImage.webp(18 * 16, 17 * 16))
    let runContext = try await runContext()
    let part = TablePart(.webp, .all, try await entries(images), run.file.plan)
    let made = try #require(try await TableFiles(runContext).file(part))
    #expect(made.count == 298)
    let document = try run.output.text(try #require(made.index))
    let shown = try #require(try JSONParser.parse(Array(document.utf8))["images"])
    #expect(images.map(\.0).filter { shown[$0] == nil }.sorted() == crashing.sorted())
    #expect(runContext.recorder.current.tablesLeftOut == 2)
  }

  /// If no image is at fault, the atlas is.
  @Test func anAtlasThatFailsByItselfIsAnError() async throws {
    workers.failAtlas(TranscodeFailure(.encode, "too many colours"))
    let runContext = try await runContext()
    let part = TablePart(.webp, .all, try await entries([("a", "one")]), run.file.plan)
    let error = await #expect(throws: TesseraError.self) {
      try await TableFiles(runContext).file(part)
    }
    #expect(error?.description.hasPrefix("a table could not be made: too many colours;") == true)
  }

  // MARK: Catalogs

  /// Saves the lines of a catalog, each of an image with one file, and makes its tables.
  private func tables(
    _ ids: [String], text: (String) -> String = { "x\($0)" }
  ) async throws -> (tables: [String: [CatalogTable]]?, report: RunReport) {
    let runContext = try await runContext()
    var lines: [String] = []
    for id in ids {
      let entry = try await entries([(id, text(id))])[0]
      let source = FileName.parts(of: entry.path)?.source ?? ""
      lines.append(
        #"{"id":"\#(id)","status":"ok","source":"\#(source)","variants":[{"width":3,"height":2,"#
          + #""bytes":[\#(entry.bytes)]}],"slots":{"card":{"variants":[0]}}}"#)
    }
    struct Silence: RunObserving {
      func began(_ progress: @escaping @Sendable () -> RunProgress) {}
      func happened(_ event: RunEvent) {}
    }
    let meter = ProgressMeter(runContext.recorder, Silence())
    return (
      try await TableWriter(runContext, GivenLines(lines: lines), meter).write(),
      runContext.recorder.current
    )
  }

  @Test func eachPlaceHasATableForEachKindOfPixels() async throws {
    var test = self
    #expect(try await test.tables(["a"]).tables == nil)
    test.run.file.tables = [
      .init(slot: "card", scales: [1], pixels: [.grey8, .rgb565]),
      .init(slot: "hero", scales: [1], pixels: [.bgra8]),
    ]
    let (tables, report) = try await test.tables(["a", "b"])
    #expect(tables?.keys.sorted() == ["card", "hero"])
    let card = try #require(tables?["card"])
    #expect(card.map(\.pixels) == ["grey8", "rgb565"] && card.map(\.scale) == [1, 1])
    #expect(card.flatMap(\.files).map(\.count) == [2, 2])
    // No image is in that slot.
    #expect(tables?["hero"] == [CatalogTable(scale: 1, pixels: "bgra8", files: [])])
    #expect((report.tablesMade, report.warnings) == (2, []))
    let again = try await test.tables(["a", "b"])
    #expect(again.tables == tables)
    #expect((again.report.tablesMade, again.report.tablesReused) == (0, 2))
  }

  /// More than two thousand images are divided by the first bit of their hashes.
  @Test func aLargeTableHasSeveralFiles() async throws {
    var test = self
    test.run.file.tables = [.init(slot: "card", scales: [1], pixels: [.grey8])]
    let ids = (0..<2_001).map { "\($0)" }
    let files = try #require(
      try await test.tables(ids, text: { _ in "x" }).tables?["card"]?[0].files)
    #expect(files.map(\.prefix) == ["0", "1"])
    let upper = ids.count { TableHash.of($0)[0] >= 0x80 }
    #expect(files.map(\.count) == [2_001 - upper, upper])
  }

  @Test func whatIsMissingIsAWarning() async throws {
    var test = self
    test.run.file.tables = [.init(slot: "card", scales: [1], pixels: [.grey8, .rgb565])]
    let damaged = try await test.tables(["a", "b", "c"], text: { $0 == "b" ? "bad" : "x\($0)" })
    #expect(damaged.tables?["card"]?.flatMap(\.files).map(\.count) == [2, 2])
    #expect(
      damaged.report.warnings == [
        "2 images are missing in tables, because their files can't be decoded; "
          + "tessera verify --deep shows which files are damaged"
      ])
    test.workers.fail(TranscodeFailure(.cancelled, "closed"))
    let late = try await test.tables(["d"])
    #expect(late.tables?["card"]?.map(\.files) == [[], []])
    #expect(
      late.report.warnings == ["2 files of tables were not made before the run's deadline"])
  }
}
