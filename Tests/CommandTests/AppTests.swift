import Foundation
import TesseraCatalog
import TesseraTestSupport
import Testing

/// What apps do with a catalog: the library, the example, exports and patches.
@Suite struct AppTests {
  /// The Swift code in the library's articles, with the name of each article.
  private static func snippets() throws -> [(article: String, code: String)] {
    let folder = Places.root.appending(path: "Sources/TesseraCatalog/TesseraCatalog.docc")
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().flatMap {
      name in
      let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
      return text.components(separatedBy: "```swift\n").dropFirst().map { part in
        (article: name, code: part.components(separatedBy: "```")[0])
      }
    }
  }

  private static func swift(_ arguments: [String], _ environment: [String: String]) async throws
    -> Tool.Result
  {
    let path = try await Tool.run("/usr/bin/which", ["swift"]).output
    return try await Tool.run(
      path.trimmingCharacters(in: .whitespacesAndNewlines), arguments, environment: environment)
  }

  /// Another package, with targets named like this package's folders, builds on the library
  /// although no system library can be found. It prints a layout and is linked with none of them.
  /// The articles' code is built with it.
  @Test func appsBuildWithoutSystemLibraries() async throws {
    let folder = try TemporaryFolder()
    let root = Places.root
    for target in ["Plan", "Manifest", "State", "App", "Articles"] {
      try FileManager.default.createDirectory(
        atPath: folder.path("Sources/\(target)"), withIntermediateDirectories: true)
    }
    try folder.write(
      """
      // swift-tools-version: 6.2
      import PackageDescription
      let catalog = Target.Dependency.product(
        name: "TesseraCatalog", package: "\(root.lastPathComponent)")
      let package = Package(
        name: "App", platforms: [.macOS(.v12), .iOS(.v15)],
        dependencies: [.package(path: "\(root.path)")],
        targets: [
          .target(name: "Plan"), .target(name: "Manifest"), .target(name: "State"),
          .target(name: "Articles", dependencies: [catalog]),
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
    var articles = "import TesseraCatalog\n"
    for (number, snippet) in snippets.enumerated() {
      articles += """
        // \(snippet.article)
        public func snippet\(number)(
          data: [UInt8], parts: [[UInt8]], catalog: Catalog, index: CatalogIndex, image: CatalogImage
        ) throws {
        do {
        \(snippet.code)
        }
        }

        """
    }
    try folder.write(articles, to: "Sources/Articles/articles.swift")
    try folder.write(
      """
      import Foundation
      import Manifest
      import Plan
      import State
      import TesseraCatalog
      let catalog = try Catalog(reading: Data(contentsOf: URL(fileURLWithPath: CommandLine.arguments[1])))
      let index = CatalogIndex(catalog)
      print(Plan.name, Manifest.name, State.name)
      for image in catalog.images {
        guard let size = index.layoutSize(of: image.id, in: "card") else { continue }
        print(image.id, size.width, size.height, index.variant(of: image.id, for: "card", scale: 2)?.width ?? 0)
      }
      """, to: "Sources/App/main.swift")

    let nginx = try await Nginx(serving: Places.fixtures)
    let fixture = try RunFixture(
      manifest: #"{"id":"p1","url":"\#(nginx.url("/rotated-phone-shot.jpg"))"}"#)
    #expect(try await fixture.run().status == 0)
    await nginx.stop()
    let nowhere = ["PKG_CONFIG_PATH": "/nonexistent", "PKG_CONFIG_LIBDIR": "/nonexistent"]
    let found = try await Tool.run(
      "/usr/bin/env", ["pkg-config", "--exists", "vips"], environment: nowhere)
    try #require(found.status != 0, "libvips is found despite the empty search path")
    let shown = try await Self.swift(
      [
        "run", "--quiet", "--package-path", folder.url.path, "App",
        fixture.folder.path("out/catalog.json"),
      ], nowhere)
    #expect(
      shown.output == "Plan Manifest State\np1 180 240 384\n", "\(shown.errors)\(shown.output)")
    let linked = try await Tool.run("/usr/bin/ldd", [folder.path(".build/debug/App")]).output
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
    #expect(broken.errors.contains("line 1, column 1: expected an object"), "\(broken.errors)")
  }

  /// Exports are valid for the programs that read them, whatever the ids are.
  @Test func exportsAreValidForTheirReaders() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let ids = ["plain", "../../etc/passwd", "Größe \"<&>\"", "a/b", "a_b", "Plain", "GONE"]
    let names = [
      "plain.jpg", "grey.png", "rotated-phone-shot.jpg", "one-pixel.png", "transparent.png",
      "progressive.jpg", "gone.jpg",
    ]
    let lines = try zip(ids, names).map { id, name in
      let entry: [String: Any] = [
        "id": id, "url": nginx.url("/\(name)"), "extra": ["alt": "\(id)\u{0}\r\"&"],
      ]
      return String(decoding: try JSONSerialization.data(withJSONObject: entry), as: UTF8.self)
        + "\n"
    }
    let fixture = try RunFixture(
      manifest: lines.joined(),
      keys: "variants: {format: [webp, jpeg]}\nbase-url: \"https://cdn.example.com/a,b/\"")
    #expect(try await fixture.run().status == 1)
    await nginx.stop()
    let catalog = try fixture.catalog
    let out = fixture.folder.path("out")
    func export(_ form: String, _ options: String...) async throws -> Tool.Result {
      try await Tool.run(
        Places.tessera,
        ["export", out, "--as", form, "--to", fixture.folder.path("made-\(form)")] + options)
    }

    // HTML, parsed by Python.
    let html = try await export("html")
    #expect(html.status == 0, "\(html.errors)")
    #expect(
      html.output.hasSuffix("made-html: 6 images; 1 without files\n"), "\(html.output)")
    let script = """
      import html.parser, json, sys
      found = []
      class Parser(html.parser.HTMLParser):
          def handle_starttag(self, tag, attributes): found.append([tag, dict(attributes)])
      Parser().feed(open(sys.argv[1], encoding="utf-8").read())
      print(json.dumps(found))
      """
    let parsed = try await Tool.run(
      "/usr/bin/python3", ["-c", script, fixture.folder.path("made-html")])
    let tags = try #require(
      try JSONSerialization.jsonObject(with: Data(parsed.output.utf8)) as? [[Any]])
    let elements = tags.map {
      (tag: $0[0] as? String ?? "", facts: $0[1] as? [String: String] ?? [:])
    }
    #expect(
      elements.map(\.tag)
        == Array(repeating: ["picture", "source", "img"], count: 18).flatMap(\.self))
    #expect(Set(elements.compactMap { $0.facts["data-id"] }) == Set(ids.dropLast()))
    #expect(elements.filter { $0.tag == "source" }.allSatisfy { $0.facts["type"] == "image/webp" })
    for (tag, facts) in elements where tag != "picture" {
      for choice in (facts["srcset"] ?? "").components(separatedBy: ", ") {
        let parts = choice.split(separator: " ")
        #expect(
          parts.count == 2 && parts[0].hasPrefix("https://cdn.example.com/a%2Cb/variants/"),
          "\(choice)")
        let path = parts[0].dropFirst("https://cdn.example.com/a%2Cb/".count)
        #expect(FileManager.default.fileExists(atPath: "\(out)/\(path)"))
      }
    }
    #expect(
      elements.compactMap { $0.facts["alt"] }.allSatisfy { $0.hasSuffix("\u{FFFD}\r\"&") })
    // A background colour for opaque images, and none that would show through.
    let coloured = elements.count { $0.tag == "img" && $0.facts["style"] != nil }
    let opaque = catalog.images.count { $0.status == .ok && $0.alpha == false }
    #expect(coloured == opaque * 3 && opaque < 6 && opaque > 0)
    let image = try #require(elements.first { $0.tag == "img" && $0.facts["width"] == "180" })
    #expect(image.facts["height"] == "\(catalog.images[0].slots["card"]?.height ?? 0)")

    // Xcode: the files in Contents.json exist and have the size of their scale's variant.
    let xcode = try await export("xcassets", "--slot", "card")
    #expect(xcode.status == 0, "\(xcode.errors)")
    let sets = fixture.folder.files(below: "made-xcassets").filter {
      $0.hasSuffix(".imageset/Contents.json")
    }
    #expect(sets.count == 6)
    // Two of the ids are the same name on a case-insensitive file system.
    #expect(Set(sets.map { $0.lowercased() }).count == 6)
    #expect(sets.allSatisfy { $0.hasPrefix("card/") && !$0.contains("..") })
    #expect(fixture.folder.files(below: "made-xcassets").count == 6 * 4 + 2)
    for set in sets {
      let folder = "made-xcassets/" + set.dropLast("Contents.json".count)
      let contents =
        try JSONSerialization.jsonObject(
          with: try fixture.folder.read(folder + "Contents.json")) as? [String: Any]
      let entries = try #require(contents?["images"] as? [[String: String]])
      #expect(entries.map { $0["scale"] } == ["1x", "2x", "3x"])
      for entry in entries {
        let bytes = try fixture.folder.read(folder + (entry["filename"] ?? ""))
        #expect(
          bytes.prefix(2) == Data([0xFF, 0xD8])
            || bytes.prefix(4) == Data([0x89, 0x50, 0x4E, 0x47]))
      }
    }

    // A trailing slash does not matter, and a repeated slot counts once.
    let twice = try await Tool.tessera(
      "export", out, "--as", "xcassets", "--to", fixture.folder.path("Twice.xcassets") + "/",
      "--slot",
      "card", "--slot", "card")
    #expect(twice.status == 0, "\(twice.errors)")

    // Android: names that aapt accepts, the same in each density.
    let android = try await export("android")
    #expect(android.status == 0, "\(android.errors)")
    let drawables = fixture.folder.files(below: "made-android")
    #expect(drawables.count == 6 * 3 * 3)
    for name in drawables {
      let isGood =
        name.wholeMatch(of: /drawable-(mdpi|xhdpi|xxhdpi)\/[a-z][a-z0-9_]*\.(webp|jpg|png)/) != nil
      #expect(isGood, "\(name)")
    }
    #expect(drawables.contains("drawable-xhdpi/card_plain.webp"))

    // eleventy-img's object, only uncropped images.
    let eleventy = try await export("eleventy")
    #expect(eleventy.status == 0, "\(eleventy.errors)")
    let object = try JSONSerialization.jsonObject(with: try fixture.folder.read("made-eleventy"))
    let pictures = try #require(object as? [String: [String: [[String: Any]]]])
    #expect(Set(pictures.keys) == Set(ids.dropLast()))
    let files = try #require(pictures["plain"]?["jpeg"])
    let widths = files.compactMap { $0["width"] as? Int }
    #expect(widths == widths.sorted() && !widths.isEmpty)
    let url = (files[0]["url"] as? String ?? "").replacingOccurrences(of: ",", with: "%2C")
    #expect(files[0]["srcset"] as? String == "\(url) \(widths[0])w")
    // The operand can be the catalog file itself.
    let own = try await Tool.tessera(
      "export", out + "/catalog.json", "--as", "eleventy", "--to", fixture.folder.path("own"))
    #expect(own.status == 0, "\(own.errors)")
    #expect(try fixture.folder.text("own") == (try fixture.folder.text("made-eleventy")))
    #expect(pictures["plain"]?["webp"]?.count == files.count)

    // Errors have messages, and leave no files.
    let again = try await export("html")
    #expect(again.status == 2 && again.errors.contains("exists already"), "\(again.errors)")
    let unknown = try await Tool.tessera(
      "export", out, "--as", "html", "--to", fixture.folder.path("x"), "--slot", "crad")
    #expect(unknown.status == 2 && unknown.errors.contains("no slot \"crad\""), "\(unknown.errors)")
    let form = try await Tool.tessera("export", out, "--as", "xcasset", "--to", "x")
    #expect(
      form.status == 64 && form.errors.contains("did you mean \"xcassets\""), "\(form.errors)")
    #expect(fixture.folder.files(below: "").filter { $0.contains(".new") }.isEmpty)
  }

  /// A size that exceeds WebP's limit has its JPEG at its scale; scales that a format cannot hold
  /// are reported.
  @Test func exportsTellWhatTheyLeaveOut() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let fixture = try RunFixture(
      manifest: nginx.url("/tall-900x20000.png") + "\n",
      keys: "variants: {format: [webp, jpeg]}\nscales: [1, 2, 5]",
      slots: "slots: {card: {size: 414x}}")
    #expect(try await fixture.run().status == 0)
    let out = fixture.folder.path("out")
    let html = try await Tool.tessera(
      "export", out, "--as", "html", "--to", fixture.folder.path("page"))
    #expect(html.status == 0, "\(html.errors)")
    let page = try fixture.folder.text("page")
    let variants = try fixture.catalog.images[0].variants
    try #require(variants.map(\.type) == ["image/webp", "image/jpeg"])
    let (small, large) = (variants[0], variants[1].path)
    let plain = try #require(small.also?.first?.path)
    #expect(
      page.contains(
        #"<source type="image/webp" srcset="\#(small.path) 1x, \#(large) 2x, \#(large) 5x">"#
          + #"<img src="\#(plain)" srcset="\#(plain) 1x, \#(large) 2x, \#(large) 5x""#), "\(page)")

    let android = try await Tool.tessera(
      "export", out, "--as", "android", "--to", fixture.folder.path("res"))
    #expect(android.status == 0, "\(android.errors)")
    #expect(
      android.output.hasSuffix("/res: 1 image, 2 files; android has no place for 5x\n"),
      "\(android.output)")
    try fixture.write(
      keys: "variants: {format: [webp, jpeg]}\nscales: [5]",
      slots: "slots: {card: {size: 414x}}")
    #expect(try await fixture.run().status == 0)
    await nginx.stop()
    let none = try await Tool.tessera(
      "export", out, "--as", "xcassets", "--to", fixture.folder.path("Assets"))
    #expect(none.status == 2)
    #expect(
      none.errors.contains("scales are 5, but xcassets only has places for 1, 2, 3"),
      "\(none.errors)")
    #expect(fixture.folder.files(below: "").filter { $0.contains("Assets") }.isEmpty)
  }

  /// If a pipeline makes no format that Xcode supports, the export fails and leaves no file.
  @Test func impossibleExportsLeaveNoFiles() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let fixture = try RunFixture(manifest: nginx.url("/plain.jpg") + "\n")
    #expect(try await fixture.run().status == 0)
    await nginx.stop()
    let target = fixture.folder.path("Assets.xcassets")
    let result = try await Tool.tessera(
      "export", fixture.folder.path("out"), "--as", "xcassets", "--to", target)
    #expect(result.status == 2)
    #expect(result.errors.contains("variants: {format: [webp, compatible]}"), "\(result.errors)")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: fixture.folder.url.path).allSatisfy {
        !$0.hasPrefix("Assets")
      })
  }

  /// `diff` between two outputs, as text, JSON and a patch.
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
        == "+ new\n~ a: url, width, height, format, alpha, animated, frames, placeholder, variants, slots\n- b\n",
      "\(text.output)")
    #expect(text.errors == "1 image added, 1 removed, 1 changed, 0 the same\n")
    let patch = try await Tool.tessera("diff", "--patch", old, out)
    let made = try CatalogPatch(reading: patch.output.utf8)
      .applied(to: try Catalog(reading: try fixture.folder.read("old.json")))
    #expect(made.canonicalJSON() == (try fixture.catalog).canonicalJSON())
    let json = try await Tool.tessera("diff", "--json", old, out)
    let members = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
    #expect(members?["removed"] as? Int == 1)
    // The digests before and after the patch, as an app computes them.
    for (name, catalog) in [
      ("old", try Catalog(reading: try fixture.folder.read("old.json"))), ("new", made),
    ] {
      let bytes = String(decoding: catalog.canonicalJSON(), as: UTF8.self)
      let sum = try await Tool.run("/usr/bin/sha256sum", [fixture.folder.write(bytes, to: "sum")])
      #expect(sum.output.hasPrefix((members?[name] as? String ?? "none") + " "), "\(name)")
    }
    #expect((members?["changes"] as? [Any])?.count == 3)
    // JSON Lines are the same catalog in another form.
    try fixture.write(keys: "catalog: {format: jsonl}")
    #expect(try await fixture.run().status == 0)
    await nginx.stop()
    let new = try fixture.folder.write(
      String(decoding: made.canonicalJSON(), as: UTF8.self), to: "canonical.json")
    let unreadable = try await Tool.tessera("diff", new, out)
    #expect(unreadable.status == 2)
    #expect(unreadable.errors.contains("canonical.json"), "\(unreadable.errors)")
    // Errors of a truncated catalog are still one JSON document.
    try fixture.folder.write(
      String(try fixture.folder.text("old.json").dropLast(40)), to: "cut.json")
    let cut = try await Tool.tessera("diff", "--json", old, fixture.folder.path("cut.json"))
    #expect(cut.status == 2)
    let document = try JSONSerialization.jsonObject(with: Data(cut.output.utf8)) as? [String: Any]
    #expect((document?["error"] as? [String: Any])?["code"] as? String == "failed", "\(cut.output)")
    #expect(cut.errors.contains("cut.json"))
    let missing = try await Tool.tessera("diff", fixture.folder.path("nothing"), out)
    #expect(missing.status == 2)
    #expect(missing.errors.contains("nothing"), "\(missing.errors)")
  }
}
