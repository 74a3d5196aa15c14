import Foundation
import TesseraCatalog
import TesseraTestSupport
import Testing

/// The serving guide's scripts, and what the servers make of the lines for negotiation.
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
  @Test(arguments: ServedOutput.Server.allCases)
  func serversNegotiateFormats(_ server: ServedOutput.Server) async throws {
    let fixture = try await ServedOutput.make()
    let output = try await ServedOutput(fixture, by: server, negotiates: true)
    let images = try fixture.catalog.images.filter { $0.id != "again" }
    #expect(images.flatMap(\.variants).map { $0.crop != nil } == [false, true, false, true])
    for (image, variant) in images.flatMap({ image in image.variants.map { (image, $0) } }) {
      let files = variant.files
      let compatible = try #require(files.last)
      #expect(compatible.type == (image.id == "photo" ? "image/jpeg" : "image/png"))
      for (accept, type) in Self.choices {
        let expected = files.first { $0.type == type } ?? compatible
        let request = ["Accept": accept]
        let answer = try await output.get(compatible.reference, request)
        #expect(answer.status == 200, "\(accept)")
        #expect(answer.headers["content-type"] == expected.type, "\(accept)")
        #expect(answer.body == (try fixture.folder.read("out/\(expected.reference)")), "\(accept)")
        #expect(answer.headers["vary"] == "Accept", "\(accept)")
        #expect(
          answer.headers["cache-control"] == "public, max-age=31536000, immutable", "\(accept)")
        let head = try await output.get(compatible.reference, request, options: "--head")
        #expect(head.headers["content-length"] == "\(expected.bytes ?? 0)", "\(accept)")
        let part = try await output.get(
          compatible.reference, request.merging(["Range": "bytes=0-3"]) { $1 })
        #expect(part.headers["content-range"] == "bytes 0-3/\(expected.bytes ?? 0)", "\(accept)")
        let tag = try #require(answer.headers["etag"])
        let known = try await output.get(
          compatible.reference, request.merging(["If-None-Match": tag]) { $1 })
        #expect(known.status == 304, "\(accept)")
        #expect(known.headers["vary"] == "Accept", "\(accept)")
      }
      // A URL of another format has one content, and so has a file of another recipe, such as that for
      // high dynamic range.
      let point = try #require(compatible.reference.lastIndex(of: "."))
      let other =
        compatible.reference[..<point].dropLast(16) + String(repeating: "0", count: 16)
        + compatible.reference[point...]
      try fixture.folder.write("other", to: "out/\(other)")
      for (path, type) in files.dropLast().map({ ($0.reference, $0.type) })
        + [(String(other), compatible.type)]
      {
        let answer = try await output.get(path, ["Accept": "image/webp,image/avif,image/jxl"])
        #expect(answer.headers["content-type"] == type)
        #expect(answer.body == (try fixture.folder.read("out/\(path)")))
        #expect(answer.headers["vary"] == nil)
      }
      // If files are lost, the next format is sent, and the file itself in the end.
      for (lost, next) in zip(files, files.dropFirst()) {
        try FileManager.default.removeItem(atPath: fixture.folder.path("out/\(lost.reference)"))
        let accept = files.map(\.type).joined(separator: ",")
        let answer = try await output.get(compatible.reference, ["Accept": accept])
        #expect(answer.headers["content-type"] == next.type)
      }
      try FileManager.default.removeItem(
        atPath: fixture.folder.path("out/\(compatible.reference)"))
      let answer = try await output.get(compatible.reference, ["Accept": "image/avif"])
      #expect(answer.status == 404)
      #expect(answer.headers["cache-control"] == nil)
    }
    await output.stop()
  }

  /// A format of a catalog's head.
  private static func format(_ ending: String, _ digit: String, _ more: String = "") -> String {
    let type = ending == "jpg" ? "jpeg" : ending
    let recipe = String(repeating: digit, count: 16)
    return #"{"type":"image/\#(type)","extension":"\#(ending)","recipe":"\#(recipe)"\#(more)}"#
  }

  /// The first line of a catalog.
  private static func head(_ formats: String..., schema: String = Catalog.schema) -> String {
    #"{"schema":"\#(schema)","formats":[\#(formats.joined(separator: ","))],"count":1,"images":[\#n"#
  }

  /// A line for each requested format before the compatible ones: not for one that only takes the place
  /// of another, and not for high dynamic range. Images are not read.
  @Test func negotiationHasALineForEachFormat() async throws {
    let folder = try TemporaryFolder()
    let catalog = try folder.write(
      Self.head(
        Self.format("avif", "a"), Self.format("webp", "b"), Self.format("jpg", "c"),
        Self.format("jxl", "d"), Self.format("png", "e", #","fallback":true"#),
        Self.format("heic", "f", #","fallback":true"#),
        Self.format("jpg", "0", #","dynamicRange":"high""#),
        #"{"type":"image/webp"}"#) + "not JSON", to: "catalog")
    let compatible = #"(?:cccccccccccccccc\.jpg|eeeeeeeeeeeeeeee\.png)"#
    func line(_ number: Int, _ ending: String, _ digit: String) -> String {
      let accepted = #"(?:.*[,\s])?image/\#(ending)\s*(?:,|$|;\s*(?:q=(?:1|0\.0*[1-9])|[^q\s]))"#
      let recipe = String(repeating: digit, count: 16)
      return #""~(?i)^\#(number) (?P<size>\S+-)\#(compatible) \#(accepted)" "#
        + #""${size}\#(recipe).\#(ending)""#
    }
    let lines = [
      #""~^0 \S+-\#(compatible)$" Accept"#, line(1, "avif", "a"), line(2, "webp", "b"),
    ]
    for (server, end) in [(ServedOutput.Server.nginx, ";\n"), (.caddy, "\n")] {
      let result = try await ServedOutput.negotiation(catalog, for: server)
      #expect(result.output == lines.map { $0 + end }.joined())
      #expect(result.errors.isEmpty && result.status == 0)
    }
    // Nothing to choose.
    for formats in [
      [Self.format("jpg", "c"), Self.format("avif", "a")], [Self.format("avif", "a")],
      [#"{"type":"image/avif"}"#, #"{"type":"image/jpeg"}"#],
    ] {
      let catalog = try folder.write(Self.head(formats.joined(separator: ",")), to: "catalog")
      let result = try await ServedOutput.negotiation(catalog, for: .nginx)
      #expect(result.output.isEmpty && result.errors.isEmpty && result.status == 0)
    }
  }

  /// Nothing is printed if the file is not a catalog, or if a type, an extension or a recipe is malformed.
  @Test func negotiationReadsCatalogsOnly() async throws {
    let folder = try TemporaryFolder()
    let form = "its first line is not that of a catalog"
    let jpeg = Self.format("jpg", "c")
    let long = Self.format("avif", "aa")
    let cases: [(catalog: String, message: String)] = [
      ("", form), ("[]\n", form), ("{\n", form), ("{\"images\":[\n", form),
      (Self.head(jpeg).replacing("\"images\":[\n", with: "\"images\":[]}\n"), form),
      (String(Self.head(jpeg).dropLast()), form), (Self.head("1"), form), (Self.head("null"), form),
      (Self.head("\"recipe\""), form),
      (Self.head(#"{"recipe":"\#(String(repeating: "a", count: 16))"}"#), form),
      (Self.head(jpeg).replacing("\"image/jpeg\"", with: "7"), form),
      (Self.head(jpeg, schema: "tessera-catalog/10"), "not a Tessera catalog of version 1"),
      (
        Self.head(jpeg, long),
        #""\#(String(repeating: "a", count: 32))" is not the recipe of a format"#
      ),
      (
        Self.head(jpeg, Self.format("x; } server { listen 1", "a")),
        #""image/x; } server { listen 1" is not the type of a format"#
      ),
      (
        Self.head(jpeg.replacing("\"jpg\"", with: #""jpg\" \"""#)),
        #""jpg\" \"" is not the extension of a format"#
      ),
      (
        Self.head(
          Self.format("a", "1"), Self.format("b", "1"), Self.format("c", "1"),
          Self.format("d", "1"), Self.format("e", "1"), jpeg),
        "it has 5 formats before JPEG and PNG; the most are 4"
      ),
    ]
    for (catalog, message) in cases {
      let source = try folder.write(catalog, to: "catalog")
      let result = try await ServedOutput.negotiation(source, for: .nginx)
      #expect(result.status == 1, "\(catalog)")
      #expect(result.output.isEmpty, "\(catalog)")
      #expect(result.errors == "negotiation: \"\(source)\": \(message)\n")
    }
    let missing = folder.path("missing")
    let result = try await ServedOutput.negotiation(missing, for: .caddy)
    #expect(result.errors == "negotiation: \"\(missing)\": No such file or directory\n")
    #expect(try await ServedOutput.script("negotiation").status == 64)
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
    try folder.write("one", to: "catalog.json")
    try folder.write("first", to: "screens/feed/first.json")
    try folder.write("changes", to: "from-1.json")
    #expect(
      try await compress() == [
        "catalog.json", "catalog.json.br", "catalog.json.gz", "from-1.json", "from-1.json.br",
        "from-1.json.gz", "screens/feed/first.json", "screens/feed/first.json.br",
        "screens/feed/first.json.gz",
      ])
    // Documents that were pruned leave no copies.
    for copy in ["screens/feed/0.json.gz", "from-0.json.br"] {
      try folder.write("gone", to: copy)
      #expect(try await !compress().contains(copy))
    }
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
    #expect(try await compress().allSatisfy { !$0.hasPrefix("catalog") })
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
        for (const { source, variants } of catalog.images) {
          for (const { width, height, crop, sha256 } of variants) {
            for (const [place, digest] of sha256.entries()) {
              if (digest === null) continue;
              const { recipe, extension } = catalog.formats[place];
              const size = crop ? `${width}x${height}-${crop}` : `${width}x${height}`;
              const name = `${source}-${size}-${recipe}.${extension}`;
              const path = `variants/${name.slice(0, 2)}/${name.slice(2, 4)}/${name}`;
              const found = await fetchWhole(new URL(path, url), digest).catch((error) => error);
              console.log(found.message ?? `${path}: ${found.size} ${found.type}`);
            }
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
    expected[expected.count - 1] = "\(output.url(last.reference)): altered"
    #expect(try await check() == expected)
    await output.stop()
  }
}
