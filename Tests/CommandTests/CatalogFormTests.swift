import Foundation
import TesseraCatalog
import TesseraTestSupport
import Testing

/// The catalog's profiles, and its form.
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
    #expect(try fixture.catalog.images.allSatisfy { $0.provenance == nil })
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
    #expect(images[0].provenance == source)
    #expect(images[1].provenance?.profile == "sP3C")
    #expect(images.map { $0.provenance?.colourSpace } == ["rgb", "rgb", "cmyk", "grey", nil])
    for variant in images.flatMap(\.variants) {
      #expect(variant.sha256 == (try await digest("out/\(variant.reference)")))
      let other = try #require(variant.also.first)
      #expect(other.sha256 == (try await digest("out/\(other.reference)")))
    }
    try await fixture.expectWhole()
  }

  /// The form on which all readers rely: one JSON document, an image a line, and the digest of all that follows it.
  @Test func theCatalogIsADocumentOfLines() async throws {
    let fixture = try RunFixture(manifest: "")
    for names in [[], ["plain.jpg"], ["plain.jpg", "grey.png", "gone.png"]] {
      let lines = names.map { #"{"id":"\#($0)","url":"file://\#(Places.fixture($0).path)"}"# }
      try fixture.folder.write(lines.joined(separator: "\n"), to: "manifest")
      try fixture.write(keys: "fetch: {allow: [\"files:/\"], retries: 0}")
      _ = try await fixture.run()
      let program = """
        import hashlib, json, sys
        data = open(sys.argv[1], "rb").read()
        text = data.decode()
        lines = text.split("\\n")
        catalog = json.loads(text)
        assert list(catalog)[0] == "digest" and list(catalog)[-2:] == ["count", "images"]
        assert catalog["digest"] == hashlib.sha256(data[77:]).hexdigest()
        assert lines[0].endswith('"images":[') and lines[-2:] == ["]}", ""]
        images = [json.loads(line.removesuffix(",")) for line in lines[1:-2]]
        assert images == catalog["images"] and len(images) == catalog["count"]
        assert [line[-1:] == "," for line in lines[1:-2]] == [True] * (len(images) - 1) + [False] * bool(images)
        print(len(images))
        """
      let read = try await Tool.run(
        "/usr/bin/python3", ["-c", program, fixture.folder.path("out/catalog.json")])
      #expect(read.output == "\(names.count)\n", "\(read.errors)")
    }
  }
}
