import Foundation
import TesseraCatalog
import TesseraImageHeader
import TesseraPipelineFile
import TesseraPlan
import TesseraTestSupport
import Testing

/// What the documentation shows is run here, so that it can't go stale.
@Suite struct DocumentationTests {
  /// The blocks of a language in the README.
  private static func blocks(_ language: String) throws -> [String] {
    let text = try String(contentsOf: Places.root.appending(path: "README.md"), encoding: .utf8)
    return text.components(separatedBy: "```\(language)\n").dropFirst().map {
      $0.components(separatedBy: "```")[0]
    }
  }

  private static func decode(_ text: String) throws -> PipelineFile {
    try PipelineFile.decode(Array(text.utf8), path: "feed.yaml", environment: { _ in nil })
  }

  @Test func thePipelinesOfTheReadmeAreValidAndItsDefaultsAreTheDefaults() throws {
    let pipelines = try Self.blocks("yaml")
    #expect(pipelines.count == 2)
    let first = try Self.decode(pipelines[0])
    #expect(first.plan.slots.map(\.name) == ["avatar", "card", "hero"])
    let full = try Self.decode(pipelines[1])
    let minimal = try Self.decode(
      "manifest: feed.jsonl\noutput: build/feed\nslots: {card: {size: 180x}}\n")
    #expect(full.plan == minimal.plan)
    #expect("\(full.fetch)" == "\(minimal.fetch)")
    #expect("\(full.limits)" == "\(minimal.limits)")
    #expect(full.accept == minimal.accept)
    #expect(full.workers == minimal.workers)
  }

  /// Another package builds the README's program on the header reader's product, and it works.
  @Test func anotherPackageReadsHeadersAsTheReadmeShows() async throws {
    let code = try #require(try Self.blocks("swift").first)
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

  /// The README's catalog is what a run makes of the README's pipeline and the phone shot.
  @Test func theCatalogOfTheReadmeIsWhatARunMakes() async throws {
    let shown = try JSONDecoder().decode(Catalog.self, from: Data(try Self.blocks("json")[0].utf8))
    let nginx = try await Nginx(serving: Places.fixtures)
    let workshop = try Workshop(
      manifest: #"{"id":"p1","url":"\#(nginx.url("/rotated-phone-shot.jpg"))"}"#,
      keys: "base-url: https://cdn.example.com/feed/")
    #expect(try await workshop.run().status == 0)
    await nginx.stop()
    let made = try workshop.catalog
    #expect(shown.outline == made.outline)
    #expect(shown.slots == made.slots)
    #expect(shown.images[0].slots == made.images[0].slots)
    #expect(shown.baseURL == made.baseURL)
    if made.generator == shown.generator {
      // The same libvips gives the same bytes; only the names are cut short in the README.
      #expect(shown.images[0].variants.map(\.bytes) == made.images[0].variants.map(\.bytes))
      #expect(shown.pipeline.fingerprint == made.pipeline.fingerprint)
      #expect(shown.images[0].placeholder == made.images[0].placeholder)
      for (short, full) in zip(shown.images[0].variants, made.images[0].variants) {
        #expect(full.path.hasPrefix(short.path.components(separatedBy: "…")[0]))
      }
    }
  }

  @Test func theReadmeListsTheCommandsAsTheHelpDoes() async throws {
    let readme = try String(contentsOf: Places.root.appending(path: "README.md"), encoding: .utf8)
    let help = try await Tool.tessera("--help").output
    for line in help.split(separator: "\n") where line.contains(/^  [a-z]+ {2,}[a-z]/) {
      let words = line.split(separator: " ", maxSplits: 1)
      let summary = words[1].trimmingCharacters(in: .whitespaces)
      #expect(readme.contains(/tessera \w+ .*/) && readme.contains(summary), "\(line)")
    }
  }

  /// The README's table of ladders is what `plan` says of the quickstart's pictures.
  @Test func theReadmeTellsWhatRoundingCosts() async throws {
    guard let path = ProcessInfo.processInfo.environment["TESSERA_QUICKSTART"] else {
      print("not tested: the price of rounding (run Tests/run without arguments for it)")
      return
    }
    let plan = try await Tool.tessera(
      "plan", Places.root.appending(path: "Examples/quickstart.yaml").path, "--manifest",
      "\(path)/manifest.jsonl", "--output", "\(path)/out", "--rounding", "exact", "--rounding",
      "half-steps", "--rounding", "power-of-two")
    let shown = try #require(try Self.blocks("text").first)
    guard plan.output.hasPrefix("74 ") == shown.hasPrefix("74 ") else {
      print("not tested: the price of rounding (this system has other photographs than Debian 12)")
      return
    }
    #expect(shown == plan.output)
  }

  /// The result of Examples/quickstart, which Tests/run runs before.
  @Test func theQuickstartMadeWhatItPromises() throws {
    guard let path = ProcessInfo.processInfo.environment["TESSERA_QUICKSTART"] else {
      print("not tested: the quickstart's result (run Tests/run without arguments for it)")
      return
    }
    let out = URL(filePath: path).appending(path: "out")
    let data = try Data(contentsOf: out.appending(path: "catalog.json"))
    let catalog = try JSONDecoder().decode(Catalog.self, from: data)
    #expect(catalog.images.count >= 60)
    #expect(catalog.images.allSatisfy { $0.status == .ok })
    for image in catalog.images {
      for variant in image.variants {
        let file = out.appending(path: variant.path)
        let size = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int
        #expect(size == variant.bytes)
        let longer = max(variant.width, variant.height)
        let source = [image.width ?? 0, image.height ?? 0]
        #expect(
          longer & (longer - 1) == 0 || longer == 16_383 || source.contains(longer),
          "\(image.id): \(variant.width)x\(variant.height)")
      }
    }
    let tall = try #require(catalog.images.first { $0.id.hasPrefix("tall") })
    #expect(tall.variants.last?.type == "image/jpeg")
    let phone = try #require(catalog.images.first { $0.id.hasPrefix("rotated-phone-shot") })
    #expect([phone.width, phone.height] == [600, 800])
    let pixels = try Pixels(out.appending(path: try #require(phone.variants.last).path).path)
    #expect(distance(pixels.at(0.25, 0.25), [200, 40, 40]) <= 12)
  }
}
