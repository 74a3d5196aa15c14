import TesseraBytes
import TesseraCatalog
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

/// Files of tables, byte by byte, as `Pipelines/CATALOG.md` describes them.
@Suite struct TableFilesTests {
  typealias Entry = StateStore.TableEntry

  private let run: RunInMemory
  private let workers = FakeTableWorkers()
  private let runContext: RunContext

  init() async throws {
    run = try RunInMemory()
    runContext = RunContext(
      run.file, .everything, run: try await run.state.beginRun(boot: "test"), onlyFailed: false,
      clock: run.clock.wallClock, state: run.state, fetcher: run.fetcher, transcoder: workers,
      memory: 1, output: run.output, workspace: run.workspace, cache: nil,
      recorder: RunRecorder(), lines: try run.lines())
  }

  /// Publishes a file, and describes the image that it is of.
  private func entry(
    _ id: String, _ text: String, width: Int = 3, height: Int = 2, isWhole: Bool = true
  ) async throws -> Entry {
    let file = try await run.publish(
      text, width: width, height: height, has: isWhole ? nil : String(text.reversed()))
    return Entry(
      hash: TablePlace.hash(of: id), id: id, path: file.path, type: "image/jpeg", width: width,
      height: height, bytes: file.bytes)
  }

  private func entries(_ texts: [(id: String, text: String)]) async throws -> [Entry] {
    var entries: [Entry] = []
    for (id, text) in texts { entries.append(try await entry(id, text)) }
    return entries
  }

  private func part(_ pixels: TablePixels, _ entries: [Entry]) -> TablePart {
    TablePart(pixels, .all, entries.sorted { $0.hash < $1.hash }, run.file.plan)
  }

  private static func little(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// A file of 8-bit grey pixels in cells of 3 x 2 pixels. Rows begin at multiples of 64 bytes.
  private static func grey(_ images: [(entry: Entry, text: String)]) -> [UInt8] {
    let count = images.count
    let pages = (64 + count * 24 + 16_383) / 16_384 * 16_384
    var bytes: [UInt8] = [0x89, 0x54, 0x53, 0x50, 0x0D, 0x0A, 0x1A, 0x0A]
    for value in [1, 4, 1, 0] { bytes += little(value, 2) }
    for value in [3, 2, 64, count] { bytes += little(value, 4) }
    for value in [128, 64, pages, pages + count * 128] { bytes += little(value, 8) }
    for (entry, _) in images {
      bytes += TableHash.of(entry.id) + little(entry.width, 2) + little(entry.height, 2)
      bytes += [0, 0, 0, 0]
    }
    bytes += [UInt8](repeating: 0, count: pages - bytes.count)
    for (_, text) in images {
      let data = Array(text.utf8)
      bytes += (0..<128).map { data[$0 % data.count] }
    }
    return bytes
  }

  private var report: RunReport { runContext.recorder.current }

  @Test func aFileOfPixelsIsMadeOnce() async throws {
    let texts = [("a", "one"), ("b", "second"), ("c", "3")]
    var images = zip(try await entries(texts), texts).map { (entry: $0, text: $1.1) }
    images.sort { $0.entry.hash < $1.entry.hash }
    // Two images may share a file.
    images[1].entry.path = images[0].entry.path
    images[1].entry.bytes = images[0].entry.bytes
    images[1].text = images[0].text
    let part = part(.grey8, images.map(\.entry))
    let made = try #require(try await TableFiles(runContext).file(part))
    let expected = Self.grey(images)
    let digest = SHA256.of(expected)
    #expect(try run.output.read(made.path, 1 << 20, at: 0) == expected)
    #expect(
      made
        == CatalogTable.File(
          path: "tables/\(digest.prefix(2))/\(digest.prefix(32))-3x2.grey8", prefix: "", width: 3,
          height: 2, count: 3, bytes: expected.count, sha256: digest))
    let (length, last) = (images[0].text.utf8.count, images[2].text.utf8.count)
    let size = Size(3, 2)
    #expect(
      workers.takeJobs() == [
        TableJob(
          pixels: .grey8, rowBytes: 64, entryBytes: 128, background: .white,
          maximumPixels: run.file.limits.pixels,
          entries: [
            .init(offset: 0, length: length, format: "jpeg", size: size),
            .init(offset: 0, length: length, format: "jpeg", size: size),
            .init(offset: length, length: last, format: "jpeg", size: size),
          ])
      ])
    #expect((report.tablesMade, report.bytesWritten) == (1, expected.count))
    // A later run finds it, as long as it is there.
    #expect(try await TableFiles(runContext).file(part) == made)
    #expect((report.tablesMade, report.tablesReused) == (1, 1))
    #expect(workers.takeJobs() == [])
    run.output.delete(made.path)
    #expect(try await TableFiles(runContext).file(part) == made)
    #expect((report.tablesMade, report.tablesReused) == (2, 1))
  }

  /// Results of several jobs are put together in their order.
  @Test func manyImagesAreSeveralJobs() async throws {
    let texts = (0..<1_100).map { ("\($0)", "x\($0)") }
    var images = zip(try await entries(texts), texts).map { (entry: $0, text: $1.1) }
    images.sort { $0.entry.hash < $1.entry.hash }
    let made = try #require(
      try await TableFiles(runContext).file(part(.grey8, images.map(\.entry))))
    let jobs = workers.takeJobs()
    #expect(jobs.map(\.entries.count) == [256, 256, 256, 256, 76])
    // The index of that many entries takes more than one page.
    let expected = Self.grey(images)
    #expect(made.bytes == 32_768 + 1_100 * 128)
    #expect(made.bytes == expected.count)
    #expect(made.sha256 == SHA256.of(expected))
  }

  /// An image that crashes a worker is found by halves; a damaged or missing file is not an image.
  @Test func imagesThatCannotBeDecodedAreLeftOut() async throws {
    var entries = try await entries(["a", "b", "d", "e"].map { ($0, "fine \($0)") })
    entries.append(try await entry("c", "bad image"))
    entries.append(try await entry("f", "fine f", width: 50, height: 40, isWhole: false))
    let missing = try await entry("g", "gone")
    run.output.delete(missing.path)
    entries.append(missing)
    let part = part(.grey8, entries)
    for round in 1...2 {
      let made = try #require(try await TableFiles(runContext).file(part))
      let whole = part.entries.filter { ["a", "b", "d", "e"].contains($0.id) }
      let expected = Self.grey(whole.map { ($0, "fine \($0.id)") })
      #expect(try run.output.read(made.path, 1 << 20, at: 0) == expected)
      #expect((made.width, made.height, made.count) == (3, 2, 4))
      // The next run tries again: what is missing may be there by then.
      #expect((report.tablesMade, report.tablesReused) == (round, 0))
      #expect(report.tablesLeftOut == 3 * round)
    }
    #expect(try await TableFiles(runContext).file(self.part(.grey8, [missing])) == nil)
    #expect(report.tablesMade == 2)
  }

  /// The image may be whole, so a table without it would stay wrong.
  @Test func aFileThatCannotBeReadEndsTheRun() async throws {
    let entries = try await entries([("a", "fine a"), ("b", "fine b")])
    run.output.setUnreadable(entries[0].path)
    await #expect(throws: SystemError.self) {
      try await TableFiles(runContext).file(part(.grey8, entries))
    }
    #expect(run.output.paths.filter { $0.hasPrefix("tables") } == [])
  }

  @Test func anotherResultThanReportedIsAnError() async throws {
    let part = part(.grey8, try await entries([("a", "one")]))
    for excess in [1, 128] {
      workers.makeMore(excess)
      let error = await #expect(throws: TesseraError.self) {
        try await TableFiles(runContext).file(part)
      }
      #expect(
        error?.description == "a worker's pixels of a table were not what it reported")
    }
    workers.makeMore(0)
    workers.fail(TranscodeFailure(.local, "no memory"))
    let error = await #expect(throws: TesseraError.self) {
      try await TableFiles(runContext).file(part)
    }
    #expect(error?.description == "no memory")
    #expect(run.output.paths.filter { $0.hasPrefix("tables") } == [])
  }

  /// Closed workers mean that the run's time is over.
  @Test(arguments: [TablePixels.bgra8, .webp])
  func afterTheDeadlineNothingIsMade(_ pixels: TablePixels) async throws {
    workers.fail(TranscodeFailure(.cancelled, "closed"))
    let entries = try await entries((0..<300).map { ("\($0)", "x\($0)") })
    #expect(try await TableFiles(runContext).file(part(pixels, entries)) == nil)
    #expect((report.tablesUnmade, report.tablesMade) == (1, 0))
  }

  @Test func aCellThatNoTableHasIsAnError() async throws {
    let part = part(.bgra8, [try await entry("a", "one", width: 1_025, height: 7)])
    let error = await #expect(throws: TesseraError.self) {
      try await TableFiles(runContext).file(part)
    }
    #expect(
      error?.description
        == "a table could not be made: its cell has 1025 x 7 pixels; run again, or remove "
        + "\"tables\" from the pipeline file")
  }
}
