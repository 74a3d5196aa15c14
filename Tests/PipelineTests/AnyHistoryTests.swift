import Foundation
import TesseraCatalog
import TesseraManifest
import TesseraState
import TesseraSystem
import TesseraTestSupport
import TesseraText
import Testing

@testable import TesseraOutput
@testable import TesseraPipeline
@testable import TesseraPipelineFile
@testable import tessera

/// Whatever happened to an output before, a run does what was said of it, its catalog is that of a new output, and no file is
/// lost that a catalog of the last week names.
@Suite struct AnyHistoryTests {
  /// A soak takes 2,000 steps.
  @Test(.takesSeconds, arguments: tried(of: Array(1...100)).prefix(isSoak ? 100 : 8))
  func catalogsAreThoseOfNewOutputs(_ seed: Int) async throws {
    var history = try History(seed)
    try await history.runAll()
    for step in 1...20 {
      let name = try await history.step()
      try history.checkFiles("seed \(seed), step \(step): \(name)")
      try history.checkForgotten("seed \(seed), step \(step): \(name)")
      if let known = history.knownCatalog {
        #expect(try history.catalog() == known, "seed \(seed), step \(step): \(name)")
      } else {
        let fresh = try await history.freshCatalog()
        #expect(try history.catalog() == fresh, "seed \(seed), step \(step): \(name)")
      }
    }
  }
}

/// An output on a disk, and what happens to it.
private struct History {
  private var numbers: SeededNumbers
  private var run: RunInMemory
  private let root: String
  private let output: DirectoryOutput
  private var settings: [String]
  /// An id with its source, and a focus or none.
  private var rows: [(id: Int, source: Int, focus: String)] = (0..<12).map { ($0, $0, "") }
  /// How often each source has changed.
  private var versions = [Int](repeating: 0, count: 20)
  private var day = 0.0
  /// Those of the last run of all images.
  private var lastIDs: Set<Int> = []
  /// The sources that each image has had.
  private var had: [Int: Set<Int>] = [:]
  /// Images that were forgotten; the list still has them. No other image has a source that they have had.
  private var forgotten: Set<Int> = []
  private var forgottenSources: Set<Int> = []
  /// Files that vanished, or were replaced by others.
  private var harmed: Set<String> = []
  private var done: [String] = []
  /// Each catalog that was current, with the day until which it was; the last one still is.
  private var catalogs: [(text: String, digest: String, files: [String], until: Double?)] = []
  /// The catalog that a rollback made current; nil if the next one is to be that of a new output.
  private(set) var knownCatalog: String?

  private static let slots = [
    "{card: {size: 60x}}", "{card: {size: 60x}, hero: {size: 120x}}", "{card: {size: 90x}}",
    "{card: {size: 60x60, mode: clip}, hero: {size: 120x}}",
    "{card: {size: 60x, aspect: [1:1, 1:1]}}",
    "{tall: {size: x80}, card: {size: 60x50, mode: fill}}",
  ]
  private static let variants = [
    "{format: webp}", "{format: webp, quality: 70}", "{format: [webp, png]}",
    "{format: [png, webp]}", "{format: png}", "{format: webp, metadata: keep}",
    "{format: webp, gravity: north}",
  ]
  private static let others = [
    "scales: [1]", "scales: [1, 2]", "rounding: exact", "catalog: {profile: full}",
    "catalog: {changes: 3}", "placeholders: [color]", "upgrade: {format: webp, budget: 60s}",
  ]

  init(_ seed: Int) throws {
    numbers = SeededNumbers(seed)
    run = try RunInMemory()
    settings = [Self.slots[1], Self.variants[0], Self.others[0]]
    root = run.folder.path("output")
    output = try DirectoryOutput(root, creates: true)
    run.workspace = try output.workspace()
    try output.prepare()
    try choose(settings)
    for source in versions.indices { serve(source) }
  }

  private mutating func choose(_ settings: [String]) throws {
    self.settings = settings
    run.file = try Self.file(settings, in: run)
  }

  private static func file(_ settings: [String], in run: RunInMemory) throws -> PipelineFile {
    // Only a better format can be added.
    let hasWebP = settings[1].contains("webp") && settings[2].hasPrefix("upgrade")
    let path = try run.folder.write(
      """
      manifest: manifest.jsonl
      output: output
      slots: \(settings[0])
      variants: \(settings[1])
      \(hasWebP ? "scales: [1]" : settings[2])
      fetch: {retries: 0}
      keep-catalogs: {count: 3, age: 30d}
      """, to: "pipeline.yaml")
    return try PipelineFile.load(path)
  }

  private func serve(_ source: Int) { Self.serve(source, version: versions[source], by: run) }

  private static func serve(_ source: Int, version: Int, by run: RunInMemory) {
    let image = TinyImage.webp(150 + source, 100 + version, "\(source) \(version)")
    run.serve("\(source)", .image(image, etag: "\"\(source)-\(version)\"", freshFor: 43_200))
  }

  private var lines: [String] { Self.lines(rows) }

  /// The rows that a catalog has.
  private var shown: [(id: Int, source: Int, focus: String)] {
    rows.filter { !forgotten.contains($0.id) }
  }

  private static func lines(_ rows: [(id: Int, source: Int, focus: String)]) -> [String] {
    rows.map {
      #"{"id":"p\#($0.id)","url":"\#(RunInMemory.url("\($0.source)"))"\#($0.focus)}"#
    }
  }

  private var now: Double { FakeClock.start + day * 86_400 }

  // MARK: Steps

  /// - Returns: what was done.
  mutating func step() async throws -> String {
    let name = try await nextStep()
    done.append(name)
    return name
  }

  private mutating func nextStep() async throws -> String {
    knownCatalog = nil
    // Names of kept catalogs have whole seconds.
    advance(0.01)
    switch numbers.next(below: 15) {
    case 0, 1:
      for _ in 0...numbers.next(below: 3) { edit() }
      try await runAll()
      return "another list"
    case 2, 3, 4:
      let part = numbers.next(below: 3)
      let choices = [Self.slots, Self.variants, Self.others][part]
      settings[part] = choices[numbers.next(below: choices.count)]
      try choose(settings)
      try await runAll()
      return settings[part]
    case 5:
      let source = numbers.next(below: versions.count)
      versions[source] += 1
      serve(source)
      advance(1)
      try await runAll()
      return "another source \(source)"
    case 6, 7: return try await runShards()
    case 8: return try await rollBack()
    case 9:
      advance(Double(numbers.next(below: 9)))
      _ = try await Pruning(root, grace: .seconds(7 * 86_400), isDryRun: false, now: now).run {
        _ in
      }
      try await runAll()
      return "prune"
    case 10:
      let ids = shown.prefix(3).map { "p\($0.id)" }
      try await runAll()
      try await runAll { $0.selection = RunSelection(ids: ids, refreshes: true) }
      return "some images"
    case 11: return try await forget()
    case 12, 13: return try await harmFiles()
    case 14:
      advance(-Double(1 + numbers.next(below: 3)))
      try await runAll()
      return "a clock that was set back"
    default:
      advance(1)
      try await runAll()
      return "nothing"
    }
  }

  private mutating func advance(_ days: Double) {
    day += days
    run.clock.set(day: day)
  }

  private mutating func edit() {
    let sources = versions.indices.filter { !forgottenSources.contains($0) }
    let place = numbers.next(below: rows.count)
    let source = sources[numbers.next(below: sources.count)]
    let id = (rows.map(\.id).max() ?? 0) + 1
    switch numbers.next(below: 5) {
    case 0 where !forgotten.contains(rows[place].id): rows[place].source = source
    case 1: rows.insert((id, source, ""), at: place)
    case 2 where rows.count > 4: rows.remove(at: place)
    case 3: rows.swapAt(place, numbers.next(below: rows.count))
    default: rows[place].focus = ["", #","focus":[0.1,0.9]"#][numbers.next(below: 2)]
    }
  }

  mutating func runAll(_ change: (inout RunOptions) -> Void = { _ in }) async throws {
    var options = RunOptions(workerPath: "")
    (options.allowsShrink, options.allowsLoss) = (true, true)
    change(&options)
    for row in rows { had[row.id, default: []].insert(row.source) }
    let next = try await forecast(options)
    _ = run.fetcher.takeLog()
    let report = try await run.wholeRun(lines, to: output) { $0 = options }.report
    if let next { check(next, report, requests: run.fetcher.takeLog().count, options) }
    if options.selection == nil { lastIDs = Set(shown.map(\.id)) }
    try noteCatalog()
  }

  /// Nil before the first run.
  private func forecast(_ options: RunOptions) async throws -> RunForecast? {
    try run.folder.write(lines.map { $0 + "\n" }.joined(), to: "manifest.jsonl")
    run.transcoder.open()
    let services = RunServices(
      clock: run.clock.wallClock, startFetcher: { [fetcher = run.fetcher] _ in fetcher },
      startWorkers: { [transcoder = run.transcoder] _ in transcoder })
    return try await Pipeline(run.file, .everything, options)
      .forecast(
        output, StateStore(path: run.workspace.statePath()), nil, RunHistory(), services)
  }

  /// What was said of a run is what it did.
  private func check(
    _ next: RunForecast, _ report: RunReport, requests: Int, _ options: RunOptions
  ) {
    let comment: Comment = "\(settings) \(options) \(done.suffix(4))"
    #expect(next.images == report.total, comment)
    // An upgrade requests what it can.
    guard run.file.upgrade == nil else { return }
    // Of an image whose source another one has, the bytes are still there if its turn comes soon enough.
    let isShared = Set(rows.map(\.source)).count < rows.count
    let expected = next.expected.requests
    #expect(
      (expected...(isShared ? next.most.requests : expected)).contains(requests), comment)
    // How many files a new source needs is a mean of the others.
    if next.new == 0, next.changed == 0 {
      #expect((next.expected.files...next.most.files).contains(report.variantsMade), comment)
    }
    guard options.selection == nil else { return }
    let ids = Set(shown.map(\.id))
    #expect(next.gone == lastIDs.subtracting(ids).count, comment)
    #expect(next.new == ids.subtracting(lastIDs).count, comment)
  }

  /// Shards have states of their own.
  private mutating func runShards() async throws -> String {
    for shard in 0..<2 {
      var part = run
      part.workspace = try output.workspace()
      _ = try await part.wholeRun(lines, to: output) {
        ($0.allowsShrink, $0.allowsLoss, $0.shard) = (true, true, Shard(shard, of: 2))
      }
    }
    _ = try await Merging([root], into: nil, shards: 2, allowsLoss: true, now: now).run()
    try noteCatalog()
    return "shards"
  }

  private mutating func rollBack() async throws -> String {
    let rollback = Rollback(root, now: now)
    let list = try await rollback.list().catalogs
    guard !list.isEmpty else {
      try await runAll()
      return "no rollback"
    }
    let number = numbers.next(below: list.count)
    do {
      _ = try await rollback.run(to: number + 1)
    } catch let error where harmed.contains(where: { "\(error)".contains($0) }) {
      try await runAll()
      return "a catalog that has lost files"
    }
    knownCatalog = catalogs.last { $0.digest == list[number].digest }?.text
    // `forget` makes other catalogs of those that are kept.
    #expect(knownCatalog != nil || !forgotten.isEmpty)
    knownCatalog = try knownCatalog ?? catalog()
    #expect(try Catalog(reading: Array(catalog().utf8)).digest == list[number].digest)
    try noteCatalog()
    return "rollback to \(number + 1)"
  }

  /// An image whose source no other one has.
  private mutating func forget() async throws -> String {
    let alone = shown.filter { row in
      !rows.contains { $0.id != row.id && had[row.id, default: []].contains($0.source) }
    }
    guard alone.count > 4 else {
      try await runAll()
      return "nothing to forget"
    }
    let row = alone[numbers.next(below: alone.count)]
    _ = try await Forgetting(root, ids: ["p\(row.id)"], urls: [], now: now).run()
    forgotten.insert(row.id)
    forgottenSources.formUnion(had[row.id, default: []])
    lastIDs.remove(row.id)
    // Those that are kept are others now.
    catalogs.removeAll()
    try noteCatalog()
    try checkForgotten("right after it was forgotten")
    try await runAll()
    return "p\(row.id) is forgotten"
  }

  /// Files of the current catalog vanish, or others take their places.
  private mutating func harmFiles() async throws -> String {
    let files = Set(catalogs.last?.files ?? []).sorted()
    for file in files where numbers.next(below: 6) == 0 {
      try FileManager.default.removeItem(atPath: "\(root)/\(file)")
      if numbers.next(below: 2) == 0 { try run.folder.write("cut", to: "output/\(file)") }
      harmed.insert(file)
    }
    // A catalog that a rollback made current may have others than the run makes.
    for place in catalogs.indices { catalogs[place].files.removeAll(where: harmed.contains) }
    try await runAll()
    return "without some files"
  }

  // MARK: Checks

  /// What was forgotten is in no catalog.
  func checkForgotten(_ what: String) throws {
    let text = try catalog()
    for id in forgotten { #expect(!text.contains("\"id\":\"p\(id)\""), "\(what): p\(id)") }
  }

  func catalog() throws -> String {
    String(decoding: try FileSystem.read("\(root)/catalog.json", limit: 1 << 20), as: UTF8.self)
  }

  private mutating func noteCatalog() throws {
    let text = try catalog()
    let catalog = try Catalog(reading: Array(text.utf8))
    let files = catalog.images.flatMap { image in
      image.variants.flatMap { $0.files.compactMap(\.path) }
    }
    if text == catalogs.last?.text {
      catalogs[catalogs.count - 1].files = files
      return
    }
    if !catalogs.isEmpty { catalogs[catalogs.count - 1].until = day }
    catalogs.append((text, catalog.digest ?? "", files, nil))
  }

  func checkFiles(_ what: String) throws {
    for catalog in catalogs where catalog.until.map({ $0 > day - 7 }) ?? true {
      for file in Set(catalog.files) {
        let size = try? FileManager.default.attributesOfItem(atPath: "\(root)/\(file)")[.size]
        #expect(size as? Int ?? 0 > 3, "\(what): \(file)")
      }
    }
  }

  /// The catalog of an output that has had no run.
  func freshCatalog() async throws -> String {
    var fresh = try RunInMemory()
    fresh.file = try Self.file(settings, in: fresh)
    for source in versions.indices { Self.serve(source, version: versions[source], by: fresh) }
    return try await fresh.wholeRun(Self.lines(shown)).catalog
  }
}
