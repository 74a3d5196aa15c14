import Foundation
import Synchronization
import TesseraCatalog
import TesseraTestSupport
import Testing

/// What a catalog shows is not lost unasked (promise 12), and one pipeline does not replace another one's catalog.
@Suite struct LossTests {
  /// A server of images, of which some are gone.
  private final class Origin: Sendable {
    let server: FaultServer
    private let gone = Mutex<Set<Int>>([])

    init(_ count: Int, status: String) throws {
      server = try FaultServer()
      let bytes = try Places.bytes("one-pixel.png")
      for index in 0..<count {
        server.route("/\(index).png") { [unowned self] _, connection in
          gone.withLock { $0.contains(index) }
            ? connection.respond(status) : connection.respond("200 OK", ["ETag": "\"1\""], bytes)
        }
      }
    }

    func lose(_ images: some Sequence<Int>) { gone.withLock { $0 = Set(images) } }

    func lines(_ order: some Sequence<Int>) -> String {
      order.map { #"{"id":"p\#($0)","url":"\#(server.url("/\($0).png"))"}"# + "\n" }.joined()
    }
  }

  private static let slots = "slots: {a: {size: 10x}}"
  private static let keys = "scales: [1]\nplaceholders: []\n"

  /// P5: 80 % of a thousand good images answer 404, in twenty orders of arrival: never published, and what was learned is
  /// kept.
  @Test func mostImagesThatAnswerNotFoundAreNeverPublished() async throws {
    let origin = try Origin(1_000, status: "404 Not Found")
    defer { origin.server.stop() }
    let fixture = try RunFixture(
      manifest: origin.lines(0..<1_000),
      keys: Self.keys + "fetch: {allow: loopback, retries: 0, per-host: 32}",
      slots: Self.slots)
    #expect(try await fixture.run().status == 0)
    let before = try fixture.catalogText
    // Never nine in ten of a window, which `fail-above` would stop.
    origin.lose((0..<1_000).filter { $0 % 5 != 0 })
    var generator = SplitMix(seed: 31)
    for round in 0..<20 {
      try fixture.folder.write(
        origin.lines((0..<1_000).shuffled(using: &generator)), to: "manifest")
      let result = try await fixture.run()
      #expect(result.status == 2, "\(round): \(result.errors)")
      #expect(
        result.errors.contains(
          "the new catalog would lose 800 of the 1000 images that the current one shows")
          || result.errors.contains("of the last"), "\(round): \(result.errors)")
      #expect(try fixture.catalogText == before, "\(round)")
    }
    try fixture.folder.write(origin.lines(0..<1_000), to: "manifest")
    let accepted = try await fixture.run("--allow-loss")
    #expect(accepted.status == 1, "\(accepted.errors)")
    #expect(try fixture.catalog.images.count { $0.status == .failed } == 800)
    // Nothing more is lost, so the next run needs no word, but for the many that fail.
    try fixture.write(
      keys: Self.keys + "fail-above: 100%\nfetch: {allow: loopback, retries: 0, per-host: 32}",
      slots: Self.slots)
    let next = try await fixture.run()
    #expect(next.status == 1, "\(next.errors)")
    // They come back.
    origin.lose([])
    #expect(try await fixture.run().status == 0)
    #expect(try fixture.catalogText == before)
  }

  /// P5: all of five images, or of one; four of ten are few.
  @Test(arguments: [
    (5, 5, true), (1, 1, true), (10, 4, false), (10, 5, true), (25, 5, false), (24, 5, true),
  ])
  func fewImagesAreNotLostUnasked(_ count: Int, _ lost: Int, _ stops: Bool) async throws {
    let origin = try Origin(count, status: "410 Gone")
    defer { origin.server.stop() }
    let fixture = try RunFixture(
      manifest: origin.lines(0..<count), keys: Self.keys, slots: Self.slots)
    #expect(try await fixture.run().status == 0)
    let before = try fixture.catalogText
    origin.lose(0..<lost)
    for _ in 0..<2 {
      let result = try await fixture.run()
      #expect(result.status == (stops ? 2 : 1), "\(result.errors)")
      let isUnchanged = try fixture.catalogText == before
      #expect(isUnchanged == stops)
    }
    if !stops { return }
    let sentence = try await fixture.run().errors
    #expect(
      sentence.contains(
        lost == count
          ? "the new catalog would show none of the \(count) images that the current one shows"
          : "the new catalog would lose \(lost) of the \(count) images that the current one shows, which is more than "
            + "lost-above: 20%"), "\(sentence)")
    #expect(
      sentence.contains(
        "(\(lost) http-status, such as p0: The server answered 410 Gone.); the last good catalog "),
      "\(sentence)")
    #expect(sentence.contains("accept it with run --allow-loss"))
    #expect(try await fixture.run("--allow-loss").status == 1)
    #expect(try fixture.catalogText != before)
  }

  /// Images that the manifest has no more are not lost, and do not count as shown.
  @Test func removedImagesCountNeitherWay() async throws {
    let origin = try Origin(40, status: "404 Not Found")
    defer { origin.server.stop() }
    let fixture = try RunFixture(
      manifest: origin.lines(0..<40), keys: Self.keys, slots: Self.slots)
    #expect(try await fixture.run().status == 0)
    origin.lose(0..<5)
    // 5 of 40 are too few, 5 of the 20 that are left are not.
    try fixture.folder.write(origin.lines(0..<20), to: "manifest")
    let result = try await fixture.run()
    #expect(result.status == 2)
    #expect(result.errors.contains("would lose 5 of the 20 images"), "\(result.errors)")
    try fixture.folder.write(origin.lines(5..<25), to: "manifest")
    #expect(try await fixture.run().status == 0)
  }

  /// A `rewrite` that makes wrong URLs is not taken for images that are gone.
  @Test func aChangedRewriteIsNamed() async throws {
    let origin = try Origin(6, status: "404 Not Found")
    defer { origin.server.stop() }
    let fixture = try RunFixture(
      manifest: origin.lines(0..<6), keys: Self.keys, slots: Self.slots)
    #expect(try await fixture.run().status == 0)
    let before = try fixture.catalogText
    try fixture.write(
      keys: Self.keys
        + "fetch: {allow: loopback, retries: 0, rewrite: [{from: \"\(origin.server.url("/"))\", to: \"\(origin.server.url("/no/"))\"}]}",
      slots: Self.slots)
    let result = try await fixture.run()
    #expect(result.status == 2)
    #expect(
      result.errors.contains("\"rewrite\" or \"base\" has changed since that catalog was made"),
      "\(result.errors)")
    #expect(try fixture.catalogText == before)
  }

  /// `keep-lost`: the last good files stay for a while after a lasting error, and no longer.
  @Test func lostImagesAreKeptForAWhile() async throws {
    let origin = try Origin(3, status: "404 Not Found")
    defer { origin.server.stop() }
    let keys = Self.keys + "keep-lost: 2d\nfetch: {allow: loopback, retries: 0, revalidate: always}"
    let fixture = try RunFixture(manifest: origin.lines(0..<3), keys: keys, slots: Self.slots)
    #expect(try await fixture.run().status == 0)
    origin.lose(0..<1)
    for days in [10, 11] {
      let result = try await fixture.run(daysAhead: days)
      #expect(result.status == 1)
      let image = try fixture.catalog.images[0]
      #expect(
        image.status == .stale && image.variants.count == 1 && image.error?.code == "http-status")
    }
    #expect(try await fixture.run(daysAhead: 13).status == 1)
    #expect(try fixture.catalog.images[0].status == .failed)
    #expect(try await fixture.run(daysAhead: 14).status == 1)
    #expect(try fixture.catalog.images[0].status == .failed)
    // Once it was there again, its time begins anew.
    origin.lose([])
    #expect(try await fixture.run(daysAhead: 15).status == 0)
    origin.lose(0..<1)
    #expect(try await fixture.run(daysAhead: 20).status == 1)
    #expect(try fixture.catalog.images[0].status == .stale)
  }

  /// The catalog that shards are merged into is guarded alike.
  @Test func aMergeIsGuarded() async throws {
    let origin = try Origin(12, status: "404 Not Found")
    defer { origin.server.stop() }
    let fixture = try RunFixture(
      manifest: origin.lines(0..<12), keys: Self.keys, slots: Self.slots)
    func merge(_ options: String...) async throws -> Tool.Result {
      for shard in 0..<2 { _ = try await fixture.run("--shard", "\(shard)/2") }
      return try await Tool.run(Places.tessera, ["merge", fixture.folder.path("out")] + options)
    }
    #expect(try await merge().status == 0)
    let before = try fixture.catalogText
    origin.lose(0..<6)
    let result = try await merge()
    #expect(result.status == 2)
    #expect(
      result.errors.contains("the new catalog would lose 6 of the 12 images"), "\(result.errors)")
    #expect(try fixture.catalogText == before)
    #expect(try await merge("--allow-loss").status == 1)
    #expect(try fixture.catalogText != before)
  }

  /// P7: two pipelines of one file name and one output; a pipeline that was moved is the same.
  @Test func twoPipelinesOfOneNameAreTwo() async throws {
    let origin = try Origin(8, status: "404 Not Found")
    defer { origin.server.stop() }
    let folder = try TemporaryFolder()
    for (name, images) in [("a", 0..<4), ("b", 4..<8), ("moved/a", 1..<5)] {
      try FileManager.default.createDirectory(
        atPath: folder.path(name), withIntermediateDirectories: true)
      try folder.write(origin.lines(images), to: "\(name)/m.jsonl")
      try folder.write(
        "{manifest: m.jsonl, output: \"\(folder.path("out"))\", slots: {a: {size: 10x}}, fetch: {allow: loopback}}",
        to: "\(name)/pipeline.yaml")
    }
    func run(_ name: String, _ options: String...) async throws -> Tool.Result {
      try await Tool.run(Places.tessera, ["run", folder.path("\(name)/pipeline.yaml")] + options)
    }
    #expect(try await run("a").status == 0)
    let before = try folder.text("out/catalog.json")
    let other = try await run("b")
    #expect(other.status == 2)
    #expect(
      other.errors.contains(
        "holds the catalog of the pipeline \"pipeline\", which \"pipeline\" would replace"),
      "\(other.errors)")
    #expect(try folder.text("out/catalog.json") == before)
    let moved = try await run("moved/a")
    #expect(moved.status == 0, "\(moved.errors)")
    #expect(try await run("a").status == 0)
    #expect(try await run("b", "--take-over", "--allow-loss").status == 0)
    #expect(try await run("a").status == 2)
  }

  /// R1: the report cannot be written after the catalog was: not an error of the catalog.
  @Test func aReportThatCannotBeWrittenIsNoFailure() async throws {
    let origin = try Origin(2, status: "404 Not Found")
    defer { origin.server.stop() }
    let fixture = try RunFixture(
      manifest: origin.lines(0..<2), keys: Self.keys, slots: Self.slots)
    try FileManager.default.createDirectory(
      atPath: fixture.folder.path("out/run.json"), withIntermediateDirectories: true)
    let result = try await fixture.run()
    #expect(result.status == 1)
    #expect(
      result.errors.contains(
        "warning: the catalog was written, but the run could not be completed: "),
      "\(result.errors)")
    #expect(try fixture.catalog.images.count == 2)
  }
}
