import Foundation
import TesseraCatalog
import TesseraTestSupport
import Testing

/// Exports, as the programs read them that they are for.
@Suite struct ExportTests {
  private static let ids = [
    "plain", "../../etc/passwd", "Größe \"<&>\"", "a/b", "a_b", "Plain", "__proto__", "GONE",
  ]
  private static let sources = [
    "plain.jpg", "grey.png", "rotated-phone-shot.jpg", "one-pixel.png", "transparent.png",
    "progressive.jpg", "display-p3.jpg", "gone.jpg",
  ]

  /// An output with odd ids. The text of one image is missing.
  private static func made(
    keys: String = "", slots: String = "slots: {card: {size: 180x}}", ids: [String] = ids
  ) async throws -> RunFixture {
    let nginx = try await Nginx(serving: Places.fixtures)
    let lines = try zip(ids, sources).map { id, name in
      var entry: [String: Any] = ["id": id, "url": nginx.url("/\(name)")]
      if id != "a_b" { entry["alt"] = "\(id)\u{0}\r\"&" }
      if id == "plain" { entry["focus"] = [0.2, 0.85] }
      return String(decoding: try JSONSerialization.data(withJSONObject: entry), as: UTF8.self)
        + "\n"
    }
    let fixture = try RunFixture(
      manifest: lines.joined(), keys: "placeholders: [color, thumbhash]\n\(keys)", slots: slots)
    #expect(try await fixture.run().status == 1)
    await nginx.stop()
    return fixture
  }

  private static func export(
    _ fixture: RunFixture, _ form: String, to target: String, _ options: String...
  ) async throws -> Tool.Result {
    try await Tool.run(
      Places.tessera,
      ["export", fixture.folder.path("out"), "--as", form, "--to", fixture.folder.path(target)]
        + options)
  }

  private struct Element {
    var tag: String
    var facts: [String: String]
  }

  /// The elements of a page, as Python's parser sees them.
  private static func elements(_ path: String) async throws -> [Element] {
    let script = """
      import html.parser, json, sys
      found = []
      class Parser(html.parser.HTMLParser):
          def handle_starttag(self, tag, attributes): found.append([tag, dict(attributes)])
      Parser().feed(open(sys.argv[1], encoding="utf-8").read())
      print(json.dumps(found))
      """
    let parsed = try await Tool.run("/usr/bin/python3", ["-c", script, path])
    let tags = try #require(
      try JSONSerialization.jsonObject(with: Data(parsed.output.utf8)) as? [[Any]])
    return tags.map {
      Element(tag: $0[0] as? String ?? "", facts: $0[1] as? [String: String] ?? [:])
    }
  }

  // MARK: Replacing

  /// `--force` replaces what an export wrote, file or folder, and nothing else.
  @Test(arguments: ["html", "xcassets", "android", "sqlite", "csv"])
  func forceReplacesAnExport(_ form: String) async throws {
    let fixture = try await Self.made()
    let target = "made/export"
    func files() -> [String] { fixture.folder.files(below: "made").sorted() }
    #expect(try await Self.export(fixture, form, to: target).status == 0)
    let before = files()
    let again = try await Self.export(fixture, form, to: target)
    if form != "sqlite" {
      #expect(again.status == 2 && again.errors.contains("or replace it with --force"))
    }
    // What an earlier export wrote and this one does not is gone afterwards.
    let isFolder = ["xcassets", "android"].contains(form)
    if isFolder {
      let old = form == "android" ? "drawable-x/old.webp" : "old/x"
      try fixture.folder.write("old", to: "\(target)/\(old)")
    } else if form != "sqlite" {
      try fixture.folder.write("old", to: target)
    }
    let forced = try await Self.export(fixture, form, to: target, "--force")
    #expect(forced.status == 0, "\(forced.errors)")
    #expect(files() == before)
    if !isFolder, form != "sqlite" { #expect(try fixture.folder.text(target) != "old") }
    // A folder of the user's own, and a file in the place of a folder.
    if isFolder {
      try fixture.folder.write("mine", to: "\(target)/AppIcon.appiconset/Contents.json")
      let rejected = try await Self.export(fixture, form, to: target, "--force")
      #expect(
        rejected.status == 2 && rejected.errors.contains("has more in it than an export as \(form)")
      )
      #expect(try fixture.folder.text("\(target)/AppIcon.appiconset/Contents.json") == "mine")
      try fixture.folder.write("mine", to: "made/file")
      #expect(try await Self.export(fixture, form, to: "made/file", "--force").status == 2)
      #expect(try fixture.folder.text("made/file") == "mine")
    } else {
      try fixture.folder.write("mine", to: "made/folder/file")
      #expect(try await Self.export(fixture, form, to: "made/folder", "--force").status == 2)
      #expect(try fixture.folder.text("made/folder/file") == "mine")
    }
  }

  /// Killed before each of its calls that change the disk, `--force` leaves the old export or the new one, whole.
  @Test(.faults(.f20), arguments: ["android", "csv"])
  func aKilledForceLeavesOneOfBoth(_ form: String) async throws {
    let fixture = try await Self.made(ids: ["a", "b", "c", "d", "e", "f", "g", "h"])
    let shim = try await Shim(in: fixture.folder, for: "").with(
      root: fixture.folder.path("made"), image: fixture.folder.path("image"))
    let target = "made/export"
    func content() throws -> [String] {
      try fixture.folder.files(below: target).sorted().map {
        try fixture.folder.text("\(target)/\($0)")
      }
        + [form == "csv" ? fixture.folder.text(target) : ""]
    }
    #expect(try await Self.export(fixture, form, to: target).status == 0)
    let whole = try content()
    // An old one that differs.
    func makeOld() throws {
      try fixture.folder.write(
        "old", to: form == "csv" ? target : "\(target)/drawable-mdpi/old.webp")
    }
    try makeOld()
    let before = try content()
    #expect(before != whole)
    func force(_ environment: [String: String]) async throws -> Int32 {
      try makeOld()
      return try await Tool.run(
        Places.tessera,
        [
          "export", fixture.folder.path("out"), "--as", form, "--to", fixture.folder.path(target),
          "--force",
        ], environment: environment
      ).status
    }
    let count = try await shim.count("change") { environment in
      let status = try await force(environment)
      #expect(status == 0)
    }
    func killed(_ calls: String, at number: Int) async throws -> [String] {
      // Without what an earlier kill left, whose removal counts, too.
      #expect(try await force([:]) == 0)
      #expect(try await force(shim.killing(calls, at: number)) == 137, "\(calls) \(number)")
      return try content()
    }
    // The new one gets its name by one call, and the old one is removed afterwards.
    #expect(try await killed("rename", at: 1) == before)
    if form == "csv" { #expect(try await killed("unlink", at: 1) == whole) }
    for number in [1, 2, 3, count] + (0..<10).map({ _ in Int.random(in: 1...count) }) {
      let after = try await killed("change", at: number)
      #expect(after == whole || after == before, "\(number) of \(count)")
    }
    // The next one removes what killed ones left.
    #expect(try await Self.export(fixture, form, to: target, "--force").status == 0)
    #expect(try content() == whole)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path("made")).sorted()
        == (form == "csv" ? ["export"] : ["export", "export.names.json"]))
  }

  // MARK: Pages

  @Test func aPageHasAPictureForEachImageAndSlot() async throws {
    let fixture = try await Self.made(
      keys: "variants: {format: [webp, jpeg]}\nbase-url: \"https://cdn.example.com/a,b/\"",
      slots:
        "slots: {avatar: {size: 36x36, mode: clip}, card: {size: 180x}, cover: {size: 90x60, mode: fill}}"
    )
    let html = try await Self.export(fixture, "html", to: "page.html", "--eager", "2")
    #expect(html.status == 0, "\(html.errors)")
    #expect(
      html.output.hasSuffix("page.html: 7 images; 1 without files; beside it page.css\n"),
      "\(html.output)")
    #expect(html.errors.contains("1 image without a text"), "\(html.errors)")
    let whole = try await Self.elements(fixture.folder.path("page.html"))
    // The first images, which are loaded at once, have links in the head.
    let preloads = whole.filter { $0.facts["rel"] == "preload" }
    #expect(preloads.count == 6)
    let all = whole.filter { $0.facts["rel"] != "preload" }
    let sources = all.filter { $0.tag == "source" }.compactMap { $0.facts["srcset"] }
    #expect(preloads.compactMap { $0.facts["imagesrcset"] } == Array(sources.prefix(6)))
    #expect(preloads.allSatisfy { $0.facts["type"] == "image/webp" })
    #expect(
      all.map(\.tag).prefix(8) == [
        "html", "head", "meta", "meta", "title", "link", "body", "main",
      ])
    #expect(all[2].facts["charset"] == "utf-8" && all[5].facts["href"] == "page.css")
    // What readers need who do not see the page.
    #expect(
      try fixture.folder.text("page.html").hasPrefix(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n"))
    #expect(all[8].tag == "h1")
    #expect(try fixture.folder.text("page.html").contains("\n<title>feed</title>\n"))
    let elements = Array(all.dropFirst(9))
    #expect(
      elements.map(\.tag)
        == Array(repeating: ["picture", "source", "img"], count: 21).flatMap(\.self))
    #expect(Set(elements.compactMap { $0.facts["data-id"] }) == Set(Self.ids.dropLast()))
    #expect(elements.filter { $0.tag == "source" }.allSatisfy { $0.facts["type"] == "image/webp" })
    for element in elements where element.tag != "picture" {
      for choice in (element.facts["srcset"] ?? "").components(separatedBy: ", ") {
        let parts = choice.split(separator: " ")
        #expect(
          parts.count == 2 && parts[0].hasPrefix("https://cdn.example.com/a,b/variants/"),
          "\(choice)")
        let path = parts[0].dropFirst("https://cdn.example.com/a,b/".count)
        #expect(fixture.folder.files(below: "out").contains(String(path)))
      }
      // Policies forbid them.
      #expect(element.facts["style"] == nil)
    }
    let images = elements.filter { $0.tag == "img" }
    #expect(
      images.compactMap { $0.facts["alt"] }.count { $0.hasSuffix("\u{FFFD}\r\"&") } == 18)
    #expect(images.prefix(6).allSatisfy { $0.facts["fetchpriority"] == "high" })
    #expect(images.dropFirst(6).allSatisfy { $0.facts["loading"] == "lazy" })
    // A slot that is covered has its own size.
    #expect(images[2].facts["width"] == "90" && images[2].facts["height"] == "60")
    let sheet = try fixture.folder.text("page.css")
    #expect(sheet.contains("img.tessera-cover{width:90px;height:60px;object-fit:cover}"))
    #expect(sheet.contains("object-position:20.0% 85.0%}"), "\(sheet)")
    // A background for opaque images, and none that would show through.
    let opaque = try fixture.catalog.images.count { $0.status == .ok && $0.alpha == false }
    #expect(sheet.matches(of: /background-image:url\(data:image\/png;base64,/).count == opaque)
    let fragments = try await Self.export(
      fixture, "html", to: "parts.json", "--fragments", "--slot", "card")
    #expect(fragments.status == 0, "\(fragments.errors)")
    let parts = try #require(
      try JSONSerialization.jsonObject(with: fixture.folder.read("parts.json"))
        as? [String: [String: String]])
    #expect(Set(parts.keys) == Set(Self.ids.dropLast()))
    #expect(parts["plain"]?["card"]?.hasPrefix("<picture data-id=\"plain\"") == true)
  }

  private struct Seen: Decodable {
    struct Image: Decodable {
      var id: String
      var slot: String
      var width: Double
      var height: Double
      var file: String
      var natural: Int
      var alt: String?
      var fit: String
      var priority: String
      var background: String
    }

    var shift: Double
    var ratio: Double
    var images: [Image]
    var title: String
    var charset: String
    var mode: String
    var console: [String]
  }

  /// In a browser with a strict policy, at six pixel ratios: nothing moves, each image has its box and the right file, and
  /// the browser has nothing to say.
  @Test(arguments: [["--eager", "1"], ["--fluid", "--nonce", "n0nce"]])
  func browsersShowThePage(_ options: [String]) async throws {
    let fixture = try await Self.made(
      slots:
        "slots: {avatar: {size: 36x36, mode: clip}, card: {size: 180x}, cover: {size: 90x60, mode: fill}}"
    )
    let out = fixture.folder.path("out")
    let made = try await Tool.run(
      Places.tessera, ["export", out, "--as", "html", "--to", "\(out)/page.html"] + options)
    #expect(made.status == 0, "\(made.errors)")
    let screenshot = fixture.folder.path("page.png")
    let result = try await Tool.run(
      "/usr/bin/python3",
      [
        Places.root.appending(path: "Tests/Browser/page.py").path, out, "page.html", "400",
        "1,1.5,2,2.625,3,4", screenshot,
      ])
    try #require(result.status == 0, "\(result.errors)")
    Attachment.record(
      Array(try Data(contentsOf: URL(filePath: screenshot))), named: "page\(options.count).png")
    let seen = try JSONDecoder().decode([String: Seen].self, from: Data(result.output.utf8))
    let catalog = try fixture.catalog
    let index = try CatalogIndex(catalog, accepting: Set(catalog.types), from: "/catalog.json")
    #expect(seen.count == 6)
    for (ratio, page) in seen {
      #expect(page.ratio == Double(ratio) && page.shift == 0, "\(ratio): \(page.shift)")
      #expect(page.console.isEmpty, "\(page.console)")
      #expect((page.charset, page.mode, page.title) == ("UTF-8", "CSS1Compat", "feed"))
      #expect(page.images.count == 21)
      for image in page.images {
        let slot = try #require(catalog.slots[image.slot])
        let size = try #require(index.image(image.id)?.box(in: SlotName(image.slot)))
        let box = slot.mode == .fill ? CatalogSize(width: 90, height: 60) : size
        #expect(abs(image.width - Double(box.width)) < 0.1, "\(ratio) \(image)")
        #expect(abs(image.height - Double(box.height)) < 0.1, "\(ratio) \(image)")
        #expect(image.alt != nil && (image.fit == "cover") == (slot.mode != .fit))
        let expected = try #require(Self.files(image.id, image.slot, page.ratio, index, options))
        #expect(expected.contains(image.file), "\(ratio) \(image) \(expected)")
      }
    }
  }

  /// The files that a browser may choose: the smallest with enough pixels. Of scales, browsers take the nearest one.
  private static func files(
    _ id: String, _ slot: String, _ ratio: Double, _ index: CatalogIndex, _ options: [String]
  ) -> [String]? {
    guard let image = index.image(id)?.image, let use = image.slots[slot] else { return nil }
    let isFluid = options.contains("--fluid") && slot != "cover"
    guard isFluid else {
      return [ratio.rounded(.down), ratio.rounded(.up)].compactMap {
        image.variant(for: slot, scale: $0, in: index.head)?.path
      }
    }
    let (own, width) = (use.variants.map { image.variants[$0] }, Double(use.width ?? 0))
    let all = (slot == "card" ? image.wholeVariants : own).sorted { $0.width < $1.width }
    let enough = all.first { Double($0.width) >= width * ratio } ?? all.last
    // A browser may take the one below, if it is nearly as wide.
    let below = all.last { Double($0.width) < width * ratio }
    return [enough?.path, below?.path].compactMap(\.self)
  }

  // MARK: Assets

  /// The sides of an image file in pixels.
  private static func size(_ path: String) async throws -> (width: Int, height: Int) {
    let sides =
      try await Tool.run(
        "/usr/bin/vipsheader", ["-f", "width", path]
      ).output + Tool.run("/usr/bin/vipsheader", ["-f", "height", path]).output
    let numbers = sides.split(separator: "\n").compactMap { Int($0) }
    try #require(numbers.count == 2, "\(path)")
    return (numbers[0], numbers[1])
  }

  /// Xcode's schema: each set has the three scales, the files exist, and all have the same size in points.
  @Test func assetCatalogsHaveOneSizeInPoints() async throws {
    let fixture = try await Self.made(keys: "variants: {format: [avif, webp]}")
    let made = try await Self.export(fixture, "xcassets", to: "Assets.xcassets/")
    #expect(made.status == 0, "\(made.errors)")
    let catalog = try CatalogIndex(try fixture.catalog, accepting: [], from: "/catalog.json")
    let names = try #require(
      try JSONSerialization.jsonObject(with: fixture.folder.read("Assets.names.json"))
        as? [String: [String: String]])
    #expect(Set(names.keys) == Set(Self.ids.dropLast()))
    // Names that only differ in case would be one file on a Mac.
    #expect(Set(names.values.compactMap { $0["card"] }).count == 7)
    #expect(names["plain"]?["card"] == "card/plain")
    for (id, slots) in names {
      let asset = try #require(slots["card"])
      #expect(asset.wholeMatch(of: /card\/[a-z][a-z0-9_]*/) != nil, "\(asset)")
      let folder = "Assets.xcassets/\(asset).imageset/"
      let contents = try #require(
        try JSONSerialization.jsonObject(with: fixture.folder.read(folder + "Contents.json"))
          as? [String: Any])
      #expect((contents["info"] as? [String: Any])?["version"] as? Int == 1)
      let entries = try #require(contents["images"] as? [[String: String]])
      #expect(entries.map { $0["scale"] } == ["1x", "2x", "3x"])
      #expect(entries.allSatisfy { $0["idiom"] == "universal" })
      let points = try #require(catalog.image(id)?.box(in: "card"))
      let own = try #require(catalog.image(id))
      for (number, entry) in entries.enumerated() {
        guard let file = entry["filename"] else {
          // Left out, because the image has too few pixels.
          #expect((own.width ?? 0) < points.width * (number + 1), "\(id) \(number)")
          continue
        }
        #expect(
          try fixture.folder.read(folder + file).starts(with: [0x89, 0x50])
            == file.hasSuffix(".png"), "\(file)")
        let size = try await Self.size(fixture.folder.path(folder + file))
        if number > 0 || (own.width ?? 0) >= points.width {
          #expect(size == (points.width * (number + 1), points.height * (number + 1)), "\(id)")
        }
      }
    }
  }

  /// aapt2 accepts the drawables, and each has one size in points over all densities.
  @Test func drawablesHaveOneSizeInPoints() async throws {
    let fixture = try await Self.made(
      slots: "slots: {avatar: {size: 36x36, mode: clip}, card: {size: 180x}}")
    let made = try await Self.export(fixture, "android", to: "res")
    #expect(made.status == 0, "\(made.errors)")
    let compiled = try await Tool.run(
      "/usr/bin/aapt2",
      ["compile", "--dir", fixture.folder.path("res"), "-o", fixture.folder.path("res.zip")])
    #expect(compiled.status == 0, "\(compiled.errors)")
    let files = fixture.folder.files(below: "res")
    #expect(files.count > 20)
    let scales = ["mdpi": 1, "xhdpi": 2, "xxhdpi": 3, "xxxhdpi": 4]
    var points: [String: Set<[Int]>] = [:]
    for file in files {
      let match = try #require(file.wholeMatch(of: /drawable-([a-z]+)\/([a-z][a-z0-9_]*)\.webp/))
      let scale = try #require(scales[String(match.1)])
      let size = try await Self.size(fixture.folder.path("res/\(file)"))
      #expect(size.width % scale == 0 && size.height % scale == 0, "\(file)")
      points[String(match.2), default: []].insert([size.width / scale, size.height / scale])
    }
    #expect(points.count == 14 && points.values.allSatisfy { $0.count == 1 }, "\(points)")
    #expect(points["card_plain"] == [[180, 120]] && points["avatar_plain"] == [[36, 36]])
  }

  /// A name depends on the id alone: other images do not change it.
  @Test func namesAreStable() async throws {
    func names(_ ids: [String]) async throws -> [String: [String: String]] {
      let fixture = try await Self.made(ids: ids)
      #expect(try await Self.export(fixture, "android", to: "res").status == 0)
      return try JSONDecoder().decode(
        [String: [String: String]].self, from: fixture.folder.read("res.names.json"))
    }
    let (one, two) = (
      try await names(["card", "x", "y", "z", "a", "b", "c", "gone"]),
      try await names(["Card", "card", "CARD", "c-ard", "a", "b", "c", "gone"])
    )
    #expect(one["card"]?["card"] == "card_card" && two["card"] == one["card"])
    #expect(Set(two.values.compactMap { $0["card"] }).count == 7)
    #expect(two["c-ard"]?["card"]?.hasPrefix("card_c_ard_") == true)
  }

  /// A catalog whose images have no files is exported, and said to be empty.
  @Test(arguments: ["html", "csv", "android"])
  func anExportWithoutImagesSaysSo(_ form: String) async throws {
    let fixture = try RunFixture(manifest: "", slots: "slots: {card: {size: 180x}}")
    #expect(try await fixture.run("--quiet").status == 0)
    let catalog = try fixture.catalogText
    // Another program's pipeline may have no name.
    try fixture.folder.write(
      catalog.replacing("\"name\":\"feed\"", with: "\"name\":\" \""), to: "out/catalog.json")
    let result = try await Self.export(fixture, form, to: "target.html")
    #expect(result.status == 0, "\(result.errors)")
    #expect(
      result.errors
        == "no image of the catalog has files, so the export shows none; tessera run makes them\n")
    guard form == "html" else { return }
    #expect(try fixture.folder.text("target.html").contains("\n<title>out</title>\n"))
  }

  /// Errors have messages, and leave no files.
  @Test func mistakesLeaveNothing() async throws {
    let fixture = try await Self.made()
    try fixture.folder.write("", to: "page.css")
    let again = try await Self.export(fixture, "html", to: "page.html")
    #expect(
      again.status == 2 && again.errors.contains("page.css\" exists already"), "\(again.errors)")
    let unknown = try await Self.export(fixture, "html", to: "x", "--slot", "crad")
    #expect(
      unknown.status == 2 && unknown.errors.contains("no slot \"crad\"; did you mean \"card\"?"),
      "\(unknown.errors)")
    let form = try await Self.export(fixture, "xcasset", to: "x")
    #expect(
      form.status == 64 && form.errors.contains("did you mean \"xcassets\""), "\(form.errors)")
    let fluid = try await Self.export(fixture, "csv", to: "x", "--fluid")
    #expect(fluid.status == 64 && fluid.errors.contains("are for --as html"), "\(fluid.errors)")
    // A file that is not what the catalog says ends an export of assets.
    let path = try #require(try fixture.catalog.images[0].variants.last?.path)
    try fixture.folder.write("RIFF", to: "out/\(path)")
    let broken = try await Self.export(fixture, "android", to: "res")
    #expect(broken.status == 2 && broken.errors.contains("can't be decoded"), "\(broken.errors)")
    #expect(
      Set(fixture.folder.files(below: "").filter { !$0.hasPrefix("out/") }).isSubset(of: [
        "feed.yaml", "manifest", "page.css",
      ]), "\(fixture.folder.files(below: ""))")
  }

  /// A size that exceeds WebP's limit has its JPEG at its scale.
  @Test func eachScaleHasAFile() async throws {
    let nginx = try await Nginx(serving: Places.fixtures)
    let fixture = try RunFixture(
      manifest: nginx.url("/tall-900x20000.png") + "\n",
      keys: "variants: {format: [webp, jpeg]}\nscales: [1, 2, 5]",
      slots: "slots: {card: {size: 414x}}")
    #expect(try await fixture.run().status == 0)
    await nginx.stop()
    let html = try await Self.export(fixture, "html", to: "page.html")
    #expect(html.status == 0, "\(html.errors)")
    let page = try fixture.folder.text("page.html")
    let variants = try fixture.catalog.images[0].variants
    try #require(variants.map(\.type) == ["image/webp", "image/jpeg"])
    let (small, large) = (variants[0], variants[1].reference)
    let plain = try #require(small.also.first?.reference)
    #expect(
      page.contains(
        #"<source type="image/webp" srcset="\#(small.reference) 1x, \#(large) 2x">"#),
      "\(page)")
    #expect(page.contains(#"src="\#(plain)" srcset="\#(plain) 1x, \#(large) 2x""#))
  }
}
