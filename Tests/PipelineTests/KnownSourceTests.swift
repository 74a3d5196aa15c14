import Foundation
import TesseraBytes
import TesseraManifest
import TesseraMemoryOutput
import TesseraOutput
import TesseraPlan
import TesseraState
import TesseraSystem
import TesseraTestSupport
import TesseraWorkers
import Testing

@testable import TesseraNet
@testable import TesseraPipeline
@testable import TesseraPipelineFile

/// What remains of a source after a failure, and what a line still says after an answer.
@Suite struct LostSourceTests {
  private static let gone = ItemFailure.unreachable(.status(404))
  private static let passing = ItemFailure.unreachable(FetchError(.dns, "x"))

  @Test func onlyLastingFailuresOfKnownSourcesAreLosses() {
    var header = KnownSource()
    header.header = .example()
    let image = ImageFacts(format: "jpeg", size: Size(1, 1))
    let cases: [(ItemFailure, KnownSource, Bool)] = [
      (Self.gone, .ready(), true), (Self.gone, header, true), (Self.gone, KnownSource(), false),
      (Self.passing, .ready(), false), (.rejected(.sideTooLong(image)), .ready(), true),
      (.rejected(.notAnImage), .ready(), false), (.unknownSlot("a", known: []), .ready(), false),
    ]
    for (failure, source, isLoss) in cases {
      #expect(StalePolicy.isLoss(failure, of: source) == isLoss, "\(failure)")
    }
    // Without keep-lost, not even for the moment.
    #expect(!StalePolicy(keep: 60).isKept(since: now, now: now))
  }

  @Test func lostImagesAreKeptUpToTheLimit() {
    let policy = StalePolicy(keep: 0, keepLost: 100)
    expectMost(100) { policy.isKept(since: now, now: now + Double($0)) }
  }

  @Test func aServiceGoesOnWithTheLastSize() {
    let policy = StalePolicy(keep: 4_000)
    var header = KnownSource.ready()
    header.header = .example()
    // Both were confirmed an hour ago.
    for source in [KnownSource.ready(), header] {
      expectMost(400) { policy.size(after: Self.passing, source, now: now + Double($0)) != nil }
      #expect(policy.size(after: Self.gone, source, now: now) == nil)
    }
    #expect(policy.size(after: Self.passing, KnownSource(), now: now) == nil)
    guard case .header? = policy.size(after: Self.passing, header, now: now) else {
      Issue.record("it is not the newer size")
      return
    }
  }

  /// Whatever a line of the catalog shows of a source.
  @Test(
    arguments: [
      (nil, nil, nil, nil, "confirmed"), ("\"1\"", nil, nil, nil, "confirmed"),
      ("\"2\"", nil, nil, nil, "doubted"), (nil, "Mon", nil, nil, "confirmed"),
      (nil, "Tue", nil, nil, "doubted"), (nil, nil, "noai", nil, "confirmed"),
      (nil, nil, "all", nil, "doubted"), (nil, nil, nil, "https://cdn.example/a", "doubted"),
    ] as [(String?, String?, String?, String?, String)])
  func aLineIsDoubtedIfItWouldSaySomethingElse(
    _ etag: String?, _ date: String?, _ robots: String?, _ place: String?, _ expected: String
  ) async throws {
    let run = try RunInMemory()
    let runContext = try await run.runContext()
    let url = RunInMemory.url("a")
    let record = SourceRecord(
      content: "c",
      confirmation: .init(
        etag: "\"1\"", lastModified: "Mon", checked: 1, freshUntil: nil, run: 0), url: url,
      robots: "noai")
    var response = FetchResponse.example(etag: etag, lastModified: date, url: place ?? url)
    response.ending = .notModified
    response.robots = robots
    let context = ItemContext(
      Item(ManifestEntry(line: 1, id: "a", url: url), position: 0, run.file.fetch))
    let stage = ConfirmLine(SendRequest(runContext), runContext).stage(
      LineReuse.Line(
        .confirmation(of: record), record, 0..<1, KeptLine(freshUntil: 0, places: 1, files: 1)),
      .notModified(response), context)
    #expect(stage.summary == expected)
    #expect(context.change.source?.robots == (expected == "confirmed" ? "noai" : nil))
    // Any other answer is taken by the steps for sources.
    let other = ConfirmLine(SendRequest(runContext), runContext).stage(
      LineReuse.Line(
        .confirmation(of: record), record, 0..<1, KeptLine(freshUntil: 0, places: 1, files: 1)),
      .failed(.status(500)), context)
    #expect(other.summary == "doubted")
  }
}

/// The files of an item, and which of them exist.
@Suite struct FilePlannerTests {
  private static let facts = SourceFacts(size: Size(300, 200), hasAlpha: false, frames: 1)

  private static func item(_ run: RunInMemory, slots: [String]? = nil) -> Item {
    Item(
      ManifestEntry(line: 1, id: "a", url: RunInMemory.url("a"), slots: slots), position: 0,
      run.file.fetch)
  }

  /// Saves the files of a plan, and publishes them.
  private static func save(_ plan: FilePlan, _ run: RunInMemory) async throws {
    var change = StateStore.SourceChange()
    let paths = plan.plan.files.map(plan.source.path(of:))
    change.made = StateStore.Made(
      digest: plan.content, content: .example(),
      variants: zip(plan.keys, paths).map { key, path in
        (key, VariantRecord(path: path, width: 1, height: 1, bytes: 3, sha256: "5f"))
      }, placeholder: (plan.placeholderKey, Placeholders([.color: "#000000", .thumbhash: "A"])),
      run: 1)
    for path in paths { try run.output.write(path, [1, 2, 3]) }
    try await run.state.save(change, key: "k", url: "u")
  }

  @Test func filesThatAreThereAreFoundByTheirNames() async throws {
    let run = try RunInMemory()
    let planner = try await run.runContext().planner
    let plan = try await planner.filePlan("c", "webp", Self.facts, for: Self.item(run))
    #expect((plan.missing, plan.isComplete, plan.placeholder == nil) == ([0, 1], false, true))
    try await Self.save(plan, run)
    let known = try await planner.filePlan("c", "webp", Self.facts, for: Self.item(run))
    #expect(known.isComplete && known.records.map { $0?.sha256 } == ["5f", "5f"])
    let paths = plan.plan.files.map(plan.source.path(of:))
    #expect(known.records.map { $0?.path } == paths)
    // Nothing is looked up for a content that is new.
    let new = try await planner.filePlan(
      "c", "webp", Self.facts, for: Self.item(run), isNew: true)
    #expect((new.missing, new.placeholder == nil) == ([0, 1], true))
    // A file of another length is not the one.
    try run.output.write(paths[1], [1, 2])
    let cut = try await planner.filePlan("c", "webp", Self.facts, for: Self.item(run))
    #expect((cut.missing, cut.isComplete) == ([1], false))
  }

  /// The bytes of a file do not depend on which slots an item names.
  @Test func allSlotsDecideHowASourceIsDecoded() async throws {
    let run = try RunInMemory()
    let planner = try await run.runContext().planner
    let whole = try await planner.filePlan("c", "webp", Self.facts, for: Self.item(run))
    let part = try await planner.filePlan(
      "c", "webp", Self.facts, for: Self.item(run, slots: ["card"]))
    #expect(part.decode == whole.decode && part.keys == [whole.keys[0]])
    #expect(part.placeholderKey == whole.placeholderKey)
  }

  @Test func onlyConfiguredPlaceholdersAreNeeded() async throws {
    for (kinds, isComplete) in [
      ([], true), ([Placeholders.Kind.color], true), ([.color, .blurhash], false),
    ] as [([Placeholders.Kind], Bool)] {
      var run = try RunInMemory()
      run.file.placeholders = kinds
      let planner = try await run.runContext().planner
      let plan = try await planner.filePlan("c", "webp", Self.facts, for: Self.item(run))
      try await Self.save(plan, run)
      let known = try await planner.filePlan("c", "webp", Self.facts, for: Self.item(run))
      #expect((known.missing, known.isComplete) == ([], isComplete))
    }
  }
}

/// What is shown of URLs, and where a source waits.
@Suite struct PlacesTests {
  /// Below the manifest's folder, and below the folders that may be read.
  @Test func filesAreShownFromTheFolderOfTheManifest() throws {
    let folder = try TemporaryFolder()
    var file = PipelineFile.example()
    file.manifest = .file(folder.path("lists/all.txt"))
    try folder.write("", to: "lists/all.txt")
    file.fetch.allow = ["files:\(folder.path("photos"))"]
    file.fetch.ignoredQuery = ["w"]
    let place = "file://\(folder.url.path)"
    #expect(file.shown("\(place)/lists/2026/a.jpg") == "2026/a.jpg")
    #expect(file.shown("\(place)/photos/b/c.jpg") == "b/c.jpg")
    #expect(file.shown("\(place)/others/d/e.jpg") == "e.jpg")
    #expect(file.shown("https://me:x@img.example/a?w=1&v=2") == "https://img.example/a?v=2")
    file.manifest = .standardInput
    #expect(file.shown("\(place)/lists/2026/a.jpg") == "a.jpg")
  }

  /// A source of a megabyte waits in memory.
  @Test func largeSourcesWaitInAFile() throws {
    let run = try RunInMemory()
    for isStated in [true, false] {
      try expectMost(1 << 20) { count in
        let room = SpoolRoom(bytes: 1 << 22)
        var spool = SourceSpool(
          run.workspace.spool("1"), length: isStated ? count : nil, room: room)
        try spool.write([UInt8](repeating: 7, count: count).span.bytes)
        defer { spool.discard() }
        if case .memory = spool.end() { return true } else { return false }
      }
    }
  }

  /// What it holds grows with what arrives, and is given back when it moves to a file.
  @Test func aSourceHoldsNoMoreThanItHas() throws {
    let run = try RunInMemory()
    let room = SpoolRoom(bytes: 100)
    func spool(_ name: String, _ counts: Int...) throws -> Bool {
      var spool = SourceSpool(run.workspace.spool(name), room: room)
      for count in counts { try spool.write([UInt8](repeating: 7, count: count).span.bytes) }
      defer { spool.discard() }
      if case .memory = spool.end() { return true } else { return false }
    }
    var first = SourceSpool(run.workspace.spool("1"), room: room)
    for count in [10, 20, 30] { try first.write([UInt8](repeating: 1, count: count).span.bytes) }
    #expect(try spool("2", 40))
    #expect(try !spool("2", 41))
    #expect(try !spool("2", 20, 21))
    #expect(try spool("2", 20, 20))
    try first.pause()
    #expect(try spool("2", 100))
    first.discard()
    #expect(try !spool("2", 101))
  }
}
