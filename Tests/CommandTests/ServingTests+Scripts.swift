import Foundation
import TesseraCatalog
import TesseraTestSupport
import Testing

/// The serving guide's scripts, and what nginx makes of the negotiation map.
extension ServingTests {
  /// Values of `Accept`, and the type that they choose of AVIF, WebP, JPEG XL, HEIC and the compatible format.
  private static let choices: [(accept: String, type: String)] = [
    ("", "compatible"), ("*/*", "compatible"), ("image/*,*/*;q=0.8", "compatible"),
    ("image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8", "image/avif"),
    ("image/webp,image/avif;q=0.1", "image/avif"), ("IMAGE/AVIF", "image/avif"),
    ("image/webp,*/*", "image/webp"), ("text/html, image/jxl , */*", "image/jxl"),
    ("image/jxl,image/webp;q=0.5", "image/webp"), ("image/heic,*/*", "image/heic"),
    ("image/avif;q=0, image/webp ;q=0.000, image/jxl; q=0.001", "image/jxl"),
    ("image/avif2,ximage/webp,image/jxl-x", "compatible"),
    // What looks like a path in the header chooses nothing.
    ("x /../run.png", "compatible"), ("x| /.tessera/state.png |image/", "compatible"),
  ]

  /// The first format that `Accept` names, in the pipeline's order, otherwise the compatible one.
  @Test func nginxNegotiatesFormats() async throws {
    let fixture = try await ServedOutput.make()
    let output = try await ServedOutput(fixture, by: .nginx, negotiates: true)
    for id in ["photo", "logo"] {
      let image = try #require(try fixture.catalog.images.first { $0.id == id })
      let variant = try #require(image.variants.first)
      for (accept, type) in Self.choices {
        let expected = try #require(
          variant.files.first { $0.type == type } ?? variant.files.last, "\(accept)")
        let request = ["Accept": accept]
        let answer = try await output.get(variant.reference, request)
        #expect(answer.status == 200, "\(accept)")
        #expect(answer.headers["content-type"] == expected.type, "\(accept)")
        #expect(answer.body == (try fixture.folder.read("out/\(expected.reference)")), "\(accept)")
        #expect(answer.headers["vary"] == "Accept", "\(accept)")
        #expect(
          answer.headers["cache-control"] == "public, max-age=31536000, immutable", "\(accept)")
        let head = try await output.get(variant.reference, request, options: "--head")
        #expect(head.headers["content-length"] == "\(expected.bytes ?? 0)", "\(accept)")
        let part = try await output.get(
          variant.reference, request.merging(["Range": "bytes=0-3"]) { $1 })
        #expect(part.headers["content-range"] == "bytes 0-3/\(expected.bytes ?? 0)", "\(accept)")
        let tag = try #require(answer.headers["etag"])
        let known = try await output.get(
          variant.reference, request.merging(["If-None-Match": tag]) { $1 })
        #expect(known.status == 304, "\(accept)")
        #expect(known.headers["vary"] == "Accept", "\(accept)")
      }
      // A URL of another format than the first has one content.
      let other = try #require(variant.also?.first)
      let answer = try await output.get(other.reference, ["Accept": "image/avif"])
      #expect(answer.headers["content-type"] == other.type)
      #expect(answer.headers["vary"] == nil)
      // If the chosen file is lost, the variant itself is sent.
      let lost = try #require(variant.also?.last).reference
      try FileManager.default.removeItem(atPath: fixture.folder.path("out/\(lost)"))
      let own = try await output.get(variant.reference)
      #expect(own.headers["content-type"] == variant.type)
    }
    await output.stop()
  }

  /// The map is the same however the catalog is formatted, and has one line for a shared file.
  @Test func theMapDoesNotDependOnTheCatalogsForm() async throws {
    let fixture = try await ServedOutput.make()
    let text = try fixture.catalogText
    let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
    let lines = text.split(separator: "\n")
    let forms = [
      text,
      // As `catalog: {format: jsonl}` writes it: see CatalogFormTests.
      lines[0].replacing(",\"images\":[", with: "}") + "\n"
        + lines.dropFirst().dropLast().map { $0.hasSuffix(",") ? $0.dropLast() : $0 }
        .joined(separator: "\n") + "\n",
      String(
        decoding: try JSONSerialization.data(
          withJSONObject: object, options: [.prettyPrinted, .sortedKeys]), as: UTF8.self),
    ]
    var expected: [String] = []
    for variant in try fixture.catalog.images.flatMap(\.variants) {
      let others = (variant.also ?? []).map { "/\($0.reference)" }.joined(separator: " ")
      expected.append("/\(variant.reference) \"\(others)\";")
    }
    #expect(expected.count == 3 && expected[0] == expected[1])
    for form in forms {
      let catalog = try fixture.folder.write(form, to: "form")
      let result = try await ServedOutput.script(
        "negotiation-map", catalog, fixture.folder.path("map"))
      #expect(result.status == 0, "\(result.errors)")
      let map = try fixture.folder.text("map").split(separator: "\n").map(String.init)
      #expect(map == [expected[0], expected[2]])
    }
  }

  /// A catalog that is broken, cut off or something else leaves the map as it is.
  @Test func badCatalogsLeaveTheMapUnchanged() async throws {
    let folder = try TemporaryFolder()
    let path = "variants/00/\(String(repeating: "0", count: 32))-1x1.avif"
    func image(_ path: String, _ other: String) -> String {
      #"{"variants": [{"path": "\#(path)", "also": [{"path": "\#(other)"}]}]}"#
    }
    let head = #"{"schema": "tessera-catalog/1", "count": 2"#
    let cases: [(catalog: String, message: String)] = [
      ("", "not valid JSON, or cut off: '{' expected at the end"),
      ("[]", "not valid JSON, or cut off: '{' expected before '['"),
      (#"{"images": ["#, "not valid JSON, or cut off: Expecting value"),
      (#"{"images": [{}"#, "not valid JSON, or cut off: ',' expected at the end"),
      (
        #"{"images": []}"#,
        #"not a Tessera catalog of version 1: "schema" is missing or another one"#
      ),
      (
        #"{"schema": "tessera-catalog/2", "images": []}"#,
        #"not a Tessera catalog of version 1: "schema" is missing or another one"#
      ),
      (head + "}\n{}\n", "cut off: it has 1 of 2 images"),
      (#"{"images": {}}"#, "the keyed form, which is for patches; use the catalog itself"),
      (#"{"images": [1]}"#, "an entry is malformed"),
      (
        #"{"images": [\#(image(path, "variants/../x"))]}"#,
        #""variants/../x" is not the path of a variant"#
      ),
      (
        #"{"images": [\#(image("x; } server { listen 1", path))]}"#,
        #""x; } server { listen 1" is not the path of a variant"#
      ),
    ]
    try folder.write("kept", to: "map")
    for (catalog, message) in cases {
      let source = try folder.write(catalog, to: "catalog")
      let result = try await ServedOutput.script("negotiation-map", source, folder.path("map"))
      #expect(result.status == 2, "\(catalog)")
      #expect(
        result.errors
          == "negotiation-map: \"\(source)\": \(message); the map is unchanged\n")
      #expect(try folder.text("map") == "kept")
      #expect(folder.files(below: "").sorted() == ["catalog", "map"])
    }
    let missing = folder.path("missing")
    let result = try await ServedOutput.script("negotiation-map", missing, folder.path("map"))
    #expect(
      result.errors
        == "negotiation-map: \"\(missing)\": No such file or directory; the map is unchanged\n")
    #expect(try await ServedOutput.script("negotiation-map").status == 64)
  }

  /// A catalog of 40 MB is read in pieces, in 40 MB of address space.
  @Test func longCatalogsAreReadInPieces() async throws {
    let folder = try TemporaryFolder()
    let image = #"{"id": "\#(String(repeating: "x", count: 400))", "variants": []}"#
    try folder.write(
      #"{"schema": "tessera-catalog/1", "images": [\#n"#
        + Array(repeating: image, count: 90_000).joined(separator: ",\n") + "]}", to: "catalog")
    let script = Places.root.appending(path: "Examples/serving/negotiation-map").path
    let result = try await Tool.run(
      "/bin/sh",
      [
        "-c", "ulimit -v 40000; exec /usr/bin/python3 -S \"$0\" \"$@\"", script,
        folder.path("catalog"), folder.path("map"),
      ], environment: ["LC_ALL": "C.UTF-8"])
    #expect(result.output == "\(folder.path("map")): 0 variants have other formats\n")
    #expect(result.errors.isEmpty)
  }

  /// `compress` keeps a file whose content is that of the last time, with its date, and removes what
  /// has lost its catalog.
  @Test func compressedCatalogsFollowTheCatalog() async throws {
    let folder = try TemporaryFolder()
    let files = FileManager.default
    func compress() async throws -> [String] {
      let result = try await ServedOutput.script("compress", folder.path(""))
      #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
      return folder.files(below: "")
    }
    try files.createDirectory(atPath: folder.path("catalog"), withIntermediateDirectories: true)
    try folder.write("one", to: "catalog.json")
    try folder.write("page", to: "catalog/1.json")
    #expect(
      try await compress() == [
        "catalog.json", "catalog.json.br", "catalog.json.gz", "catalog/1.json",
        "catalog/1.json.br", "catalog/1.json.gz",
      ])
    // A page that was pruned leaves no copy.
    try folder.write("gone", to: "catalog/2.json.gz")
    #expect(try await !compress().contains("catalog/2.json.gz"))
    let date = Date(timeIntervalSince1970: 1_700_000_000)
    func dates() throws -> [Date?] {
      try ["br", "gz"].map {
        try files.attributesOfItem(atPath: folder.path("catalog.json.\($0)"))[.modificationDate]
          as? Date
      }
    }
    for suffix in ["br", "gz"] {
      try files.setAttributes(
        [.modificationDate: date], ofItemAtPath: folder.path("catalog.json.\(suffix)"))
    }
    // Each run writes the catalog again, with a new date.
    try folder.write("one", to: "catalog.json")
    _ = try await compress()
    #expect(try dates() == [date, date])
    try folder.write("two", to: "catalog.json")
    _ = try await compress()
    #expect(try dates().allSatisfy { $0 != date })
    let text = try await Tool.run("/bin/gzip", ["-dc", folder.path("catalog.json.gz")]).output
    #expect(text == "two")
    #expect(
      try await Tool.run("/usr/bin/brotli", ["-dc", folder.path("catalog.json.br")]).output
        == "two")
    try files.removeItem(atPath: folder.path("catalog.json"))
    try folder.write("lines", to: "catalog.jsonl")
    #expect(
      try await compress().filter { !$0.contains("/") } == [
        "catalog.jsonl", "catalog.jsonl.br", "catalog.jsonl.gz",
      ])
    #expect(try await ServedOutput.script("compress").status == 64)
  }

  /// The guide's function accepts the catalog's files and rejects an altered one.
  @Test func theDocumentedScriptChecksDigests() async throws {
    let code = try Document(ServedOutput.guide).blocks("js")
    try #require(code.count == 1)
    let fixture = try await ServedOutput.make()
    let output = try await ServedOutput(fixture, by: .nginx)
    let program = try fixture.folder.write(
      """
      globalThis.crypto ??= require("node:crypto").webcrypto;
      \(code[0])
      (async () => {
        const url = process.argv[2];
        const catalog = await (await fetch(url)).json();
        for (const variant of catalog.images.flatMap((image) => image.variants)) {
          for (const file of [variant, ...variant.also]) {
            const found = await fetchWhole(url, file).catch((error) => error);
            console.log(found.message ?? `${file.path}: ${found.size} ${found.type}`);
          }
        }
      })();
      """, to: "check.js")
    let files = try fixture.catalog.images.flatMap(\.variants).flatMap(\.files)
    var expected = files.map { "\($0.reference): \($0.bytes ?? 0) \($0.type)" }
    func check() async throws -> [String] {
      let result = try await Tool.run("/usr/bin/node", [program, output.url("catalog.json")])
      #expect(result.status == 0, "\(result.errors)")
      return result.output.split(separator: "\n").map(String.init)
    }
    #expect(try await check() == expected)
    let last = try #require(files.last)
    let altered = Array(repeating: UInt8(1), count: last.bytes ?? 0)
    try Data(altered).write(to: URL(filePath: fixture.folder.path("out/\(last.reference)")))
    expected[expected.count - 1] = "\(last.reference): altered"
    #expect(try await check() == expected)
    await output.stop()
  }
}
