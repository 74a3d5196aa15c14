import Foundation
import TesseraBytes
import TesseraCatalog
import TesseraImageHeader
import TesseraJSON
import TesseraPipelineFile
import TesseraPlan
import TesseraTestSupport
import TesseraText
import Testing

/// Runs and checks every example in the documentation, so that none can go stale.
@Suite struct DocumentationTests {
  private static func decode(
    _ text: String, environment: [String: String] = [:]
  ) throws -> PipelineFile {
    try PipelineFile.decode(
      Array(text.utf8), path: "feed.yaml", environment: { environment[$0] })
  }

  @Test func theReadmesPipelineIsValid() throws {
    let pipelines = try Document("README.md").blocks("yaml")
    #expect(pipelines.count == 1)
    let file = try Self.decode(try #require(pipelines.first))
    #expect(file.plan.slots.map(\.name) == ["avatar", "card", "hero"])
  }

  @Test func theDocumentedDefaultsAreTheDefaults() throws {
    let lists = try Document("Pipelines/MANIFEST.md").blocks("yaml")
    try #require(lists.count == 2)
    #expect(try Self.decode(Self.minimal + lists[0]).columns != nil)
    let keys = try Document("Pipelines/KEYS.md").blocks("yaml")
    try #require(keys.count == 1)
    let full = try Self.decode(keys[0])
    let minimal = try Self.decode(Self.minimal)
    #expect(full.plan == minimal.plan)
    #expect("\(full.fetch)" == "\(minimal.fetch)")
    #expect("\(full.limits)" == "\(minimal.limits)")
    #expect(full.accept == minimal.accept)
    #expect(full.workers == minimal.workers)
  }

  @Test func theDocumentedQualitiesAreFoundForTwoFormats() throws {
    let blocks = try Self.pipelineKeys("variants:")
    try #require(blocks.count == 1)
    let plan = try Self.decode(Self.minimal + blocks[0]).plan
    #expect([.webp, .jpeg, .avif].map { plan.quality[$0] } == [nil, nil, 65])
    #expect(plan.automaticQuality == AutomaticQuality(target: 70, range: 50...90))
  }

  /// The YAML blocks of the page about the pipeline file that begin with these keys.
  private static func pipelineKeys(_ names: String...) throws -> [String] {
    try Document("Pipelines/PIPELINE.md").blocks("yaml").filter { block in
      names.contains { block.hasPrefix($0) }
    }
  }

  /// Each of its blocks is in one of the tests of its sections: quality, hosts and headers, services.
  @Test func eachBlockOfThePipelinesPageIsOfATestedSection() throws {
    let tested = try Self.pipelineKeys("variants:", "fetch:", "manifest:", "delivery:")
    #expect(try Document("Pipelines/PIPELINE.md").blocks("yaml") == tested)
  }

  private static let minimal =
    "manifest: feed.jsonl\noutput: build/feed\nslots: {card: {size: 180x}}\n"

  @Test func theDocumentedHostsHaveTheirSettings() throws {
    let blocks = try Self.pipelineKeys("fetch:")
    try #require(blocks.count == 2)
    let fetch = try Self.decode(Self.minimal + blocks[0], environment: ["ARCHIVE_KEY": "a"]).fetch
    #expect(fetch.rate?.text == "20/s" && fetch.hosts.count == 2)
    #expect(fetch.hosts.first?.rate?.text == "5/s" && fetch.hosts.first?.retries == 1)
    #expect(
      fetch.hosts.last?.headers == [
        .init(name: "X-Key", value: "a", host: "archive.example.com:8443")
      ])
  }

  @Test func theDocumentedHeadersAreBoundToTheirHosts() throws {
    let headers = try #require(try Self.pipelineKeys("fetch:").last)
    let file = try Self.decode(
      Self.minimal + headers, environment: ["FEED_TOKEN": "f", "ARCHIVE_KEY": "a"])
    #expect(
      file.fetch.headers == [
        .init(name: "Authorization", value: "Bearer f", host: "images.example.com"),
        .init(name: "X-Key", value: "a", host: "archive.example.com:8443"),
      ])
  }

  @Test func theDocumentedManifestsAreValid() async throws {
    for path in ["README.md", "Pipelines/MANIFEST.md"] {
      let manifest = try #require(try Document(path).blocks("jsonl").first)
      let slots = "slots: {avatar: {size: 36x36}, card: {size: 180x180}, hero: {size: 414x414}}"
      let fixture = try RunFixture(manifest: manifest, slots: slots)
      let check = try await Tool.tessera("check", fixture.folder.path("feed.yaml"))
      #expect(check.output == "2 items, no mistakes\n", "\(path): \(check.output)")
    }
  }

  /// The page of all words is what the command prints, and each word is on it once.
  @Test func thePageOfWordsIsWhatTheCommandPrints() async throws {
    let printed = try await Tool.tessera("schema", "--words")
    #expect(printed.status == 0 && printed.errors.isEmpty)
    #expect(
      try Document("Pipelines/WORDS.md").text == printed.output,
      "tessera schema --words > Pipelines/WORDS.md")
    #expect(printed.output.contains("| `http-status` |"))
    let both = try await Tool.tessera("schema", "--words", "--keys")
    #expect(both.status == 64)
  }

  /// Another package builds the documented program on the product `TesseraImageHeader`.
  @Test func anotherPackageReadsHeadersAsDocumented() async throws {
    let programs = try Document("Pipelines/APPS.md").blocks("swift").filter {
      $0.contains("HeaderReader")
    }
    #expect(programs.count == 1)
    let code = try #require(programs.first)
    let folder = try TemporaryFolder()
    let sources = folder.url.appending(path: "Sources/Show")
    try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
    let root = Places.root
    try folder.write(
      """
      // swift-tools-version: 6.2
      import PackageDescription
      let package = Package(
        name: "Show", platforms: [.macOS(.v12)], dependencies: [.package(path: "\(root.path)")],
        targets: [
          .executableTarget(
            name: "Show",
            dependencies: [
              .product(name: "TesseraImageHeader", package: "\(root.lastPathComponent)")
            ])
        ])
      """, to: "Package.swift")
    try folder.write(
      code + """

        import Foundation
        let bytes = Array(try Data(contentsOf: URL(filePath: CommandLine.arguments[1])))
        print(size(of: bytes.count) { Array(bytes[$0.clamped(to: 0..<bytes.count)]) })
        """, to: "Sources/Show/main.swift")
    let swift = try await Tool.run("/usr/bin/which", ["swift"]).output
      .trimmingCharacters(in: .whitespacesAndNewlines)
    let shown = try await Tool.run(
      swift,
      [
        "run", "--quiet", "--package-path", folder.url.path, "Show",
        Places.fixture("rotated-phone-shot.jpg").path,
      ])
    #expect(shown.output == "600 x 800 JPEG\n", "\(shown.errors)")
  }

  /// The documented catalog is what a run makes of the README's pipeline and the phone photograph.
  @Test func theDocumentedCatalogIsWhatARunMakes() async throws {
    let catalogs = try Document("Pipelines/CATALOG.md").blocks("json")
    #expect(catalogs.count == 4)
    let shown = try Self.catalog(try #require(catalogs.first))
    let nginx = try await Nginx(serving: Places.fixtures)
    let fixture = try RunFixture(
      manifest: #"{"id":"p1","url":"\#(nginx.url("/rotated-phone-shot.jpg"))"}"#,
      keys: "base-url: https://cdn.example.com/feed/")
    #expect(try await fixture.run().status == 0)
    await nginx.stop()
    let made = try fixture.catalog
    #expect(shown.outline == made.outline)
    #expect(shown.slots == made.slots)
    #expect(shown.images[0].slots == made.images[0].slots)
    #expect(shown.baseURL == made.baseURL)
    if made.generator == shown.generator {
      // The same libvips gives the same bytes.
      #expect(shown.images[0].variants == made.images[0].variants)
      #expect(shown.pipeline.fingerprint == made.pipeline.fingerprint)
      #expect(shown.images[0].placeholder == made.images[0].placeholder)
    }
  }

  /// A catalog that a page shows over several lines.
  private static func catalog(_ text: String) throws -> Catalog {
    guard case .object(let members) = try JSONParser.parse(Array(text.utf8)) else {
      throw CocoaError(.coderInvalidValue)
    }
    func line(_ value: JSONValue) -> [UInt8] {
      var writer = JSONWriter()
      writer.value(value)
      return writer.take()
    }
    let ofImages = ["digest", "count", "images"]
    let images = members.first { $0.name == "images" }?.value.arrayValue ?? []
    let document = CatalogDocument.document(
      line(.object(members.filter { !ofImages.contains($0.name) })), images.map(line)
    ) { SHA256.of(Array($0)) }
    return try Catalog(reading: document)
  }

  /// The README's excerpt has the members that the same entry has in the full catalog. Its list of
  /// variants is shortened.
  @Test func theReadmesEntryIsAnExcerptOfTheCatalog() throws {
    func object(_ text: String) throws -> [String: Any] {
      let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
      return try #require(value as? [String: Any])
    }
    let excerpts = try Document("README.md").blocks("json")
    #expect(excerpts.count == 1)
    var excerpt = try object(try #require(excerpts.first))
    let catalog = try object(
      try #require(try Document("Pipelines/CATALOG.md").blocks("json").first))
    var full = try #require((catalog["images"] as? [[String: Any]])?.first)
    let shown = try #require(excerpt.removeValue(forKey: "variants") as? [NSDictionary])
    let variants = try #require(full.removeValue(forKey: "variants") as? [NSDictionary])
    #expect(shown.count == 1 && shown.first == variants[3])
    let slots = try #require(excerpt.removeValue(forKey: "slots") as? [String: NSDictionary])
    let allSlots = try #require(full.removeValue(forKey: "slots") as? [String: NSDictionary])
    for (name, slot) in slots { #expect(allSlots[name] == slot) }
    for (name, value) in excerpt {
      #expect(full[name] as? NSObject == value as? NSObject, "\(name)")
    }
  }

  /// It is read in a few minutes.
  @Test func theReadmeIsShort() throws {
    let text = try Document("README.md").text
    let prose = text.components(separatedBy: "\n```").enumerated().filter { $0.offset % 2 == 0 }
      .map { $0.element.replacing(/(?m)^    .*$/, with: "") }.joined(separator: " ")
    // The lines of a table are not words.
    func words(_ text: String) -> Int {
      text.split { $0.isWhitespace }.count { $0.contains { $0.isLetter || $0.isNumber } }
    }
    #expect(words(prose) <= 600)
    #expect(words(text) < 900)
  }

  /// They show what the pages say: a transcript, a table, a measurement.
  @Test func theFiguresAreWhatTheirProgramDraws() async throws {
    let (drawn, kept) = (try TemporaryFolder(), Places.root.appending(path: "Pipelines/figures"))
    let made = try await Tool.run(kept.appending(path: "make").path, [drawn.url.path])
    #expect(made.status == 0, "\(made.errors)")
    let names = try FileManager.default.contentsOfDirectory(atPath: kept.path)
      .filter { $0.hasSuffix(".svg") }
    #expect(names.count == 5)
    for name in names {
      let figure = try String(contentsOf: kept.appending(path: name), encoding: .utf8)
      #expect(try drawn.text(name) == figure, "Pipelines/figures/make")
    }
  }

  /// The table of rounding ladders is what `plan` prints for the quickstart's images.
  @Test func theDocumentedCostOfRoundingIsWhatPlanPrints() async throws {
    let tables = try Document("Pipelines/PIPELINE.md").blocks("text")
    #expect(tables.count == 1)
    let shown = try #require(tables.first)
    guard let path = ProcessInfo.processInfo.environment["TESSERA_QUICKSTART"] else {
      print("not tested: the cost of rounding (run Tests/run without arguments for it)")
      return
    }
    let plan = try await Tool.tessera(
      "plan", Places.root.appending(path: "Examples/quickstart.yaml").path, "--manifest",
      "\(path)/manifest.jsonl", "--output", "\(path)/out", "--rounding", "exact", "--rounding",
      "half-steps", "--rounding", "power-of-two")
    guard plan.output.hasPrefix("74 ") == shown.hasPrefix("74 ") else {
      print("not tested: the cost of rounding (this system has other photographs than Debian 12)")
      return
    }
    // Bytes are those of files, and these depend on the libraries.
    func counts(_ text: String) -> [[Substring]] {
      text.split(separator: "\n").map { Array($0.split(separator: " ").prefix(5)) }
    }
    #expect(counts(shown) == counts(plan.output))
    guard try await Tool.run("/usr/bin/vips", ["--version"]).output.contains("vips-8.14.1") else {
      print("not tested: the bytes of rounding (this system has another libvips than Debian 12)")
      return
    }
    #expect(shown == plan.output)
  }

  /// Two avatars share their files, as the section on rounding states.
  @Test(.faults(.c6)) func avatarsOfTwoSizesShareTheirFiles() async throws {
    let fixture = try RunFixture(
      manifest: "", slots: "slots: {a: {size: 24x24, mode: clip}, b: {size: 30x30, mode: clip}}")
    let plan = try await Tool.tessera(
      "plan", fixture.folder.path("feed.yaml"), "--picture", "1000x1000")
    let sizes = Set(plan.output.matches(of: /(\d+) ?x ?(\d+)/).map { String($0.1) })
    #expect(sizes.isSuperset(of: ["32", "64", "128"]), "\(plan.output)\(plan.errors)")
    #expect(!sizes.contains("256"))
  }

  /// The documented members of `run.json` are those that a run writes.
  @Test func theDocumentedReportIsWhatARunWrites() async throws {
    let fixture = try RunFixture(manifest: "")
    #expect(try await fixture.run().status == 0)
    let report = try #require(
      try JSONSerialization.jsonObject(with: fixture.folder.read("out/run.json"))
        as? [String: Any])
    var written: Set<String> = []
    for (name, value) in report where name != "schema" {
      let isByCode = ["errors", "examples"].contains(name)
      let members = isByCode ? nil : value as? [String: Any]
      written.formUnion(members?.keys.map { "\(name).\($0)" } ?? [name])
    }
    let text = try Document("Pipelines/REPORTS.md").text
    let table = try #require(
      text.components(separatedBy: "## run.json").last?.components(separatedBy: "\n## ").first)
    let cells = table.matches(of: /(?m)^\| (`[^|]*) \|/).map { String($0.1) }
    let listed = cells.flatMap { $0.matches(of: /`([\w.]+)`/).map { String($0.1) } }
    #expect(Set(listed) == written)
  }

  @Test func theDocumentedObjectStoreIsAPipeline() async throws {
    let keys = try Document("Pipelines/MACHINES.md").blocks("yaml").joined()
    let folder = try TemporaryFolder()
    try folder.write("https://example.com/a.jpg\n", to: "m.txt")
    try folder.write("manifest: m.txt\nslots: {card: {size: 180x}}\n\(keys)", to: "p.yaml")
    let check = try await Tool.tessera("check", folder.path("p.yaml"))
    #expect(check.status == 0, "\(check.output)\(check.errors)")
    #expect(keys.contains("s3://"))
  }

  @Test func theDocumentedScreensAreAPipeline() async throws {
    let keys = try Document("Pipelines/CATALOG.md").blocks("yaml").joined()
    let pipeline = try PipelineFile.decode(
      Array("manifest: m\noutput: o\nslots: {card: {size: 180x}}\n\(keys)".utf8), path: "p.yaml",
      environment: { _ in nil })
    #expect(pipeline.screens.map(\.name) == ["feed"] && pipeline.catalogChanges == 5)
  }

  /// The pipelines of the section about image services are whole but for the usual keys.
  @Test func theDocumentedServicesArePipelines() async throws {
    let blocks = try Self.pipelineKeys("manifest:", "delivery:")
    #expect(blocks.count == 3)
    let folder = try TemporaryFolder()
    try folder.write("https://example.com/a.jpg\n", to: "feed.jsonl.txt")
    for block in blocks {
      let usual =
        "manifest: feed.jsonl.txt\noutput: o\nvariants: {format: jpeg}\nslots: {card: {size: 180x}}\n"
      let text = block.hasPrefix("manifest:") ? block : usual + block
      let pipeline = try PipelineFile.decode(
        Array(text.utf8), path: folder.path("p.yaml"),
        environment: { ["IMG_KEY": "aa", "IMG_SALT": "bb", "IMGIX_TOKEN": "cc"][$0] })
      #expect(pipeline.delivery != nil)
    }
  }

  /// Every block of code has a language, and each language in each document has a test above.
  @Test(arguments: Document.all)
  func everyBlockHasACheck(_ path: String) throws {
    let checked: [String: Set<String>] = [
      // The transcript: InitTests.
      "README.md": ["yaml", "jsonl", "sh", "json", "text"],
      // LibraryTests, KotlinTests and WebTests.
      "Pipelines/APPS.md": ["swift", "ts", "tsx", "vue", "js", "kotlin"],
      // TableTests; AppTests; Tests/check-python.
      "Pipelines/CATALOG.md": ["json", "yaml", "sql", "python"],
      // HelpTests.
      "Pipelines/COMMANDS.md": ["text"],
      "Pipelines/KEYS.md": ["yaml"],
      "Pipelines/MACHINES.md": ["yaml"],
      // The commands for lists: Tests/Engines/lists.py.
      "Pipelines/MANIFEST.md": ["yaml", "jsonl", "bash"],
      "Pipelines/PIPELINE.md": ["yaml", "text"],
      // HowToTests.
      "Pipelines/RUNNING.md": ["sh"], "Examples/SHOP.md": ["sh", "text", "yaml"],
      // ServingTests.
      "Pipelines/SERVING.md": ["sh", "js"],
      // HouseTests.
      "Sources/README.md": ["modules"],
    ]
    let languages = Set(try Document(path).blocks.map(\.language))
    #expect(languages == checked[path, default: []])
  }

  /// A reader is led on. The first page has a list of all others in place of a line.
  @Test(arguments: Document.all.filter { $0 != "README.md" })
  func everyPageEndsWithWhereToGoOn(_ path: String) throws {
    let end = try Document(path).text.components(separatedBy: "\n\n").last ?? ""
    #expect(end.hasPrefix("Next: [") && end.contains("](") && end.hasSuffix(".\n"))
  }

  @Test(arguments: Document.all)
  func linksAndPathsLeadToFiles(_ path: String) throws {
    let document = try Document(path)
    let folder = Places.root.appending(path: path).deletingLastPathComponent()
    for link in document.links {
      let target = folder.appending(path: link).standardizedFileURL.path
      #expect(FileManager.default.fileExists(atPath: target), "\(link)")
    }
    for name in document.paths {
      let target = Places.root.appending(path: name).path
      #expect(FileManager.default.fileExists(atPath: target), "\(name)")
    }
  }

  /// Command lines in the documents use commands and options that exist.
  @Test(arguments: Document.all)
  func commandLinesAreValid(_ path: String) async throws {
    for words in try Document(path).commandLines where !["COMMAND", "help"].contains(words[0]) {
      let command = try #require(words.first)
      let help = try await Tool.tessera(command, "--help")
      #expect(help.status == 0, "\(words)")
      for word in words where word.hasPrefix("--") {
        #expect(help.output.contains("  \(word) "), "\(words)")
      }
    }
  }

  /// The result of Examples/quickstart, which Tests/run runs first.
  @Test func theQuickstartMakesWhatItPromises() throws {
    guard let path = ProcessInfo.processInfo.environment["TESSERA_QUICKSTART"] else {
      print("not tested: the quickstart's result (run Tests/run without arguments for it)")
      return
    }
    let out = URL(filePath: path).appending(path: "out")
    let data = try Data(contentsOf: out.appending(path: "catalog.json"))
    let catalog = try Catalog(reading: data)
    #expect(catalog.images.count >= 60)
    #expect(catalog.images.allSatisfy { $0.status == .ok })
    for image in catalog.images {
      for variant in image.variants {
        let file = out.appending(path: variant.reference)
        let size = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int
        #expect(size == variant.bytes)
        let longer = max(variant.width, variant.height)
        let source = [image.width ?? 0, image.height ?? 0]
        // A part of an image in its own size has one of its sides.
        let isOwnSize =
          source.contains(longer) || source.contains(min(variant.width, variant.height))
        #expect(
          longer & (longer - 1) == 0 || longer == 16_383 || isOwnSize,
          "\(image.id): \(variant.width)x\(variant.height)")
      }
    }
    let tall = try #require(catalog.images.first { $0.id.hasPrefix("tall") })
    #expect(tall.variants.last?.type == "image/jpeg")
    let phone = try #require(catalog.images.first { $0.id.hasPrefix("rotated-phone-shot") })
    #expect([phone.width, phone.height] == [600, 800])
    let pixels = try Pixels(out.appending(path: try #require(phone.variants.last).reference).path)
    #expect(distance(pixels.at(0.25, 0.25), [200, 40, 40]) <= 12)
  }
}
