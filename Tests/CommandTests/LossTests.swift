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

  /// P5: all of five images are not lost unasked.
  @Test(.faults(.p5)) func aRunThatWouldLoseImagesIsRejected() async throws {
    let origin = try Origin(5, status: "410 Gone")
    defer { origin.server.stop() }
    let fixture = try RunFixture(
      manifest: origin.lines(0..<5), keys: Self.keys, slots: Self.slots)
    #expect(try await fixture.run().status == 0)
    let before = try fixture.catalogText
    origin.lose(0..<5)
    let result = try await fixture.run()
    #expect(result.status == 2)
    #expect(
      result.errors.contains(
        "the new catalog would show none of the 5 images that the current one shows (5 http-status, such as p0: "
          + "The server answered 410 Gone.); the last good catalog stands"), "\(result.errors)")
    #expect(result.errors.contains("accept it with run --allow-loss"))
    #expect(try fixture.catalogText == before)
    #expect(try await fixture.run("--allow-loss").status == 1)
    #expect(try fixture.catalogText != before)
  }

  /// The catalog that shards are merged into is guarded alike.
  @Test(.faults(.p5)) func aMergeIsGuarded() async throws {
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
  @Test(.faults(.p7)) func twoPipelinesOfOneNameAreTwo() async throws {
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
}
