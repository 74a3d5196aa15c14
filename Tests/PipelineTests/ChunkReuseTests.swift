import Foundation
import TesseraCatalog
import TesseraManifest
import TesseraMemoryOutput
import TesseraOutput
import TesseraPlan
import TesseraSystem
import TesseraTestSupport
import TesseraText
import Testing

@testable import TesseraPipeline
@testable import TesseraPipelineFile
@testable import TesseraState

/// Runs that look only at what has changed have the catalogs of runs that look at everything.
@Suite struct ChunkReuseTests {
  static func line(_ id: String, _ source: Int) -> String {
    #"{"id":"\#(id)","url":"\#(RunInMemory.url("\(source)"))"}"#
  }

  static func lines(_ range: Range<Int>) -> [String] { range.map { line("p\($0)", $0) } }

  /// - Parameter hasMark: whether the output shows that nothing in it has changed.
  static func begun(hasMark: Bool = true, sources: Int = 150) throws -> RunInMemory {
    let run = try RunInMemory()
    for source in 0..<sources {
      run.serve(
        "\(source)",
        .image(
          TinyImage.webp(100 + source, 80, "\(source)"), etag: "\"\(source)\"", freshFor: 86_400))
    }
    run.output.hasMark = hasMark
    return run
  }

  /// How many items of the last run were not looked at.
  static func stood(_ run: RunInMemory) async throws -> Int {
    try await StateStore(path: run.workspace.statePath()).chunkIndex().chunks
      .reduce(0) { $0 + ($1.hasStood ? $1.count : 0) }
  }

  @Test func onlyWhatHasChangedIsLookedAt() async throws {
    let run = try Self.begun()
    var lines = Self.lines(0..<100)
    _ = try await run.wholeRun(lines)
    #expect(try await Self.stood(run) == 0)
    lines[50] = Self.line("p50", 140)
    lines.insert(Self.line("new", 141), at: 0)
    _ = run.fetcher.takeLog()
    let second = try await run.wholeRun(lines)
    #expect(run.fetcher.takeLog().count == 2)
    #expect((40...95).contains(try await Self.stood(run)))
    #expect(second.items.count == 101 && second.items.allSatisfy { $0.hasSuffix(" ok") })
    #expect(second.items.prefix(2) == ["new ok", "p0 ok"])
    let report = second.report
    #expect(report.changes == [.new: 1, .changed: 1, .reused: 99] && report.total == 101)
    #expect(report.variantsAsked == 202)
    #expect(report.variantsMade + report.variantsReused == 202)
    // The next one has nothing to do at all.
    #expect(try await run.wholeRun(lines).catalog == second.catalog)
  }

  /// Each of these has every item looked at.
  @Test func whatConcernsAllItemsIsNoticed() async throws {
    let changes: [(String, (inout RunInMemory) async throws -> Void)] = [
      ("settings", { $0.file.baseURL = "https://c/" }),
      (
        "output",
        { run in
          let file = run.output.paths.first { $0.hasPrefix("variants/") }
          run.output.delete(file ?? "")
        }
      ),
      ("time", { $0.clock.set(day: 1) }), ("clock", { $0.clock.set(day: -1) }),
      ("revalidation", { $0.file.fetch.revalidation = .always }),
      ("headers", { $0.file.fetch.headers = [.init(name: "X-Key", value: "1", host: nil)] }),
      // A run that was killed, of which nothing is known.
      (
        "kill",
        { run in
          let state = try StateStore(path: run.workspace.statePath())
          _ = try await state.beginRun(boot: "test")
          try await state.commit()
        }
      ),
    ]
    for (name, change) in changes {
      var run = try Self.begun()
      _ = try await run.wholeRun(Self.lines(0..<60))
      try await change(&run)
      let second = try await run.wholeRun(Self.lines(0..<61))
      #expect(try await Self.stood(run) == 0, "\(name)")
      #expect(second.items.allSatisfy { $0.hasSuffix(" ok") }, "\(name)")
    }
  }

  /// A stretch with an image that failed is looked at in every run, and the others are not.
  @Test func failuresAreTriedAgain() async throws {
    let run = try Self.begun()
    run.serve("30", .status(404))
    let first = try await run.wholeRun(Self.lines(0..<100))
    #expect(first.items[30] == "p30 failed http-status")
    _ = try await run.wholeRun(Self.lines(0..<101))
    #expect((50...95).contains(try await Self.stood(run)))
    run.serve("30", .image(TinyImage.webp(130, 80, "30"), etag: "\"x\"", freshFor: 86_400))
    #expect(try await run.wholeRun(Self.lines(0..<102)).items[30] == "p30 ok")
    // Now it stands, too.
    _ = try await run.wholeRun(Self.lines(0..<103))
    #expect(try await Self.stood(run) > 85)
  }

  // MARK: Any changes

  private static func edit(_ lines: inout [String], _ numbers: inout SeededNumbers) {
    let place = numbers.next(below: lines.count)
    let source = numbers.next(below: 150)
    switch numbers.next(below: 9) {
    case 0: lines[place] = line("p\(place)", source)
    case 1: lines.insert(line("n\(source)", source), at: place)
    case 2: lines.remove(at: place)
    case 3: lines.insert(lines.remove(at: place), at: numbers.next(below: lines.count))
    case 4: lines.insert(lines[numbers.next(below: lines.count)], at: place)
    // An id with another URL, before or behind its first line.
    case 5: lines.insert(line("p\(numbers.next(below: 100))", source), at: place)
    case 6: lines.insert("{", at: place)
    case 7: lines = Array(lines[place...] + lines[..<place])
    default: lines[place] += " "
    }
  }

  /// With a mapping, images of one id are items of their own.
  @Test(arguments: tried(of: Array(1...6)), [false, true])
  func catalogsAreThoseOfRunsThatLookAtEverything(_ seed: Int, _ sharesIDs: Bool) async throws {
    var numbers = SeededNumbers(seed)
    var (run, reference) = (try Self.begun(), try Self.begun(hasMark: false))
    if sharesIDs {
      run.file.columns = ColumnMapping([.url: ["url"], .id: ["id"]])
      reference.file.columns = run.file.columns
    }
    var lines = Self.lines(0..<100)
    var stood = 0
    for round in 0..<14 {
      let one = try await run.wholeRun(lines) { $0.allowsShrink = true }
      let other = try await reference.wholeRun(lines) { $0.allowsShrink = true }
      #expect(one.catalog == other.catalog, "\(round)")
      #expect(one.items == other.items && one.report.counts == other.report.counts, "\(round)")
      #expect(one.report.changes == other.report.changes, "\(round)")
      #expect(one.report.problems == other.report.problems, "\(round)")
      #expect(one.report.variantsAsked == other.report.variantsAsked, "\(round)")
      stood += try await Self.stood(run)
      #expect(try await Self.stood(reference) == 0)
      for _ in 0...numbers.next(below: 4) { Self.edit(&lines, &numbers) }
      switch numbers.next(below: 8) {
      case 0:
        for one in [run, reference] { one.clock.set(day: Double(round + 1) * 0.3) }
      case 1:
        // A run that was killed with some of its items claimed.
        for one in [run, reference] {
          let state = try StateStore(path: one.workspace.statePath())
          _ = try await state.claim(
            [.init(id: "p3", line: 1, entry: "x"), .init(id: "killed", line: 2, entry: "y")],
            run: try await state.beginRun(boot: "test"))
          try await state.commit()
        }
      default: break
      }
    }
    #expect(stood > 200, "\(stood)")
  }

  /// Whatever bits of the state, or of the chunks in it, flip: the catalog is that of a whole one, or the state is set aside,
  /// and everything is requested again. A soak takes 1,000 of each.
  @Test(.faults(.f9), arguments: tried(of: Array(0..<(isSoak ? 67 : 6))), [false, true])
  func flippedBitsNeverChangeTheCatalog(_ part: Int, _ areOfChunks: Bool) async throws {
    let run = try Self.begun()
    _ = try await run.wholeRun(Self.lines(0..<80))
    let path = try run.workspace.statePath()
    try await StateStore(path: path).close()
    let chunks = try await StateStore(path: path).chunkIndex().chunks
    let data = try Data(contentsOf: URL(filePath: path))
    let (state, files) = (Array(data), run.output.files)
    let places = chunks.compactMap { chunk in
      var bytes: [UInt8] = []
      chunk.write(to: &bytes)
      return data.firstRange(of: bytes)
    }
    #expect(places.count > 3)
    let lines = Self.lines(0..<40) + [Self.line("new", 120)] + Self.lines(40..<80)
    let reference = try await Self.begun(hasMark: false).wholeRun(lines)
    var (numbers, stood) = (SeededNumbers(part), 0)
    for _ in 0..<15 {
      var flipped = state
      var place = 0..<state.count
      if areOfChunks { place = places[numbers.next(below: places.count)] }
      var bit = 0
      for _ in 0...numbers.next(below: 4) {
        bit = place.lowerBound * 8 + numbers.next(below: place.count * 8)
        flipped[bit / 8] ^= 1 << (bit % 8)
      }
      for end in ["-wal", "-shm"] { try? FileSystem.remove(path + end) }
      try Data(flipped).write(to: URL(filePath: path))
      run.output.files = files
      let outcome = try await run.wholeRun(lines)
      #expect(outcome.catalog == reference.catalog, "bit \(bit)")
      stood += try await Self.stood(run)
    }
    #expect(stood > 0)
  }

  /// The number of the run in a row, and its copy in an index: a row that says that the run has had its items must not drop
  /// them as repeated ones.
  @Test func aFlippedRunNumberNeverDropsImages() async throws {
    let run = try Self.begun()
    // A run number whose bytes are nowhere else.
    let path = try run.workspace.statePath()
    try await StateStore(path: path).close()
    try Database(path).execute("INSERT INTO runs (number) VALUES (\(0x0F4240))")
    _ = try await run.wholeRun(Self.lines(0..<60))
    try await StateStore(path: path).close()
    let (state, files) = (Array(try Data(contentsOf: URL(filePath: path))), run.output.files)
    let lines = Self.lines(0..<30) + [Self.line("new", 120)] + Self.lines(30..<60)
    let reference = try await Self.begun(hasMark: false).wholeRun(lines)
    let places = state.indices.dropLast(2).filter { state[$0...].starts(with: [0x0F, 0x42, 0x41]) }
    #expect(places.count >= 10)
    for place in tried(of: places) {
      var flipped = state
      flipped[place + 2] = 0x42
      for end in ["-wal", "-shm"] { try? FileSystem.remove(path + end) }
      try Data(flipped).write(to: URL(filePath: path))
      run.output.files = files
      #expect(try await run.wholeRun(lines).catalog == reference.catalog, "\(place)")
    }
  }

  /// Another item of the same source finds that it has changed before its time. Lines that were made from the old one are made
  /// again by the next run, though nothing else has changed.
  @Test(arguments: [true, false]) func aSharedSourceThatChangesIsNoticed(_ isBefore: Bool)
    async throws
  {
    var run = try Self.begun()
    let other =
      #"{"id":"other","url":"\#(RunInMemory.url("50"))","slots":["card"],"focus":[0.1,0.2]}"#
    let lines = Self.lines(0..<100)
    run.file.plan.slots[0] = Slot("card", width: 60, height: 30, mode: .clip)
    _ = try await run.wholeRun(lines)
    let image = TinyImage.webp(99, 77, "changed")
    run.serve("50", .image(image, etag: "\"new\"", freshFor: 86_400))
    let more = isBefore ? [other] + lines : lines + [other]
    _ = try await run.wholeRun(more)
    let last = try await run.wholeRun(more)
    let whole = try Self.begun(hasMark: false)
    whole.serve("50", .image(image, etag: "\"new\"", freshFor: 86_400))
    var reference = whole
    reference.file = run.file
    let expected = try await reference.wholeRun(more)
    #expect(last.items == expected.items)
    #expect(last.catalog == expected.catalog)
  }
}
