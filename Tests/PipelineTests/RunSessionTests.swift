import TesseraManifest
import TesseraMemoryOutput
import TesseraPipelineFile
import TesseraPlan
import TesseraTestSupport
import Testing

@testable import TesseraNet
@testable import TesseraPipeline

/// Whole runs without network and processes: what guards the catalog, and what follows it.
@Suite struct RunSessionTests {
  private static func line(_ index: Int, slots: String = "") -> String {
    #"{"id":"p\#(index)","url":"\#(RunInMemory.url("\(index)"))"\#(slots)}"#
  }

  private static func lines(_ order: some Sequence<Int>) -> [String] { order.map { line($0) } }

  /// A pipeline of images that are there, and its first run.
  private static func begun(
    _ count: Int, _ change: (inout PipelineFile) -> Void = { _ in }
  ) async throws -> (RunInMemory, String) {
    var run = try RunInMemory()
    change(&run.file)
    restore(0..<count, run)
    return (run, try await run.wholeRun(lines(0..<count)).catalog)
  }

  private static func restore(_ images: some Sequence<Int>, _ run: RunInMemory) {
    for index in images {
      run.serve("\(index)", .image(TinyImage.webp(300, 200, "\(index)"), etag: "\"\(index)\""))
    }
  }

  private static func lose(_ images: some Sequence<Int>, _ run: RunInMemory) {
    for index in images { run.serve("\(index)", .status(404)) }
  }

  /// The error of a run that is rejected.
  private static func rejection(
    _ run: RunInMemory, _ lines: [String], _ options: (inout RunOptions) -> Void = { _ in }
  ) async throws -> String {
    do {
      let items = try await run.wholeRun(lines, options).items
      return "not rejected: \(items.prefix(20))"
    } catch {
      return "\(error)"
    }
  }

  // MARK: Images that are lost

  /// P5: 80 % of five hundred good images answer 404, in twenty orders of arrival: never published, and what was
  /// learned is kept.
  @Test(.faults(.p5), .takesSeconds) func mostImagesThatAnswerNotFoundAreNeverPublished()
    async throws
  {
    var (run, before) = try await Self.begun(500)
    // Never nine in ten of a window, which `fail-above` would stop.
    Self.lose((0..<500).filter { $0 % 5 != 0 }, run)
    var generator = SplitMix(seed: 31)
    for round in 0..<20 {
      let error = try await Self.rejection(
        run, Self.lines((0..<500).shuffled(using: &generator)))
      #expect(
        error.contains(
          "the new catalog would lose 400 of the 500 images that the current one shows")
          || error.contains("of the last"), "\(round): \(error)")
      #expect(try run.output.text("catalog.json") == before, "\(round)")
    }
    let accepted = try await run.wholeRun(Self.lines(0..<500)) { $0.allowsLoss = true }
    #expect(accepted.items.count { $0.hasSuffix("failed http-status") } == 400)
    // Nothing more is lost, so the next run needs no word, but for the many that fail.
    run.file.failAbove = 100
    #expect(try await run.wholeRun(Self.lines(0..<500)).catalog == accepted.catalog)
    // They come back.
    Self.restore(0..<500, run)
    #expect(try await run.wholeRun(Self.lines(0..<500)).catalog == before)
  }

  /// P5: all of five images, or of one; four of ten are few.
  @Test(
    .faults(.p5),
    arguments: [
      (5, 5, true), (1, 1, true), (10, 4, false), (10, 5, true), (25, 5, false), (24, 5, true),
    ])
  func fewImagesAreNotLostUnasked(_ count: Int, _ lost: Int, _ stops: Bool) async throws {
    let (run, before) = try await Self.begun(count)
    Self.lose(0..<lost, run)
    for _ in 0..<2 {
      let error = try await Self.rejection(run, Self.lines(0..<count))
      #expect(error.hasPrefix("not rejected") != stops, "\(error)")
      let isUnchanged = try run.output.text("catalog.json") == before
      #expect(isUnchanged == stops)
    }
    if !stops { return }
    let sentence = try await Self.rejection(run, Self.lines(0..<count))
    #expect(
      sentence.contains(
        lost == count
          ? "the new catalog would show none of the \(count) images that the current one shows"
          : "the new catalog would lose \(lost) of the \(count) images that the current one shows, which is more than "
            + "lost-above: 20%"), "\(sentence)")
    #expect(sentence.contains("(\(lost) http-status, such as p"), "\(sentence)")
    #expect(sentence.contains("; the last good catalog stands"), "\(sentence)")
    #expect(sentence.contains("accept it with run --allow-loss"))
    let accepted = try await run.wholeRun(Self.lines(0..<count)) { $0.allowsLoss = true }
    #expect(accepted.catalog != before)
  }

  /// Images that the manifest has no more are not lost, and do not count as shown.
  @Test func removedImagesCountNeitherWay() async throws {
    let (run, _) = try await Self.begun(40)
    Self.lose(0..<5, run)
    // 5 of 40 are too few, 5 of the 20 that are left are not.
    let error = try await Self.rejection(run, Self.lines(0..<20))
    #expect(error.contains("would lose 5 of the 20 images"), "\(error)")
    #expect(try await run.wholeRun(Self.lines(5..<25)).items.count { $0.hasSuffix(" ok") } == 20)
  }

  /// A `rewrite` that makes wrong URLs is not taken for images that are gone.
  @Test(.faults(.p5)) func aChangedRewriteIsNamed() async throws {
    var (run, before) = try await Self.begun(6)
    run.file.fetch.rewrites = [.init(from: RunInMemory.url(""), to: RunInMemory.url("no/"))]
    let error = try await Self.rejection(run, Self.lines(0..<6))
    #expect(
      error.contains("\"rewrite\" or \"base\" has changed since that catalog was made"), "\(error)")
    #expect(try run.output.text("catalog.json") == before)
  }

  /// `keep-lost`: the last good files stay for a while after a lasting error, and no longer.
  @Test func lostImagesAreKeptForAWhile() async throws {
    let (run, _) = try await Self.begun(3) {
      $0.keepLost = .seconds(2 * 86_400)
      $0.fetch.revalidation = .always
    }
    func first(day: Double) async throws -> String {
      run.clock.set(day: day)
      return try await run.wholeRun(Self.lines(0..<3)).items[0]
    }
    Self.lose(0..<1, run)
    #expect(try await first(day: 10) == "p0 stale http-status")
    #expect(try await first(day: 12) == "p0 stale http-status")
    #expect(try await first(day: 12.01) == "p0 failed http-status")
    #expect(try await first(day: 14) == "p0 failed http-status")
    // Once it was there again, its time begins anew.
    Self.restore(0..<1, run)
    #expect(try await first(day: 15) == "p0 ok")
    Self.lose(0..<1, run)
    #expect(try await first(day: 20) == "p0 stale http-status")
  }

  /// An image that its origin has removed does not come back because the origin can't be reached: not as files, and not by an
  /// image service.
  @Test(arguments: [503, 403, 0], [false, true])
  func aRemovedImageStaysAway(_ status: Int, _ isDelivered: Bool) async throws {
    let service = try DeliveredImageTests.pipeline().delivery
    let (run, _) = try await Self.begun(9) {
      $0.fetch.revalidation = .always
      if isDelivered { $0.delivery = service }
    }
    func items() async throws -> [String] {
      try await run.wholeRun(Self.lines(0..<9)) { $0.allowsLoss = true }.items
    }
    Self.lose(0..<1, run)
    #expect(try await items()[0] == "p0 failed http-status")
    for index in 0..<9 {
      run.serve(
        "\(index)", status == 0 ? .failure(FetchError(.network, "rejected")) : .status(status))
    }
    for _ in 0..<2 {
      let found = try await items()
      #expect(found[0].hasPrefix("p0 failed "), "\(found)")
      #expect(found[1].hasPrefix("p1 stale "), "\(found)")
    }
    Self.restore(0..<9, run)
    #expect(try await items() == (0..<9).map { "p\($0) ok" })
    // After a good answer it is as any other.
    for index in 0..<9 { run.serve("\(index)", .status(503)) }
    #expect(try await items()[0] == "p0 stale http-status")
  }

  // MARK: Manifests that are cut off

  /// M16: a manifest that was cut off at the end of a line.
  @Test(.faults(.m16), arguments: [PipelineFile.Order.manifest, .newestFirst])
  func aManifestThatLostItsItemsIsRejected(_ order: PipelineFile.Order) async throws {
    // Items that fail before any request.
    let lines = (0..<120).map { Self.line($0, slots: #","slots":["none"]"#) }
    var run = try RunInMemory()
    run.file.fetch.order = order
    run.file.shrinkAbove = 40
    run.file.failAbove = 100
    let before = try await run.wholeRun(lines).catalog
    // Twice, because a rejected run is not one to compare with.
    for _ in 0..<2 {
      let error = try await Self.rejection(run, Array(lines.prefix(71)))
      #expect(
        error.hasSuffix(
          "it has 71 items and the last run had 120, a loss of more than shrink-above: 40%; the last good "
            + "catalog stands; if the manifest is complete, accept it with run --allow-shrink"),
        "\(error)")
      #expect(try run.output.text("catalog.json") == before)
    }
    let accepted = try await run.wholeRun(Array(lines.prefix(71))) { $0.allowsShrink = true }
    #expect(accepted.items.count == 71)
    // With fewer than a hundred items before, five count.
    let error = try await Self.rejection(run, Array(lines.prefix(42)))
    #expect(error.contains("it has 42 items and the last run had 71"), "\(error)")
    let noted = try await run.wholeRun(Array(lines.prefix(60)))
    #expect(
      noted.report.warnings.last == "the manifest has 60 items and the last run had 71: 11 fewer")
  }

  // MARK: What a run makes and reports

  @Test(.faults(.c10)) func aChangedPipelineMakesOnlyMissingFiles() async throws {
    var run = try RunInMemory()
    Self.restore(0..<1, run)
    let slots = run.file.plan.slots
    run.file.plan.slots = Array(slots.suffix(1))
    #expect(try await run.wholeRun(Self.lines(0..<1)).report.variantsMade == 1)
    run.file.plan.slots = slots
    let second = try await run.wholeRun(Self.lines(0..<1)).report
    #expect((second.variantsMade, second.variantsReused) == (1, 1))
    // Network settings do not affect existing files.
    run.file.fetch.retries = 7
    #expect(try await run.wholeRun(Self.lines(0..<1)).report.variantsMade == 0)
  }

  /// What an image had before its last change costs nothing, and is a change all the same.
  @Test func anImageThatGoesBackHasChanged() async throws {
    let run = try RunInMemory()
    for (text, change, decodes) in [
      ("one", ItemReport.Change.new, 1), ("two", .changed, 1), ("one", .changed, 0),
      ("one", .reused, 0),
    ] {
      run.serve("0", .image(TinyImage.webp(300, 200, text), etag: "\"\(text)\""))
      let report = try await run.wholeRun(Self.lines(0..<1)).report
      #expect(report.changes == [change: 1])
      #expect(report.decodes == decodes)
    }
  }

  /// R1: the report cannot be written after the catalog was: not an error of the catalog.
  @Test(.faults(.r1)) func aReportThatCannotBeWrittenIsNoFailure() async throws {
    let run = try RunInMemory()
    Self.restore(0..<2, run)
    run.output.setUnwritable("run.json")
    let whole = try await run.wholeRun(Self.lines(0..<2))
    #expect(whole.items == ["p0 ok", "p1 ok"])
    #expect(whole.report.isIncomplete)
    #expect(
      whole.warnings.last?.hasPrefix(
        "the catalog was written, but the run could not be completed: ") == true,
      "\(whole.warnings)")
    // A catalog that can't be written is one.
    run.output.setUnwritable("catalog.json")
    #expect(!(try await Self.rejection(run, Self.lines(0..<1)).hasPrefix("not rejected")))
  }

  /// A run says, too, that the mapping of an export lets drafts become public.
  @Test func aRunWarnsOfAMappingThatHeedsNoDrafts() async throws {
    var run = try RunInMemory()
    run.serve("0", .image(TinyImage.webp(300, 200, "one")))
    let list = ["Handle,Image Src,Status", "p0,\(RunInMemory.url("0")),draft"]
    for (published, warns) in [(nil, true), ([], false)] as [([String]?, Bool)] {
      run.file.columns = ColumnMapping([.url: ["Image Src"], .id: ["Handle"]])
      run.file.columns?.columns[.published] = published
      let whole = try await run.wholeRun(list)
      #expect(whole.items == ["p0 ok"])
      #expect(
        whole.warnings.contains { $0.contains("published: Status;") } == warns, "\(whole.warnings)")
    }
  }
}
