import Foundation
import TesseraTestSupport
import Testing

/// The libraries for apps, as their developers meet them: documentation, and the view that only Apple's systems build.
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

  /// Every public symbol is documented, and the documentation compiles without a warning: each link leads somewhere, and no
  /// parameter is forgotten.
  @Test(arguments: ["TesseraCatalog", "TesseraCatalogFoundation"])
  func theDocumentationIsComplete(_ module: String) async throws {
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
    #expect(names.isEmpty, "not documented: \(names)")
    let articles = Places.root.appending(path: "Sources/\(module)/\(module).docc").path
    guard FileManager.default.fileExists(atPath: articles) else { return }
    let made = try await Self.tool(
      "docc",
      [
        "convert", articles, "--additional-symbol-graph-dir", folder.url.path, "--output-path",
        folder.path("documentation"), "--warnings-as-errors",
      ])
    #expect(made.status == 0, "\(made.output)\(made.errors)")
  }

  /// SwiftUI is not on Linux. Its names that the view uses are in a module of the same name without any function, so the
  /// view's own types are checked; it is not run.
  @Test func theViewIsTypeChecked() async throws {
    let folder = try TemporaryFolder()
    let stubs = Places.root.appending(path: "Tests/Stubs").path
    for module in ["SwiftUI", "CoreGraphics"] {
      let made = try await Self.tool(
        "swiftc",
        [
          "-emit-module", "-module-name", module, "-parse-as-library", "-I", folder.url.path,
          "-emit-module-path", folder.path("\(module).swiftmodule"), "\(stubs)/\(module).swift",
        ])
      try #require(made.status == 0, "\(made.errors)")
    }
    for (module, count) in [("TesseraUI", 4), ("TesseraCatalogFoundation", 7)] {
      let sources = Places.root.appending(path: "Sources/\(module)")
      let files = try FileManager.default.contentsOfDirectory(atPath: sources.path).filter {
        $0.hasSuffix(".swift")
      }
      #expect(files.count >= count)
      let checked = try await Self.tool(
        "swiftc",
        [
          "-typecheck", "-swift-version", "6", "-warnings-as-errors", "-module-name", module,
          "-package-name", Self.package, "-I", folder.url.path, "-I",
          Places.products.appending(path: "Modules").path,
        ] + files.map { sources.appending(path: $0).path })
      #expect(checked.status == 0, "\(checked.errors)")
    }
  }

  /// What SwiftPM calls this package: the name of its folder, as far as it is an identifier.
  private static var package: String {
    String(
      Places.root.lastPathComponent.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })
  }
}
