import Foundation
import TesseraTestSupport
import Testing

/// The libraries for apps, as their developers meet them: documentation, and what only Apple's systems build.
@Suite struct LibraryTests {
  private static func tool(_ name: String, _ arguments: [String]) async throws -> Tool.Result {
    let path = try await Tool.run("/usr/bin/which", [name]).output
    return try await Tool.run(
      path.trimmingCharacters(in: .whitespacesAndNewlines), arguments,
      environment: ["HOME": "/tmp"])
  }

  private struct Graph: Decodable {
    struct Symbol: Decodable {
      struct Identifier: Decodable { var precise: String }
      struct Comment: Decodable {}
      var identifier: Identifier
      var pathComponents: [String]
      var docComment: Comment?
    }
    var symbols: [Symbol]
  }

  /// The documentation compiles without a warning: each link leads somewhere, and no parameter is forgotten. In three libraries
  /// every public symbol is documented.
  @Test(arguments: [
    ("TesseraCatalog", true), ("TesseraCatalogFoundation", true), ("TesseraSizeFetcher", true),
    ("TesseraImageHeader", false),
  ])
  func theDocumentationIsComplete(_ module: String, _ isWhole: Bool) async throws {
    let folder = try TemporaryFolder()
    let machine = try await Tool.run("/usr/bin/uname", ["-m"]).output.dropLast()
    let extracted = try await Self.tool(
      "swift",
      [
        "symbolgraph-extract", "-module-name", module, "-I",
        Places.products.appending(path: "Modules").path, "-target",
        "\(machine)-unknown-linux-gnu", "-output-dir", folder.url.path, "-minimum-access-level",
        "public",
      ])
    #expect(extracted.status == 0, "\(extracted.errors)")
    var (names, count): ([String], Int) = ([], 0)
    for file in folder.files(below: "") where file.hasSuffix(".symbols.json") {
      let graph = try JSONDecoder().decode(Graph.self, from: folder.read(file))
      count += graph.symbols.count
      names += graph.symbols.filter { symbol in
        symbol.docComment == nil && !symbol.identifier.precise.contains("::SYNTHESIZED::")
      }.map { $0.pathComponents.joined(separator: ".") }
    }
    #expect(count > 2)
    #expect(names.isEmpty || !isWhole, "not documented: \(names)")
    var articles = Places.root.appending(path: "Sources/\(module)/\(module).docc").path
    if !FileManager.default.fileExists(atPath: articles) {
      articles = folder.path("\(module).docc")
      try FileManager.default.createDirectory(atPath: articles, withIntermediateDirectories: true)
    }
    let made = try await Self.tool(
      "docc",
      [
        "convert", articles, "--additional-symbol-graph-dir", folder.url.path, "--output-path",
        folder.path("documentation"), "--warnings-as-errors", "--fallback-display-name", module,
        "--fallback-bundle-identifier", module,
      ])
    #expect(made.status == 0, "\(made.output)\(made.errors)")
  }

  /// What only Apple's systems build is type-checked here: their modules are replaced by others of the same name, which have
  /// the names that are used without any function (`Tests/Stubs`). Nothing of it is run.
  private static func makeModules(_ stubs: [String], in folder: TemporaryFolder) async throws {
    for module in stubs {
      let source = Places.root.appending(path: "Tests/Stubs/\(module).swift").path
      try await makeModule(module, ["-parse-as-library", source], in: folder)
    }
    // As `Package.swift` compiles them: what is public must not depend on an internal import.
    let settings = [
      "-swift-version", "6", "-warnings-as-errors", "-package-name", package,
      "-enable-upcoming-feature", "InternalImportsByDefault", "-enable-upcoming-feature",
      "MemberImportVisibility",
    ]
    for (module, count) in [("TesseraCatalogFoundation", 10), ("TesseraUI", 5)] {
      let sources = try sources("Sources/\(module)")
      #expect(sources.count >= count)
      try await makeModule(module, settings + sources, in: folder)
    }
  }

  private static func makeModule(
    _ name: String, _ arguments: [String], in folder: TemporaryFolder
  ) async throws {
    let made = try await tool(
      "swiftc",
      [
        "-emit-module", "-module-name", name, "-emit-module-path",
        folder.path("\(name).swiftmodule"),
      ]
        + imports(folder) + arguments)
    try #require(made.status == 0, "\(made.errors)")
  }

  /// The modules of the folder come before those that were built for Linux.
  private static func imports(_ folder: TemporaryFolder) -> [String] {
    ["-I", folder.url.path, "-I", Places.products.appending(path: "Modules").path]
  }

  private static func sources(_ folder: String) throws -> [String] {
    let url = Places.root.appending(path: folder)
    return try FileManager.default.contentsOfDirectory(atPath: url.path)
      .filter { $0.hasSuffix(".swift") }.map { url.appending(path: $0).path }
  }

  @Test func theViewIsTypeChecked() async throws {
    try await Self.makeModules(
      ["CoreGraphics", "ImageIO", "Network", "SwiftUI"], in: TemporaryFolder())
  }

  /// The files to copy and the code of the page for apps, as an app has them, in both modes of Swift.
  @Test(arguments: ["5", "6"]) func theLoadersAreTypeChecked(_ version: String) async throws {
    let folder = try TemporaryFolder()
    try await Self.makeModules(
      [
        "CoreGraphics", "ImageIO", "Network", "SwiftUI", "UIKit", "Nuke", "NukeExtensions",
        "NukeUI", "Kingfisher",
        "SDWebImage", "SDWebImageSwiftUI",
      ], in: folder)
    let blocks = try Document("Pipelines/APPS.md").blocks("swift")
    #expect(blocks.count == 7)
    for (number, block) in blocks.enumerated() {
      try folder.write(block, to: "block\(number).swift")
    }
    let loaders = try Self.sources("Sources/Clients/ios")
    #expect(loaders.count == 4)
    let checked = try await Self.tool(
      "swiftc",
      [
        "-typecheck", "-parse-as-library", "-module-name", "App", "-swift-version", version,
        "-strict-concurrency=complete", "-warnings-as-errors", "-enable-upcoming-feature",
        "MemberImportVisibility",
      ] + Self.imports(folder) + loaders
        + blocks.indices.map { folder.path("block\($0).swift") })
    #expect(checked.status == 0, "\(checked.errors)")
  }

  /// What SwiftPM calls this package: the name of its folder, as far as it is an identifier.
  private static var package: String {
    String(
      Places.root.lastPathComponent.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })
  }
}
