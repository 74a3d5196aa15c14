import TesseraBytes
import TesseraJSON
import TesseraManifest
import TesseraMemoryOutput
import TesseraNet
import TesseraOutput
import TesseraPipelineFile
import TesseraPlan
import TesseraState
import TesseraTestSupport
import TesseraWorkers
import Testing

@testable import TesseraPipeline

/// All steps of an item, from its line in the manifest to its line in the catalog, without network,
/// processes or waiting.
@Suite struct WholeWayTests {
  private static let photo = TinyImage.webp(300, 200, "photo")
  private static let other = TinyImage.webp(400, 200, "other")
  private static let url = RunInMemory.url("photo")
  private static let hour = 1 / 24.0

  /// A run in which the item "a" with the source "photo" has become `ok`. Its answer is fresh for an
  /// hour.
  private static func begun() async throws -> (RunInMemory, RunInMemory.Outcome) {
    let run = try RunInMemory()
    run.serve("photo", .image(photo, etag: "\"1\"", freshFor: 3_600))
    return (run, try await run.run(["a": "photo"]))
  }

  // MARK: Without failures

  @Test func aNewItemIsFetchedAndDecodedOnce() async throws {
    let (run, first) = try await Self.begun()
    #expect(first.items == ["a ok"])
    #expect(first.requests == ["\(Self.url) 200"])
    #expect(first.decodes == [2])
    #expect(first.reasons["a"] == [.unknownSource, .fetchedFirst, .decoded(made: 2, reused: 0)])
    #expect(try first.paths(0).sorted() == run.output.paths)
    #expect(first.report.variantsMade == 2)
    #expect(run.fetcher.held == 0)
  }

  @Test func aSecondRunWithFreshSourcesDoesNothing() async throws {
    let (run, first) = try await Self.begun()
    let second = try await run.run(["a": "photo"])
    #expect(second.lines == first.lines)
    #expect(second.requests == [])
    #expect(second.decodes == [])
    #expect(second.reasons["a"] == [.fresh(until: FakeClock.start + 3_600)])
    #expect(second.report.variantsReused == 2)
    // Another item with the source takes these steps, and needs nothing either.
    let third = try await run.run(["b": "photo"])
    #expect(third.items == ["b ok"])
    #expect(third.requests == [])
    #expect(third.decodes == [])
    #expect(third.reasons["b"] == [.fresh(until: FakeClock.start + 3_600)])
  }

  @Test func anExpiredSourceIsRevalidated() async throws {
    let (run, first) = try await Self.begun()
    run.clock.set(day: 2 * Self.hour)
    let second = try await run.run(["a": "photo"])
    #expect(second.lines == first.lines)
    #expect(second.requests == ["\(Self.url) if \"1\" 304"])
    #expect(second.decodes == [])
    #expect(
      second.reasons["a"] == [
        .expired(checked: FakeClock.start, freshUntil: FakeClock.start + 3_600), .notModified,
      ])
    // The 304 counts as an answer: it is fresh for another hour.
    run.clock.set(day: 2.5 * Self.hour)
    #expect(try await run.run(["a": "photo"]).requests == [])
    run.clock.set(day: 3.5 * Self.hour)
    #expect(try await run.run(["a": "photo"]).requests == ["\(Self.url) if \"1\" 304"])
  }

  @Test func aChangedSourceIsDecodedOnce() async throws {
    let (run, first) = try await Self.begun()
    run.clock.set(day: 1)
    run.serve("photo", .image(Self.other, etag: "\"2\""))
    let second = try await run.run(["a": "photo"])
    #expect(second.items == ["a ok"])
    #expect(second.requests == ["\(Self.url) if \"1\" 200"])
    #expect(second.decodes == [2])
    #expect(second.reasons["a"]?.contains(.changed(oldETag: "\"1\"", newETag: "\"2\"")) == true)
    #expect(try Set(second.paths(0)).isDisjoint(with: first.paths(0)))
  }

  @Test func unchangedBytesUnderANewETagAreNotDecoded() async throws {
    let (run, first) = try await Self.begun()
    run.clock.set(day: 1)
    run.serve("photo", .image(Self.photo, etag: "\"2\""))
    let second = try await run.run(["a": "photo"])
    #expect(second.lines == first.lines)
    #expect(second.requests == ["\(Self.url) if \"1\" 200"])
    #expect(second.decodes == [])
    #expect(second.reasons["a"]?.suffix(2) == [.sameBytes, .knownBytes])
  }

  /// A run with `--only-failed` requests what is stale, although it leaves alone what is not.
  @Test func aStaleItemIsNotLeftAlone() async throws {
    let (run, first) = try await Self.begun()
    run.clock.set(day: 1)
    run.serve("photo", .failure(.status(500)))
    #expect(try await run.run(["a": "photo"]).items == ["a stale http-status"])
    run.serve("photo", .image(Self.photo, etag: "\"1\"", freshFor: 3_600))
    let third = try await run.run(["a": "photo"], onlyFailed: true)
    #expect(third.requests == ["\(Self.url) if \"1\" 304"])
    #expect(third.lines == first.lines)
    run.clock.set(day: 2)
    #expect(try await run.run(["a": "photo"], onlyFailed: true).requests == [])
  }

  @Test(.faults(.f11)) func onlyALostFileIsMadeAgain() async throws {
    let (run, first) = try await Self.begun()
    let lost = try first.paths(0)[1]
    run.output.delete(lost)
    let second = try await run.run(["a": "photo"])
    #expect(second.lines == first.lines)
    // A "not modified" would be of no use: the file cannot be made without the bytes.
    #expect(second.requests == ["\(Self.url) 200"])
    #expect(second.decodes == [1])
    #expect(
      second.reasons["a"] == [.filesMissing(1, of: 2), .sameBytes, .decoded(made: 1, reused: 1)])
    #expect(run.output.paths.contains(lost))
    #expect(run.output.published == 3)
  }

  @Test(arguments: [0, 1.0]) func aLostFileIsMadeFromTheCache(day: Double) async throws {
    var run = try RunInMemory()
    run.file.fetch.cache = 1_000_000
    run.serve("photo", .image(Self.photo, etag: "\"1\"", freshFor: 3_600))
    let first = try await run.run(["a": "photo"])
    run.output.delete(try first.paths(0)[0])
    run.clock.set(day: day)
    let second = try await run.run(["a": "photo"])
    #expect(second.lines == first.lines)
    #expect(second.requests == (day == 0 ? [] : ["\(Self.url) if \"1\" 304"]))
    #expect(second.decodes == [1])
    #expect(second.reasons["a"]?.contains(.keptCopy) == true)
  }

  @Test func itemsWithOneURLShareTheRequest() async throws {
    let run = try RunInMemory()
    run.serve("photo", .image(Self.photo))
    let outcome = try await run.run(["a": "photo", "b": "photo", "c": "photo"])
    #expect(outcome.items == ["a ok", "b ok", "c ok"])
    #expect(outcome.requests.count == 1)
    #expect(outcome.decodes == [2])
    #expect(outcome.reasons["c"] == [.checkedInThisRun])
  }

  @Test func anItemThatNeedsOtherFilesOfASourceUsesItsCopy() async throws {
    let run = try RunInMemory()
    run.serve("photo", .image(Self.photo))
    // A copy is only kept for an item that waits already.
    let outcome = try await run.run(
      lines: [
        #"{"id":"a","url":"\#(Self.url)","slots":["card"]}"#,
        #"{"id":"b","url":"\#(Self.url)","slots":["hero"]}"#,
      ], awaited: "photo")
    #expect(outcome.items == ["a ok", "b ok"])
    #expect(outcome.requests.count == 1)
    #expect(outcome.decodes == [1, 1])
    #expect(
      outcome.reasons["b"] == [.filesMissing(1, of: 1), .keptCopy, .decoded(made: 1, reused: 0)])
  }

  @Test(.faults(.i23)) func urlsWithTheSameBytesShareTheDecode() async throws {
    let run = try RunInMemory()
    for name in ["one", "two", "three"] { run.serve(name, .image(Self.photo)) }
    let outcome = try await run.run(["a": "one", "b": "two", "c": "three"])
    #expect(outcome.items == ["a ok", "b ok", "c ok"])
    #expect(outcome.requests.count == 3)
    #expect(outcome.decodes == [2])
    #expect(run.output.published == 2)
  }

  // MARK: Layout runs

  @Test func aLayoutRunLearnsTheSizeAndALaterRunMakesTheFiles() async throws {
    let run = try RunInMemory()
    run.serve("photo", .image(Self.photo, etag: "\"1\"", freshFor: 3_600))
    let layout = try await run.run(["a": "photo"], .layout)
    #expect(layout.items == ["a pending"])
    #expect(layout.decodes == [])
    #expect(try layout.image(0)["width"]?.intValue == 300)
    #expect(layout.reasons["a"] == [.layoutRun, .headerRead])
    let again = try await run.run(["a": "photo"], .layout)
    #expect(again.lines == layout.lines)
    #expect(again.requests == [])
    #expect(again.reasons["a"] == [.layoutRun, .knownSizeFresh])
    let whole = try await run.run(["a": "photo"])
    #expect(whole.items == ["a ok"])
    #expect(whole.decodes == [2])
    // Now a layout run finds all files and leaves the line as it is.
    #expect(try await run.run(["a": "photo"], .layout).lines == whole.lines)
  }

  @Test func aLayoutRunNoticesThatASourceHasChanged() async throws {
    let (run, _) = try await Self.begun()
    run.clock.set(day: 1)
    run.serve("photo", .image(Self.other, etag: "\"2\"", freshFor: 3_600))
    let layout = try await run.run(["a": "photo"], .layout)
    #expect(layout.items == ["a pending"])
    #expect(try layout.image(0)["width"]?.intValue == 400)
    let whole = try await run.run(["a": "photo"])
    #expect(whole.items == ["a ok"])
    #expect(whole.reasons["a"]?.first == .headerDiffers)
    #expect(try whole.image(0)["width"]?.intValue == 400)
  }
}
