import TesseraBytes
import TesseraCatalog
import TesseraJSON
import TesseraManifest
import TesseraMemoryOutput
import TesseraOutput
import TesseraPipelineFile
import TesseraPlan
import TesseraState
import Testing

@testable import TesseraPipeline

/// Items that need nothing new, beside others that do; and what lines of the catalog say.
@Suite struct LineReuseTests {
  private static let ids = ["a", "b", "c"]
  private static let items: KeyValuePairs = ["a": "a", "b": "b", "c": "c"]
  private static let fresh = Reason.fresh(until: FakeClock.start + 3_600)

  private static func begun(
    _ change: (inout RunInMemory) -> Void = { _ in }
  ) async throws -> (RunInMemory, RunInMemory.Outcome) {
    var run = try RunInMemory()
    change(&run)
    for id in ids {
      run.serve(
        id, .image(TinyImage.webp(300, 200, id), etag: "\"\(id)\"", freshFor: 3_600))
    }
    return (run, try await run.run(items))
  }

  /// Each image has a file in each of two formats, for two slots at two scales.
  private static func twoFormats(_ run: inout RunInMemory) {
    run.file.plan.scales = [1, 2]
    run.file.plan.formats = [.fixed(.webp), .source]
  }

  @Test func keptLinesCountAsMadeOnesDo() async throws {
    let (run, first) = try await Self.begun(Self.twoFormats)
    let asked = first.report.variantsAsked
    #expect(asked == 3 * 2 * 2 * 2)
    for day in [0, 1.0] {
      run.clock.set(day: day)
      let next = try await run.run(Self.items)
      #expect(next.lines == first.lines)
      #expect(next.report.variantsAsked == asked)
      #expect(next.report.variantsReused == first.report.variantsMade)
      #expect(next.report.changes == [.reused: 3])
      #expect(next.report.counts == ["ok": 3])
      #expect(next.requests.count == (day == 0 ? 0 : 3))
    }
  }

  /// Files of several items are looked for at once.
  @Test(arguments: [0, 1, 2]) func onlyTheItemWithoutItsFilesIsProcessed(_ lost: Int) async throws {
    let (run, first) = try await Self.begun()
    run.output.delete(try first.paths(lost)[1])
    let second = try await run.run(Self.items)
    #expect(second.lines == first.lines)
    #expect(second.decodes == [1])
    #expect(second.requests == [RunInMemory.url(Self.ids[lost]) + " 200"])
    for (index, id) in Self.ids.enumerated() {
      let isLost = index == lost
      #expect(second.reasons[id]?.first == (isLost ? .filesMissing(1, of: 2) : Self.fresh))
    }
    #expect((second.report.variantsMade, second.report.variantsReused) == (1, 5))
    #expect(second.report.changes == [.reused: 3])
  }

  @Test func anItemThatChangedInTheManifestIsProcessed() async throws {
    let (run, first) = try await Self.begun()
    var lines = Self.ids.map { #"{"id":"\#($0)","url":"\#(RunInMemory.url($0))"}"# }
    lines[1] = #"{"id":"b","url":"\#(RunInMemory.url("b"))","alt":"A boat"}"#
    let second = try await run.run(lines: lines)
    #expect(second.report.changes == [.reused: 2, .changed: 1])
    #expect([0, 2].map { second.lines[$0] } == [0, 2].map { first.lines[$0] })
    #expect(try second.image(1)["alt"]?.stringValue == "A boat")
    #expect((second.requests, second.decodes) == ([], []))
  }

  /// An answer that was rejected since is newer than the line.
  @Test func aLineAfterARejectedAnswerIsProcessed() async throws {
    let (run, first) = try await Self.begun()
    run.clock.set(day: 1)
    run.serve("a", .image(Array("<!DOCTYPE html><title>x</title>".utf8), etag: "\"page\""))
    #expect(try await run.run(Self.items).items[0] == "a stale not-image")
    run.serve("a", .image(TinyImage.webp(300, 200, "a"), etag: "\"a\"", freshFor: 3_600))
    let third = try await run.run(Self.items)
    #expect(third.lines == first.lines)
    #expect(third.reasons["a"]?.first == .rejectedLastTime)
  }

  /// Another item of the same source has found that it has changed.
  @Test func aLineIsNotKeptOnceItsSourceHasChanged() async throws {
    let (run, _) = try await Self.begun()
    run.clock.set(day: 1)
    run.serve("a", .image(TinyImage.webp(400, 200, "new"), etag: "\"new\"", freshFor: 3_600))
    let second = try await run.run(["x": "a", "a": "a"])
    #expect(second.items == ["x ok", "a ok"])
    #expect(try second.image(1)["width"]?.intValue == 400)
    #expect(second.requests.count == 1)
    #expect(second.report.changes == [.new: 1, .changed: 1])
  }

  // MARK: Lines

  /// A line of a full catalog, but for the names of its files.
  @Test func aLineHasEverythingThatIsKnown() async throws {
    var run = try RunInMemory()
    run.file.profile = .full
    run.file.plan.slots.removeLast()
    run.file.extra = .named(["colour"])
    run.serve(
      "photo",
      .image(
        TinyImage.webp(300, 200, "p"), etag: "\"1\"", lastModified: "Thu, 01 Jan 2026 00:00:00 GMT")
    )
    let outcome = try await run.run(lines: [
      #"{"id":"a","url":"\#(RunInMemory.url("photo"))","alt":"A boat","focus":[0.25,0.75],"#
        + #""colour":"red"}"#
    ])
    let path = try #require(try outcome.paths(0).first)
    let bytes = try #require(try await run.output.size(of: path))
    let digest = try run.output.digest(of: path)
    let source = TinyImage.webp(300, 200, "p")
    let name = try #require(FileName.parts(of: path))
    #expect((name.width, name.height, name.crop, name.fileExtension) == (64, 43, nil, "webp"))
    #expect(
      outcome.lines == [
        #"{"id":"a","url":"https://images.example/photo","status":"ok","width":300,"height":200,"#
          + #""format":"webp","alpha":false,"animated":false,"frames":1,"placeholder":{"#
          + ##""color":"#336699","thumbhash":"dGh1bWI="},"##
          + #""source":"\#(name.source)","variants":[{"width":64,"height":43,"bytes":[\#(bytes)],"#
          + #""sha256":["\#(digest)"]}],"#
          + #""slots":{"card":{"width":60,"height":40,"variants":[0]}},"#
          + #""provenance":{"url":"https://images.example/photo","bytes":\#(source.count),"sha256":""#
          + SHA256.of(source) + #"","width":300,"height":200,"orientation":1,"etag":"\"1\"","#
          + #""lastModified":"Thu, 01 Jan 2026 00:00:00 GMT"},"alt":"A boat","#
          + #""focus":[0.25,0.75],"extra":{"colour":"red"}}"#
      ])
  }

  /// Without URLs, no part of the line has one.
  @Test func urlsAreLeftOutOnDemand() async throws {
    var run = try RunInMemory()
    run.file.profile = .full
    run.file.urls = .none
    run.serve("photo", .image(TinyImage.webp(300, 200, "p")))
    run.serve("bad", .status(404))
    for extent in [RunExtent.layout, .everything] {
      let outcome = try await run.run(["a": "photo", "b": "bad"], extent)
      #expect(!outcome.lines.joined().contains("https:"))
    }
  }

  // MARK: Image services

  @Test func aServiceShowsWhatIsStaleOrLost() async throws {
    let (run, file) = (try RunInMemory(), try DeliveredImageTests.pipeline())
    var service = run
    service.file.delivery = file.delivery
    service.file.plan = file.plan
    service.file.keepLost = .seconds(86_400)
    service.serve("photo", .image(TinyImage.webp(300, 200, "p"), etag: "\"1\""))
    let first = try await service.run(["a": "photo", "b": "none"], .layout)
    #expect(first.items == ["a ok", "b failed http-status"])
    #expect((first.report.variantsDelivered, first.report.variantsMade) == (8, 0))
    #expect(first.report.variantsAsked == 8)
    #expect(try first.image(0)["variants"]?.arrayValue?.count == 4)
    for (answer, day, item) in [
      (FakeFetcher.Answer.unreachable, 1.0, "a stale network"),
      (.unreachable, 31, "a failed network"),
      (.status(404), 40, "a stale http-status"), (.status(404), 41, "a stale http-status"),
      (.status(404), 41.01, "a failed http-status"),
    ] {
      service.clock.set(day: day)
      service.serve("photo", answer)
      let next = try await service.run(["a": "photo"], .layout)
      #expect(next.items == [item], "day \(day)")
      let hasVariants = try next.image(0)["variants"]?.arrayValue?.isEmpty == false
      #expect(hasVariants == item.contains("stale"), "day \(day)")
    }
    // A service fetches by itself, and only from the web.
    let local = try await service.run(
      lines: [#"{"id":"a","url":"file:///a.jpg"}"#], .layout)
    #expect(local.items == ["a failed bad-url"])
    #expect(local.requests == [])
  }
}
