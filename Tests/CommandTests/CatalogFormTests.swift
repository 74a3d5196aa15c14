import Foundation
import TesseraCatalog
import TesseraTestSupport
import Testing

/// The catalog's profiles and formats.
@Suite struct CatalogFormTests {
  /// The full profile also has each image's source and the digests of its files.
  @Test func fullProfileHasSourcesAndDigests() async throws {
    let bytes = try Places.bytes("orientation-6.jpg")
    let server = try FaultServer([
      "/a": { $1.respond("302 Found", ["Location": "/b?token=secret&size=1"]) },
      "/b?token=secret&size=1": { request, connection in
        if request.headers["if-none-match"] == "\"v1\"" {
          return connection.respond("304 Not Modified")
        }
        connection.respond(
          "200 OK",
          [
            "ETag": "\"v1\"", "X-Robots-Tag": "noimageai, noindex",
            "Last-Modified": "Mon, 02 Nov 2026 10:00:00 GMT",
          ], bytes)
      },
      "/p3": { $1.fixture("display-p3.jpg") }, "/cmyk": { $1.fixture("cmyk.jpg") },
      "/grey": { $1.fixture("grey.png") },
    ])
    defer { server.stop() }
    let names = ["a", "p3", "cmyk", "grey", "gone"]
    func keys(_ profile: String) -> String {
      "variants: {format: [webp, jpeg]}\ncatalog: {profile: \(profile)}\n"
        + "fetch: {allow: loopback, retries: 0, ignore-query: [token], revalidate: always}"
    }
    let fixture = try RunFixture(
      manifest: names.map { #"{"id":"\#($0)","url":"\#(server.url("/\($0)"))"}"# + "\n" }.joined(),
      keys: keys("client"))
    #expect(try await fixture.run().status == 1)
    #expect(try fixture.catalog.images.allSatisfy { $0.source == nil })
    #expect(!(try fixture.catalogText.contains("sha256")))
    try fixture.write(keys: keys("full"))
    #expect(try await fixture.run().status == 1)
    #expect(try fixture.report["decodes"] == 0)
    let images = try fixture.catalog.images
    try Data(bytes).write(to: URL(filePath: fixture.folder.path("source")))
    func digest(_ path: String) async throws -> String {
      String(
        try await Tool.run("/usr/bin/sha256sum", [fixture.folder.path(path)]).output.prefix(64))
    }
    let source = CatalogSource(
      url: server.url("/b?size=1"), bytes: bytes.count, sha256: try await digest("source"),
      width: 80, height: 120, orientation: 6, colourSpace: "rgb", etag: "\"v1\"",
      lastModified: "Mon, 02 Nov 2026 10:00:00 GMT", robots: "noimageai, noindex")
    #expect(images[0].source == source)
    #expect(images[1].source?.profile == "sP3C")
    #expect(images.map { $0.source?.colourSpace } == ["rgb", "rgb", "cmyk", "grey", nil])
    for variant in images.flatMap(\.variants) {
      #expect(variant.sha256 == (try await digest("out/\(variant.reference)")))
      let other = try #require(variant.also?.first)
      #expect(other.sha256 == (try await digest("out/\(other.reference)")))
    }
    try await fixture.expectWhole()
  }

  /// JSON Lines: one line for the head and one per image, with the same text as in JSON.
  @Test func catalogCanBeJSONLines() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let names = ["plain.jpg", "grey.png", "gone.png"]
    let fixture = try RunFixture(manifest: names.map { nginx.url("/\($0)") + "\n" }.joined())
    #expect(try await fixture.run().status == 1)
    let whole = try fixture.catalogText
    try fixture.write(keys: "catalog: {format: jsonl}")
    let result = try await fixture.run()
    #expect(result.status == 1)
    #expect(result.output.contains("out/catalog.jsonl"))
    #expect(
      fixture.folder.files(below: "out").filter { $0.hasPrefix("catalog") } == ["catalog.jsonl"])
    try RunFixture.keep(try fixture.folder.text("out/catalog.jsonl"))
    let lines = try fixture.folder.text("out/catalog.jsonl").split(separator: "\n").map(
      String.init)
    #expect(lines.count == 4)
    #expect(
      lines[0].dropLast() + ",\"images\":[\n" + lines[1...].joined(separator: ",\n") + "\n]}\n"
        == whole)
    try fixture.write(keys: "")
    #expect(try await fixture.run().status == 1)
    #expect(try fixture.catalogText == whole)
    #expect(
      fixture.folder.files(below: "out").filter { $0.hasPrefix("catalog") } == ["catalog.json"])
    await nginx.stop()
  }
}
