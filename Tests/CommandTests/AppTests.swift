import Foundation
import TesseraBytes
import TesseraCatalog
import TesseraTestSupport
import Testing

/// What apps do with a catalog: the library, the example, exports and changes.
@Suite struct AppTests {
  /// The Swift code in the library's articles, with the name of each article.
  private static func snippets() throws -> [(article: String, code: String)] {
    let folder = Places.root.appending(path: "Sources/TesseraCatalog/TesseraCatalog.docc")
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().flatMap {
      name in
      try code("swift", in: folder.appending(path: name)).map { (article: name, code: $0) }
    }
  }

  /// The blocks of code of a language in a document.
  private static func code(_ language: String, in document: URL) throws -> [String] {
    try String(contentsOf: document, encoding: .utf8)
      .components(separatedBy: "```\(language)\n").dropFirst()
      .map { $0.components(separatedBy: "```")[0] }
  }

  private static func swift(_ arguments: [String], _ environment: [String: String]) async throws
    -> Tool.Result
  {
    let path = try await Tool.run("/usr/bin/which", ["swift"]).output
    return try await Tool.run(
      path.trimmingCharacters(in: .whitespacesAndNewlines), arguments, environment: environment)
  }

  /// The package as it is now, as a repository of its own below a folder, with a release.
  private static func repository(in folder: TemporaryFolder) async throws -> String {
    let path = folder.path("tessera")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    for name in ["Package.swift", "Sources"] {
      try FileManager.default.copyItem(
        at: Places.root.appending(path: name), to: URL(filePath: "\(path)/\(name)"))
    }
    for arguments in [
      ["init", "--quiet", "--initial-branch=main"], ["add", "--all"],
      ["-c", "user.name=t", "-c", "user.email=t@localhost", "commit", "--quiet", "-m", "t"],
      ["tag", "0.1.0"],
    ] {
      let done = try await Tool.run("/usr/bin/git", ["-C", path] + arguments)
      try #require(done.status == 0, "\(done.errors)")
    }
    return path
  }

  private static let catalogPage = Places.root.appending(path: "Pipelines/CATALOG.md")

  /// The page's code for a server, with a database of a run in place of its catalog; and the columns are those that the page
  /// names.
  @Test func aServerLooksUpImages() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let fixture = try RunFixture(
      manifest: """
        {"id":"p1","url":"\(nginx.url("/rotated-phone-shot.jpg"))"}
        {"id":"p2","url":"\(nginx.url("/missing.jpg"))"}
        """, keys: "base-url: https://cdn.example.com/feed/")
    #expect(try await fixture.run().status == 1)
    await nginx.stop()
    let out = fixture.folder.path("out")
    for summary in ["1 image; 1 without files", "up to date"] {
      let made = try await Tool.tessera(
        "export", out, "--as", "sqlite", "--to", fixture.folder.path("catalog.sqlite"))
      #expect(made.status == 0 && made.output.hasSuffix(": \(summary)\n"), "\(made)")
    }
    let code = try Self.code("python", in: Self.catalogPage)
    let queries = try Self.code("sql", in: Self.catalogPage)
    try #require(code.count == 1 && queries.count == 1)
    try #require(code[0].contains(#"Catalog.open("catalog.json")"#))
    let program = """
      import json, sqlite3
      \(code[0].replacing("catalog.json", with: "catalog.sqlite"))
      found = answer([{"name": "a", "image": "p1"}, {"name": "b", "image": "none"}])
      print(found[0]["name"], found[0]["image"]["slots"]["card"]["height"], found[1]["image"])
      catalog = sqlite3.connect("catalog.sqlite")
      queries = \"\"\"\(queries[0])\"\"\".strip().splitlines()
      head, one, several, count = [query.removesuffix(";") for query in queries]
      print(len(catalog.execute(head).fetchall()), len(catalog.execute(one, ["p2"]).fetchall()))
      print(*[json.loads(row[0])["id"] for row in catalog.execute(several.replace("100", "0"))])
      print(*catalog.execute(count).fetchone())
      print(*[row[1] for table in ("head", "images") for row in catalog.execute(f"PRAGMA table_info({table})")])
      """
    let reader = Places.root.appending(path: "Examples/catalog").path
    let result = try await Tool.run(
      "/bin/sh",
      [
        "-c", #"cd "$1" && exec env PYTHONPATH="$2" python3 -B -c "$0""#, program,
        fixture.folder.url.path, reader,
      ])
    #expect(
      result.output == """
        a 240 None
        1 1
        p1 p2
        2
        json place id status width height color json

        """, "\(result.errors)")
    // And the reader in Python has the same images in it as in the catalog.
    let read = try await Tool.run(
      Places.root.appending(path: "Tests/check-python").path,
      ["\(out)/catalog.json", fixture.folder.path("catalog.sqlite")])
    #expect(read.output.contains("the database has the 2 images of the catalog"), "\(read.errors)")
    #expect(read.status == 0, "\(read.errors)")
  }

  /// Another package, with targets named like this package's folders, builds on the library without a word about
  /// libraries that it is not linked with. It prints a layout. The articles' code is built with it.
  @Test func appsBuildWithoutSystemLibraries() async throws {
    let folder = try TemporaryFolder()
    let repository = try await Self.repository(in: folder)
    for target in ["Plan", "Manifest", "State", "App", "Articles", "Sizes"] {
      try FileManager.default.createDirectory(
        atPath: folder.path("Sources/\(target)"), withIntermediateDirectories: true)
    }
    try folder.write(
      """
      // swift-tools-version: 6.2
      import PackageDescription
      let catalog = Target.Dependency.product(name: "TesseraCatalog", package: "tessera")
      let sizes = Target.Dependency.product(name: "TesseraSizeFetcher", package: "tessera")
      let package = Package(
        name: "App", platforms: [.macOS(.v12), .iOS(.v15)],
        dependencies: [.package(url: "file://\(repository)", from: "0.1.0")],
        targets: [
          .target(name: "Plan"), .target(name: "Manifest"), .target(name: "State"),
          .target(name: "Articles", dependencies: [catalog]),
          .target(name: "Sizes", dependencies: [sizes]),
          .executableTarget(
            name: "App", dependencies: ["Plan", "Manifest", "State", "Articles", catalog]),
        ])
      """, to: "Package.swift")
    for target in ["Plan", "Manifest", "State"] {
      try folder.write(
        "public enum \(target) { public static let name = \"\(target)\" }",
        to: "Sources/\(target)/a.swift")
    }
    let snippets = try Self.snippets()
    #expect(snippets.count >= 9)
    var articles = "import Foundation\nimport TesseraCatalog\nimport TesseraCatalogFoundation\n"
    for (number, snippet) in snippets.enumerated() {
      articles += """
        // \(snippet.article)
        public func snippet\(number)(
          data: [UInt8], parts: [[UInt8]], catalog: Catalog, index: CatalogIndex, image: CatalogEntry,
          url: URL, folder: URL, sha256: @escaping @Sendable (_ bytes: [UInt8]) -> [UInt8]
        ) async throws {
        do {
        \(snippet.code)
        }
        }

        """
    }
    try folder.write(articles, to: "Sources/Articles/articles.swift")
    try folder.write(
      "@_exported import TesseraImageHeader\n@_exported import TesseraSizeFetcher\n",
      to: "Sources/Sizes/sizes.swift")
    try folder.write(
      """
      import Foundation
      import Manifest
      import Plan
      import State
      import TesseraCatalog
      import TesseraCatalogFoundation
      let file = URL(fileURLWithPath: CommandLine.arguments[1])
      let index = try await CatalogIndex.load(file, accepting: SupportedTypes.iOS(17), from: file)
      print(Plan.name, Manifest.name, State.name)
      for image in index.images {
        guard let size = image.box(in: "card") else { continue }
        print(image.id, size.width, size.height, image.file(for: "card", scale: 2)?.width ?? 0)
      }
      """, to: "Sources/App/main.swift")

    let nginx = try await Nginx(serving: Places.fixtures)
    let fixture = try RunFixture(
      manifest: #"{"id":"p1","url":"\#(nginx.url("/rotated-phone-shot.jpg"))"}"#)
    #expect(try await fixture.run().status == 0)
    await nginx.stop()
    // libvips is there, and is not looked for.
    let found = try await Tool.run("/usr/bin/pkg-config", ["--exists", "vips"])
    try #require(found.status == 0)
    let built = try await Self.swift(["build", "--package-path", folder.url.path], [:])
    #expect(
      built.status == 0 && !(built.output + built.errors).contains("warning:"), "\(built.errors)")
    let shown = try await Self.swift(
      [
        "run", "--quiet", "--skip-build", "--package-path", folder.url.path, "App",
        fixture.folder.path("out/catalog.json"),
      ], [:])
    #expect(
      shown.output == "Plan Manifest State\np1 180 240 384\n", "\(shown.errors)\(shown.output)")
    // Without what Foundation itself is linked with: it has a libcurl of the system for `URLSession`.
    let linked = try await Tool.run(
      "/usr/bin/readelf", ["--dynamic", folder.path(".build/debug/App")]
    ).output
    #expect(linked.contains("libFoundation"))
    for library in ["vips", "curl", "sqlite3", "yaml", "crypto", "libz"] {
      #expect(!linked.contains(library), "\(linked)")
    }
  }

  /// The example app lays out a feed on three screens, and the files that it would fetch exist.
  @Test func exampleAppLaysOutAFeed() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let names = ["rotated-phone-shot.jpg", "plain.jpg", "gone.jpg", "grey.png", "animated.gif"]
    let fixture = try RunFixture(
      manifest: names.map { #"{"id":"\#($0)","url":"\#(nginx.url("/\($0)"))"}"# + "\n" }.joined())
    #expect(try await fixture.run().status == 1)
    await nginx.stop()
    let example = Places.products.appending(path: "FeedLayout").path
    let shown = try await Tool.run(example, [fixture.folder.path("out/catalog.json")])
    #expect(shown.status == 0, "\(shown.errors)")
    let lines = shown.output.split(separator: "\n").map(String.init)
    #expect(lines.filter { $0.contains(" points at ") }.count == 3)
    // The hero takes the whole width, and a failed image keeps its place.
    #expect(lines.contains { $0.contains("0,0 390x281  thumbhash") }, "\(shown.output)")
    #expect(lines.filter { $0.contains("gone.jpg") && $0.contains("failed: ") }.count == 3)
    let files = lines.filter { $0.hasPrefix("    variants/") }.map { $0.dropFirst(4) }
    #expect(files.count >= 12)
    for file in files {
      #expect(FileManager.default.fileExists(atPath: fixture.folder.path("out/\(file)")))
    }
    // The quickstart's photographs, if it has run.
    if let quickstart = ProcessInfo.processInfo.environment["TESSERA_QUICKSTART"] {
      let feed = try await Tool.run(example, ["\(quickstart)/out/catalog.json"])
      #expect(feed.status == 0, "\(feed.errors)")
      #expect(feed.output.contains("phone, 390 x 844 points at 3.0:"))
    } else {
      print("not tested: the quickstart's catalog (run Tests/run without arguments for it)")
    }
    let broken = try await Tool.run(example, [fixture.folder.path("feed.yaml")])
    #expect(broken.status == 2)
    #expect(broken.errors.contains("line 1, column 1: expected {\"digest\":"), "\(broken.errors)")
  }

  /// `diff` between two outputs, as text, JSON and changes.
  @Test func diffReportsChanges() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    func line(_ id: String, _ name: String) -> String {
      #"{"id":"\#(id)","url":"\#(nginx.url("/\(name)"))"}"# + "\n"
    }
    let fixture = try RunFixture(manifest: line("a", "plain.jpg") + line("b", "grey.png"))
    #expect(try await fixture.run().status == 0)
    let old = try fixture.folder.write(try fixture.catalogText, to: "old.json")
    try fixture.folder.write(
      line("new", "one-pixel.png") + line("a", "animated.gif"), to: "manifest")
    #expect(try await fixture.run().status == 0)
    let out = fixture.folder.path("out")
    let text = try await Tool.tessera("diff", old, out)
    #expect(text.status == 0, "\(text.errors)")
    #expect(
      text.output
        == "+ new\n~ a: url, width, height, format, alpha, animated, frames, placeholder, source, variants, slots\n- b\n",
      "\(text.output)")
    #expect(text.errors == "1 image added, 1 removed, 1 changed, 0 the same\n")
    let changes = try await Tool.tessera("diff", "--changes", old, out)
    let document = Array(try fixture.folder.read("old.json"))
    let made = try CatalogChanges(reading: changes.output.utf8).applied(to: document) {
      MessageDigest.sha256.digest(of: $0)
    }
    #expect(made == Array(try fixture.folder.read("out/catalog.json")))
    let json = try await Tool.tessera("diff", "--json", old, out)
    let members = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
    #expect(members?["removed"] as? Int == 1)
    #expect((members?["changes"] as? [Any])?.count == 3)
    // The digests, as any program computes them, and as the catalogs state them.
    for (name, bytes) in [("old", document), ("new", made)] {
      let rest = String(decoding: bytes[77...], as: UTF8.self)
      let sum = try await Tool.run("/usr/bin/sha256sum", [fixture.folder.write(rest, to: "sum")])
      let digest = try #require(members?[name] as? String)
      #expect(sum.output.hasPrefix("\(digest) "), "\(name)")
      #expect(try Catalog(reading: bytes).digest == digest)
    }
    await nginx.stop()
    // Errors of a truncated catalog are still one JSON document.
    try fixture.folder.write(
      String(try fixture.folder.text("old.json").dropLast(40)), to: "cut.json")
    let cut = try await Tool.tessera("diff", "--json", old, fixture.folder.path("cut.json"))
    #expect(cut.status == 2)
    let report = try JSONSerialization.jsonObject(with: Data(cut.output.utf8)) as? [String: Any]
    #expect((report?["error"] as? [String: Any])?["code"] as? String == "output", "\(cut.output)")
    #expect(cut.errors.contains("cut.json"))
    let missing = try await Tool.tessera("diff", fixture.folder.path("nothing"), out)
    #expect(missing.status == 2)
    #expect(missing.errors.contains("nothing"), "\(missing.errors)")
  }
}
