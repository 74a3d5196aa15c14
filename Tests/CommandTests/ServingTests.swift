import Foundation
import TesseraCatalog
import TesseraTestSupport
import Testing

/// The serving guide: real servers with its configurations, its scripts, and real requests.
@Suite struct ServingTests {
  private static let shared = [
    "access-control-allow-origin": "*", "cross-origin-resource-policy": "cross-origin",
    "x-content-type-options": "nosniff",
  ]
  private static let ofVariants = shared.merging([
    "cache-control": "public, max-age=31536000, immutable"
  ]) { $1 }
  private static let ofCatalogs = shared.merging([
    "cache-control": "public, max-age=60, must-revalidate", "vary": "Accept-Encoding",
  ]) { $1 }

  private static func expect(
    _ response: ServedOutput.Response, _ status: Int, _ headers: [String: String],
    _ what: String
  ) {
    #expect(response.status == status, "\(what)")
    for (name, value) in headers {
      #expect(response.headers[name] == value, "\(what): \(name)")
    }
  }

  /// Every file of the catalog has its media type and its headers, by GET, HEAD and a range, and is
  /// revalidated by its ETag.
  @Test(arguments: ServedOutput.Server.allCases)
  func variantsAreImmutable(_ server: ServedOutput.Server) async throws {
    let fixture = try await ServedOutput.make()
    let files = try fixture.catalog.images.flatMap(\.variants).flatMap(\.files)
      .map { (path: $0.reference, type: $0.type, bytes: $0.bytes ?? 0) }
    #expect(
      Set(files.map(\.type)) == [
        "image/avif", "image/webp", "image/jxl", "image/heic", "image/jpeg", "image/png",
      ])
    let output = try await ServedOutput(fixture, by: server)
    for file in files {
      let content = try fixture.folder.read("out/\(file.path)")
      let headers = Self.ofVariants.merging(["content-type": file.type]) { $1 }
      let whole = try await output.get(file.path)
      Self.expect(
        whole, 200, headers.merging(["content-length": "\(file.bytes)"]) { $1 }, file.path)
      #expect(whole.body == content)
      #expect(whole.headers["vary"] == nil)
      let head = try await output.get(file.path, options: "--head")
      Self.expect(head, 200, headers.merging(["content-length": "\(file.bytes)"]) { $1 }, "HEAD")
      let part = try await output.get(file.path, ["Range": "bytes=2-5"])
      Self.expect(
        part, 206, headers.merging(["content-range": "bytes 2-5/\(file.bytes)"]) { $1 }, "range")
      #expect(part.body == content[2...5])
      let tag = try #require(whole.headers["etag"])
      let known = try await output.get(file.path, ["If-None-Match": tag])
      Self.expect(known, 304, Self.ofVariants, "If-None-Match")
    }
    for name in ["-64x64.bgra8", ".json"] {
      let table = "tables/0f/\(String(repeating: "0f", count: 16))\(name)"
      try fixture.folder.write("pixels", to: "out/\(table)")
      Self.expect(try await output.get(table), 200, Self.ofVariants, table)
    }
    await output.stop()
  }

  /// The catalog in each encoding that a client accepts, with an ETag of its own.
  @Test(arguments: ServedOutput.Server.allCases)
  func catalogsAreCompressedAndRevalidated(_ server: ServedOutput.Server) async throws {
    let fixture = try await ServedOutput.make()
    let catalog = try fixture.catalogText
    let digits = String(repeating: "0f", count: 32)
    let part = "screens/feed/\(digits.prefix(32)).json"
    let paths = ["screens/feed/first.json", part, "from-\(digits).json", "catalog.json"]
    for path in paths { try fixture.folder.write("\(catalog)\n", to: "out/\(path)") }
    try fixture.folder.write(catalog, to: "out/catalog.json")
    #expect(try await ServedOutput.script("compress", fixture.folder.path("out")).status == 0)
    let output = try await ServedOutput(fixture, by: server)
    let cases: [(accepts: String?, encoding: String?, suffix: String)] = [
      (nil, nil, ""), ("identity", nil, ""), ("gzip", "gzip", ".gz"), ("br", "br", ".br"),
      ("gzip, deflate, br, zstd", "br", ".br"), ("br;q=0, gzip;q=1.0", "gzip", ".gz"),
      ("vbr, gzip", "gzip", ".gz"),
    ]
    for path in paths {
      var headers = Self.ofCatalogs.merging(["content-type": "application/json"]) { $1 }
      if path == part { headers["cache-control"] = Self.ofVariants["cache-control"] }
      var tags: [String: String] = [:]
      for (accepts, encoding, suffix) in cases {
        // A request of a CDN has Via.
        let request = accepts.map { ["Accept-Encoding": $0, "Via": "1.1 cdn"] } ?? [:]
        let what = "\(path), \(accepts ?? "no encoding")"
        let answer = try await output.get(path, request)
        Self.expect(answer, 200, headers, what)
        #expect(answer.headers["content-encoding"] == encoding, "\(what)")
        #expect(answer.body == (try fixture.folder.read("out/\(path)\(suffix)")), "\(what)")
        let tag = try #require(answer.headers["etag"])
        tags[suffix] = tag
        let known = try await output.get(path, request.merging(["If-None-Match": tag]) { $1 })
        Self.expect(known, 304, headers.filter { $0.key != "content-type" }, what)
      }
      #expect(Set(tags.values).count == 3, "\(path): \(tags)")
    }
    await output.stop()
  }

  /// The next catalog has another ETag. Where compressed files are missing, the catalog itself is sent.
  @Test(arguments: ServedOutput.Server.allCases)
  func theNextCatalogIsNoticed(_ server: ServedOutput.Server) async throws {
    let fixture = try await ServedOutput.make()
    let catalog = try fixture.catalogText
    let output = try await ServedOutput(fixture, by: server)
    let tag = try #require(try await output.get("catalog.json").headers["etag"])
    try fixture.folder.write("\(catalog)\n", to: "out/next")
    try FileManager.default.removeItem(atPath: fixture.folder.path("out/catalog.json"))
    try FileManager.default.moveItem(
      atPath: fixture.folder.path("out/next"), toPath: fixture.folder.path("out/catalog.json"))
    let changed = try await output.get("catalog.json", ["If-None-Match": tag])
    #expect(changed.status == 200)
    #expect(changed.headers["etag"] != tag)
    let plain = try await output.get("catalog.json", ["Accept-Encoding": "gzip, br"])
    Self.expect(plain, 200, Self.ofCatalogs, "plain")
    #expect(plain.headers["content-encoding"] == nil)
    await output.stop()
  }

  /// State, reports, incomplete files and folders are 404, however the path is written, and that answer
  /// may not be cached for a year.
  @Test(arguments: ServedOutput.Server.allCases)
  func privateFilesAreNotServed(_ server: ServedOutput.Server) async throws {
    let fixture = try await ServedOutput.make()
    let file = try #require(try fixture.catalog.images.first?.variants.first?.reference)
    let existing = [
      "catalog.json.tessera-1.new", "\(file).tessera-1.new", "shards/2/0.jsonl", "gallery.html",
      "catalog.json.gz", "catalog.json.br", "catalog.json.gz.new", "screens/feed/other.json",
      "from-0a.json", "catalog.jsonl", "catalog/1.json",
    ]
    for path in existing { try fixture.folder.write("private", to: "out/\(path)") }
    #expect(fixture.folder.files(below: "out/.tessera").contains("state.sqlite"))
    #expect(fixture.folder.files(below: "out").contains("run.json"))
    let output = try await ServedOutput(fixture, by: server)
    let state = "tessera/state.sqlite"
    let paths =
      existing + [
        ".\(state)", "%2e\(state)", "%2E\(state)", "/.\(state)", "./.\(state)",
        "variants/../.\(state)", "variants/%2e%2e/.\(state)", "variants/..%2f.\(state)",
        "catalog/../.\(state)", "catalog/..%2F%2e\(state)", "catalog.json/../.\(state)",
        "\(file)/../../../../.\(state)", ".tessera", ".tessera/", "run.json", "run%2ejson",
        "%72un.json", "variants/../run.json", "", "variants", "variants/",
        "\(file.prefix(11))", "\(file.prefix(11))/", "\(file.prefix(14))",
        "\(file.prefix(14))/", "catalog", "catalog/", "screens", "screens/feed", "screens/feed/",
        "\(file)/",
        "\(file)%00.webp", file.replacing("variants/", with: "variants/f"),
        "variants/00/00/\(file.dropFirst(15))",
        // Names that the catalog could have.
        "variants/00/00/\(String(repeating: "0", count: 32))-1x1-\(file.suffix(21))",
      ]
    for path in paths {
      let answer = try await output.get(path)
      #expect([400, 404].contains(answer.status), "\(path): \(answer.status)")
      #expect(path.contains("%00") || answer.status == 404, "\(path): \(answer.status)")
      #expect(answer.headers["cache-control"] == nil, "\(path)")
      #expect(!answer.body.starts(with: Data("SQLite".utf8)), "\(path)")
    }
    await output.stop()
  }
}
