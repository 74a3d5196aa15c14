import TesseraCatalog
import TesseraMemoryOutput
import TesseraNet
import TesseraTestSupport
import Testing

@testable import TesseraOutput
@testable import TesseraPipeline
@testable import TesseraPipelineFile
@testable import TesseraState

/// Whatever became of the last catalog, the next one is that of a run without one.
@Suite struct ParentTests {
  private static let path = "catalog.json"

  private typealias Chunks = ChunkReuseTests

  /// The manifest of a second run, and the catalog that it has without a first one.
  private static let second =
    Chunks.lines(0..<40) + [Chunks.line("new", 85)] + Chunks.lines(40..<80)

  private static func expected() async throws -> String {
    try await Chunks.begun().wholeRun(second).catalog
  }

  /// A run that has left a catalog, and its files.
  private static func first() async throws -> (RunInMemory, files: [String: [UInt8]]) {
    let run = try Chunks.begun()
    _ = try await run.wholeRun(Chunks.lines(0..<80))
    _ = (run.fetcher.takeLog(), run.transcoder.takeDecodes())
    return (run, run.output.files)
  }

  /// Its mark has the size of each file, so that a run which follows it finds the catalog as the last run left it.
  @Test(arguments: tried(of: Array(0..<(isSoak ? 1_000 : 40))))
  func aFlippedBitIsNeverCopied(_ seed: Int) async throws {
    let (run, files) = try await Self.first()
    var catalog = try #require(files[Self.path])
    var numbers = SeededNumbers(seed)
    for _ in 0...numbers.next(below: 4) {
      let bit = numbers.next(below: catalog.count * 8)
      catalog[bit / 8] ^= 1 << (bit % 8)
    }
    try run.output.write(Self.path, catalog)
    let second = try await run.wholeRun(Self.second) { $0.allowsLoss = true }
    #expect(try await second.catalog == Self.expected())
    // What it said of them is known without it.
    #expect(run.fetcher.takeLog().count == 1 && run.transcoder.takeDecodes().count == 1)
    #expect(try await Chunks.stood(run) > 30)
  }

  /// What may stand in its place.
  enum Other: CaseIterable {
    case missing, empty, cut, older, shifted, foreign
  }

  @Test(arguments: Other.allCases) func anotherParentCostsTimeAlone(_ other: Other) async throws {
    let (run, files) = try await Self.first()
    let catalog = try #require(files[Self.path])
    switch other {
    case .missing: run.output.delete(Self.path)
    case .empty: try run.output.write(Self.path, [])
    case .cut: try run.output.write(Self.path, Array(catalog.prefix(catalog.count / 2)))
    case .older:
      _ = try await run.wholeRun([Chunks.line("p0", 3)] + Chunks.lines(1..<80))
      try run.output.write(Self.path, catalog)
    case .shifted: try run.output.write(Self.path, [UInt8(ascii: " ")] + catalog)
    case .foreign:
      let foreign = try Chunks.begun()
      _ = try await foreign.wholeRun(Chunks.lines(0..<80).reversed())
      try run.output.write(Self.path, foreign.output.bytes(of: Self.path))
    }
    _ = (run.fetcher.takeLog(), run.transcoder.takeDecodes())
    let second = try await run.wholeRun(Self.second) { $0.allowsLoss = true }
    #expect(try await second.catalog == Self.expected())
    #expect(run.fetcher.takeLog().count == 1 && run.transcoder.takeDecodes().count == 1)
    // The next one has a parent again.
    _ = try await run.wholeRun(Self.second + [Chunks.line("last", 86)])
    #expect(try await Chunks.stood(run) > 50)
  }

  /// Without a mark of the output, or of items that are looked at for another reason, lines are taken one by one.
  @Test(arguments: [false, true]) func linesAreTakenOneByOne(_ isNewestFirst: Bool) async throws {
    var (run, _) = try await Self.first()
    run.output.hasMark = false
    if isNewestFirst { run.file.fetch.order = .newestFirst }
    let second = try await run.wholeRun(Self.second)
    #expect(try await second.catalog == Self.expected())
    #expect(run.fetcher.takeLog().count == 1)
    #expect(second.report.changes == [.new: 1, .reused: 80])
    #expect(try await Chunks.stood(run) == 0)
    // The server has to confirm them.
    run.clock.set(day: 2)
    #expect(try await run.wholeRun(Self.second).catalog == Self.expected())
    #expect(run.fetcher.takeLog().count == 81 && run.transcoder.takeDecodes().count == 1)
  }

  /// The lines of images that `forget` takes out are gone, and all others are found where they are then.
  @Test func linesAreFoundBehindAForgottenOne() async throws {
    let (run, _) = try await Self.first()
    let state = try StateStore(path: run.workspace.statePath())
    var erasure = try await CatalogErasure(["p20", "p79"], from: run.output, run.workspace)
    try await erasure.eraseCurrent()
    try await state.move(erasure.edits)
    let index = try await state.chunkIndex()
    let parent = ParentLines(
      index, in: try await run.output.open(Self.path, run.workspace))
    let found = index.chunks.filter { parent.bytes(of: $0) != nil }
    #expect(found == index.chunks && found.reduce(0) { $0 + $1.count } > 40)
    #expect(found.contains { $0.line > 30 } && found.contains { $0.line < 10 })
  }

  /// A shard's parent is its own last result.
  @Test func aShardTakesItsOwnLines() async throws {
    let run = try Chunks.begun()
    let shard: (inout RunOptions) -> Void = { $0.shard = RunOptions.shard("1/3") }
    let result = ShardHeader.path(1, of: 3)
    _ = try await run.wholeRun(Self.second, shard)
    let first = try run.output.bytes(of: result)
    _ = run.fetcher.takeLog()
    let again = try await run.wholeRun(Self.second, shard)
    #expect(try run.output.bytes(of: result) == first)
    #expect(run.fetcher.takeLog() == [] && again.report.changes.keys.elementsEqual([.reused]))
    run.clock.set(day: 2)
    _ = try await run.wholeRun(Self.second, shard)
    #expect(try run.output.bytes(of: result) == first)
  }
}
