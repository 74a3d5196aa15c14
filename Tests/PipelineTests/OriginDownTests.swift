import TesseraJSON
import TesseraSystem
import Testing

@testable import TesseraPipeline

/// The only origin is down: what a run publishes, what it says, and what of it is new.
@Suite struct OriginDownTests {
  private static let names = (0..<150).map { "p\($0)" }

  private static func lines(_ names: some Sequence<String>, alt: String = "old") -> [String] {
    names.map { #"{"id":"\#($0)","url":"\#(RunInMemory.url($0))","alt":"\#(alt)"}"# }
  }

  /// A run after which all images are `ok`.
  private static func begun() async throws -> RunInMemory {
    let run = try RunInMemory()
    let photo = TinyImage.webp(300, 200, "photo")
    for name in names { run.serve(name, .image(photo, etag: "\"1\"", freshFor: 3_600)) }
    let first = try await run.run(lines: lines(names))
    #expect(first.report.counts == ["ok": 150])
    #expect(first.report.failures.isEmpty)
    return run
  }

  /// Nothing is lost by going on, so the run does: what left the list leaves the catalog, and new texts are published.
  @Test func theListIsPublishedAndTheImagesAreShownAsBefore() async throws {
    let run = try await Self.begun()
    for name in Self.names { run.serve(name, .status(503)) }
    run.clock.set(day: 1)
    let outcome = try await run.run(lines: Self.lines(Self.names.dropLast(), alt: "new"))
    #expect(outcome.report.counts == ["stale": 149])
    #expect(outcome.report.failures == [.new: 149])
    #expect(try outcome.image(0)["alt"]?.stringValue == "new")
    #expect(try outcome.paths(0).isEmpty == false)
    // When the host last answered is known, however long it is down.
    for day in [2.0, 3] {
      run.clock.set(day: day)
      let next = try await run.run(lines: Self.lines(Self.names.dropLast(), alt: "new"))
      #expect(
        next.report.staleHosts.values.map { [Double($0.images), $0.confirmed] }
          == [[149, FakeClock.start]])
      #expect(next.report.failures == [.known: 149])
      #expect(next.report.newFailures.isEmpty)
    }
  }

  /// Without anything to show there is nothing to publish.
  @Test func aFirstRunStops() async throws {
    let run = try RunInMemory()
    for name in Self.names { run.serve(name, .status(503)) }
    let error = await #expect(throws: TesseraError.self) {
      try await run.run(lines: Self.lines(Self.names))
    }
    #expect(error?.code == .tooManyFailures)
  }

  @Test func whatIsNewAboutFailuresIsCounted() async throws {
    let run = try await Self.begun()
    func next(_ day: Double) async throws -> RunReport {
      run.clock.set(day: day)
      return try await run.run(lines: Self.lines(Self.names)).report
    }
    let photo = TinyImage.webp(300, 200, "photo")
    run.serve("p3", .status(500))
    run.serve("p7", .status(404))
    let one = try await next(1)
    #expect(one.failures == [.new: 2])
    #expect(one.newFailures.map(\.id) == ["p3", "p7"])
    // One was shown as before until now; one works again.
    run.serve("p3", .status(404))
    run.serve("p7", .image(photo, etag: "\"1\""))
    run.serve("p9", .unreachable)
    let two = try await next(2)
    #expect(two.failures == [.new: 2, .solved: 1])
    #expect(two.newFailures.map(\.id) == ["p3", "p9"])
    #expect(try await next(3).failures == [.known: 2])
  }

  /// What the time of a run ended says nothing about an image, neither then nor later; an error that is known stays known.
  @Test func theEndOfTheTimeIsNoFailure() async throws {
    let run = try await Self.begun()
    run.serve("p1", .status(404))
    run.clock.set(day: 1)
    #expect(try await run.run(lines: Self.lines(Self.names)).report.failures == [.new: 1])
    run.clock.set(day: 2)
    run.fetcher.setEnd(.now - .seconds(1))
    let late = try await run.run(lines: Self.lines(Self.names))
    #expect(late.report.count("stale") == 149 && late.report.failures.isEmpty)
    #expect(late.report.staleHosts.isEmpty)
    run.fetcher.setEnd(nil)
    run.clock.set(day: 3)
    let next = try await run.run(lines: Self.lines(Self.names))
    #expect(next.report.count("ok") == 149 && next.report.failures == [.known: 1])
    run.serve("p1", .image(TinyImage.webp(300, 200, "photo"), etag: "\"1\""))
    run.clock.set(day: 4)
    #expect(try await run.run(lines: Self.lines(Self.names)).report.failures == [.solved: 1])
  }
}
