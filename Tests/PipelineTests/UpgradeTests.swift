import TesseraJSON
import TesseraManifest
import TesseraMemoryOutput
import TesseraNet
import TesseraPipelineFile
import TesseraPlan
import TesseraWorkers
import Testing

@testable import TesseraOutput
@testable import TesseraPipeline

/// Files of a better format, which a run adds when its catalog is there.
@Suite struct UpgradeTests {
  private static let names = ["a", "b", "c"]

  /// Three images; PNG files, and WebP as the better format.
  private static func begun(
    _ budget: Duration = .seconds(60), list: Bool = false
  ) throws -> RunInMemory {
    var run = try RunInMemory()
    for (place, name) in names.enumerated() {
      run.serve(
        name, .image(TinyImage.webp(200 + place, 200, name), etag: "\"1\"", freshFor: 3_600))
    }
    run.file.plan.formats = list ? [.fixed(.webp), .fixed(.png)] : [.fixed(.png)]
    if !list { run.file.upgrade = Upgrade(format: .webp, budget: budget) }
    run.file.lostAbove = 100
    run.transcoder.take(.seconds(1))
    return run
  }

  private static func lines(_ views: [Double?] = [nil, nil, nil]) -> [String] {
    zip(names, views).map { name, views in
      #"{"id":"\#(name)","url":"\#(RunInMemory.url(name))""#
        + (views.map { #","views":\#($0)"# } ?? "") + "}"
    }
  }

  /// The media types of an image's first variant in a catalog.
  private static func types(_ catalog: String) throws -> [String] {
    let catalog = try JSONParser.parse(Array(catalog.utf8))
    let formats = catalog["formats"]?.arrayValue ?? []
    let images = catalog["images"]?.arrayValue ?? []
    return images.map { image in
      let bytes = image["variants"]?.arrayValue?.first?["bytes"]?.arrayValue ?? []
      return zip(formats, bytes).filter { $1 != .null }
        .compactMap { $0.0["type"]?.stringValue?.dropFirst("image/".count) }
        .joined(separator: " ")
    }
  }

  @Test func theFinishedCatalogIsThatOfAListOfFormats() async throws {
    let run = try Self.begun()
    let whole = try await run.wholeRun(Self.lines())
    #expect(try Self.types(whole.catalog) == ["webp png", "webp png", "webp png"])
    // The files of the catalog come first.
    #expect(
      run.transcoder.takeFormats() == [
        "png png", "png png", "png png", "webp webp", "webp webp", "webp webp",
      ])
    let report = whole.report
    #expect(report.upgradedImages == 3 && report.upgradedFiles == 6 && report.upgradesWaiting == 0)
    #expect(report.upgradedBytes > 0 && report.upgradeSeconds == 3 && report.variantsMade == 12)
    #expect(report.count("ok") == 3 && report.total == 3)
    let list = try await Self.begun(list: true).wholeRun(Self.lines())
    #expect(list.catalog == whole.catalog)
    #expect(list.report.upgradedImages == 0)
    // The first catalog of the run is none to go back to.
    #expect(!run.output.paths.contains { $0.contains("catalogs/") })
    // The next run finds nothing to do.
    let next = try await run.wholeRun(Self.lines())
    #expect(next.catalog == whole.catalog && run.transcoder.takeFormats() == [])
    #expect(next.report.upgradedImages == 0 && next.report.upgradesWaiting == 0)
  }

  /// A job takes a second, and no other begins once the budget is spent.
  @Test func aBudgetIsForOneRun() async throws {
    let run = try Self.begun(.milliseconds(900))
    // The fake has one worker for three images at a time: those that wait for the first are not begun.
    let first = try await run.wholeRun(Self.lines([1, 1_000, 10]))
    #expect(first.report.upgradedImages + first.report.upgradesWaiting == 3)
    #expect((1...3).contains(first.report.upgradedImages))
    var runs = 1
    while try await run.wholeRun(Self.lines()).report.upgradesWaiting > 0 {
      runs += 1
      try #require(runs < 5)
    }
    let last = try await run.wholeRun(Self.lines())
    #expect(try Self.types(last.catalog) == ["webp png", "webp png", "webp png"])
  }

  /// Those that save the most bytes for the work.
  @Test func theMostViewedComeFirst() async throws {
    func order(_ views: [Double?]) async throws -> [String] {
      let run = try Self.begun()
      let queue = try #require(UpgradeQueue(run.file))
      for (position, (name, views)) in zip(Self.names, views).enumerated() {
        var entry = ManifestEntry(line: 1, id: name, url: RunInMemory.url(name))
        entry.views = views
        let value = try #require(
          queue.value(
            ofLine: Array(
              """
              {"id":"\(name)","status":"ok","width":200,"height":200,"animated":false,"alpha":false,\
              "source":"0123456789abcdef0123456789abcdef",\
              "variants":[{"width":60,"height":60,"bytes":[null,9000]}],\
              "slots":{"card":{"width":60,"height":60,"variants":[0]}}}
              """.utf8), FileNames(run.file).formats, files: [("variants/x.png", 9000)]))
        queue.offer(value, Item(entry, position: position, run.file.fetch))
      }
      let (items, offered) = queue.take()
      #expect(offered == 3)
      return items.map(\.id)
    }
    #expect(try await order([1, 1_000, 10]) == ["b", "c", "a"])
    #expect(try await order([nil, 2, 0]) == ["b", "a", "c"])
    // Of equals the first in the manifest.
    #expect(try await order([nil, nil, nil]) == ["a", "b", "c"])
  }

  /// An image that fails keeps its line, and is left alone while its bytes stay the same.
  @Test func whatFailsStaysAsItIs() async throws {
    let run = try Self.begun()
    let failure = FakeTranscoder.Behaviour.fail(TranscodeFailure(.workerTimeout, "too slow"))
    run.transcoder.script(.make, .make, .make, failure, failure, failure)
    let first = try await run.wholeRun(Self.lines())
    #expect(try Self.types(first.catalog) == ["png", "png", "png"])
    #expect(first.items == ["a ok", "b ok", "c ok"])
    #expect(first.report.upgradedImages == 0 && first.report.upgradesWaiting == 3)
    #expect(!first.report.hasFailures)
    _ = run.transcoder.takeFormats()
    let second = try await run.wholeRun(Self.lines())
    #expect(second.catalog == first.catalog && run.transcoder.takeFormats() == [])
    // Other bytes are tried.
    run.serve("a", .image(TinyImage.webp(220, 200, "new"), etag: "\"2\"", freshFor: 3_600))
    run.clock.set(day: 0.5)
    let third = try await run.wholeRun(Self.lines())
    #expect(try Self.types(third.catalog) == ["webp png", "png", "png"])
  }

  /// A source that can't be reached when its files are to be made.
  @Test func aSourceThatIsGoneKeepsItsFiles() async throws {
    let run = try Self.begun(.zero)
    let first = try await run.wholeRun(Self.lines())
    #expect(first.report.upgradesWaiting == 3)
    run.serve("a", .status(404))
    var later = run
    later.file.upgrade = Upgrade(format: .webp, budget: .seconds(60))
    let second = try await later.wholeRun(Self.lines())
    #expect(second.items == ["a ok", "b ok", "c ok"])
    #expect(try Self.types(second.catalog) == ["png", "webp png", "webp png"])
  }

  @Test func aRunForFailuresOrSizesUpgradesNothing() async throws {
    let run = try Self.begun()
    #expect(try await run.runContext(.layout).upgrades == nil)
    #expect(try await run.runContext(onlyFailed: true).upgrades == nil)
    #expect(try await run.runContext().upgrades != nil)
    var plain = run
    plain.file.upgrade = nil
    #expect(try await plain.runContext().upgrades == nil)
  }

  /// With `--refresh` an image that is upgraded is not shown without its files.
  @Test func anUpgradedImageIsRefreshedAsAWhole() async throws {
    let run = try Self.begun()
    let first = try await run.wholeRun(Self.lines())
    #expect(try Self.types(first.catalog) == ["webp png", "webp png", "webp png"])
    _ = run.transcoder.takeFormats()
    let second = try await run.wholeRun(Self.lines()) {
      $0.selection = RunSelection(ids: ["a", "b"], refreshes: true)
    }
    #expect(run.transcoder.takeFormats() == ["webp png webp png", "webp png webp png"])
    #expect(second.catalog == first.catalog && second.report.upgradesWaiting == 0)
  }

  /// The catalog before the run's first one is kept, and none in between.
  @Test func theCatalogOfTheRunBeforeIsKept() async throws {
    var run = try Self.begun(.zero)
    let first = try await run.wholeRun(Self.lines())
    #expect(first.report.upgradesWaiting == 3)
    #expect(!run.output.paths.contains { $0.contains("catalogs/") })
    // The first catalog of this run is that of the one before, so it is kept.
    run.file.upgrade?.budget = .seconds(60)
    _ = try await run.wholeRun(Self.lines())
    let kept = run.output.paths.filter {
      $0.hasPrefix(".tessera/catalogs/") && !$0.hasSuffix("list.json")
    }
    #expect(kept.count == 1)
    #expect(try run.output.text(kept[0]) == first.catalog)
  }

  /// Only a few images of a host that is down are requested, and none of them again on the same day.
  @Test func aHostThatIsDownIsLeftAlone() async throws {
    var run = try Self.begun(.zero)
    let names = (0..<40).map { "n\($0)" }
    for name in names {
      run.serve(
        name, .image(TinyImage.webp(200, 200, name), etag: "\"1\"", freshFor: 3_600))
    }
    let lines = names.map { #"{"id":"\#($0)","url":"\#(RunInMemory.url($0))"}"# }
    _ = try await run.wholeRun(lines)
    for name in names { run.serve(name, .status(404)) }
    run.file.upgrade?.budget = .seconds(60)
    _ = run.fetcher.takeLog()
    let second = try await run.wholeRun(lines)
    #expect(second.report.upgradesWaiting == 40 && second.items.allSatisfy { $0.hasSuffix(" ok") })
    let requests = Set(run.fetcher.takeLog())
    // Three in a row, and those that were under way.
    #expect(requests.count >= 3 && requests.count < 40, "\(requests.count)")
    _ = try await run.wholeRun(lines)
    #expect(requests.isDisjoint(with: run.fetcher.takeLog()))
  }
}
