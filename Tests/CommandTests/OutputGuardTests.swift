import Foundation
import TesseraCatalog
import TesseraTestSupport
import Testing

/// A run does not replace a good catalog with one that lost its items, or with that of another
/// pipeline.
@Suite struct OutputGuardTests {
  /// Items that fail before any request, so that a run of many is short.
  private static func lines(_ count: Int) -> String {
    (0..<count).map { #"{"id":"\#($0)","url":"http://127.0.0.1/\#($0)","slots":["none"]}"# + "\n" }
      .joined()
  }

  /// M16: a server that sends half of the list, with a correct length; the default limit.
  @Test(.faults(.m16)) func aDownloadedManifestThatLostItsItemsIsRejected() async throws {
    let server = try FaultServer([
      "/list": { request, connection in
        connection.respond("200 OK", [:], Array(Self.lines(request.before == 0 ? 120 : 59).utf8))
      }
    ])
    defer { server.stop() }
    let fixture = try RunFixture(manifest: "", keys: "fail-above: 100%")
    #expect(try await fixture.run("--manifest", server.url("/list")).status == 1)
    let catalog = try fixture.catalogText
    let cut = try await fixture.run("--manifest", server.url("/list"))
    #expect(cut.status == 2)
    #expect(
      cut.errors.contains(
        "it has 59 items and the last run had 120, a loss of more than shrink-above: 50%"),
      "\(cut.errors)")
    #expect(try fixture.catalogText == catalog)
  }

  /// M17: a copy of a pipeline file whose output was not changed.
  @Test(.faults(.m17)) func anOutputBelongsToThePipelineThatMadeItsCatalog() async throws {
    let fixture = try RunFixture(manifest: Self.lines(2), keys: "fail-above: 100%")
    let (folder, output) = (fixture.folder, fixture.folder.path("out"))
    func run(_ name: String, _ options: String...) async throws -> Tool.Result {
      try await Tool.run(Places.tessera, ["run", folder.path(name)] + options)
    }
    #expect(try await run("feed.yaml").status == 1)
    let catalog = try fixture.catalogText
    try folder.write(Self.lines(1), to: "shop.jsonl")
    try folder.write(
      try folder.text("feed.yaml").replacing("manifest: manifest", with: "manifest: shop.jsonl"),
      to: "shop.yaml")
    let rejected = try await run("shop.yaml")
    #expect(rejected.status == 2)
    #expect(
      rejected.errors
        == "tessera: the output \"\(output)\" holds the catalog of the pipeline \"feed\", which "
        + "\"shop\" would replace; choose another output, or, if the pipeline was renamed or moved, run once "
        + "with --take-over\n")
    #expect(try fixture.catalogText == catalog)
    // The same pipeline, edited, for sizes only, and from another folder.
    try fixture.write(keys: "variants: {quality: 70}\nfail-above: 100%")
    #expect(try await run("feed.yaml").status == 1)
    #expect(try await run("feed.yaml", "--layout-only").status == 1)
    try FileManager.default.createDirectory(
      atPath: folder.path("moved"), withIntermediateDirectories: false)
    try folder.write(try folder.text("feed.yaml"), to: "moved/feed.yaml")
    #expect(
      try await run(
        "moved/feed.yaml", "--manifest", folder.path("manifest"), "--output", output
      ).status == 1)
    // A renamed one takes the output over, and it is the other one that is rejected then.
    #expect(try await run("shop.yaml", "--take-over").status == 1)
    #expect(try fixture.catalog.pipeline.name == "shop")
    #expect(try await run("shop.yaml").status == 1)
    #expect(try await run("feed.yaml").status == 2)
  }
}
