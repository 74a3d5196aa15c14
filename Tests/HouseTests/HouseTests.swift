import Foundation
import TesseraTestSupport
import Testing

/// The structure of the source code: modules, files, functions, and the language in them.
@Suite struct HouseTests {
  // Read once for all tests: it takes seconds in a debug build.
  private static let sharedTree = Result { try SourceTree() }

  private let tree: SourceTree
  private let drawing: Drawing

  init() throws {
    tree = try Self.sharedTree.get()
    drawing = try Drawing(tree)
  }

  /// The page shows how the house is built: a module imports those of lower levels.
  @Test func thePageListsTheModulesAndTheirImports() {
    #expect(drawing.found == drawing.made, "Sources/README.md should have\n\(drawing.made)")
    #expect(!drawing.made.contains("  ?\n"))
  }

  /// A dependency that is not declared compiles only if another module happens to be built before.
  @Test func declaredDependenciesAreTheImports() async throws {
    let declared = try await PackageManifest().dependencies
    for name in drawing.levels.keys.sorted() {
      let imports = tree.imports(of: name)
      let found = declared[name, default: []]
      #expect(
        found == imports,
        """
        Package.swift: \(name) lacks \(imports.subtracting(found).sorted()) and needs not \
        depend on \(found.subtracting(imports).sorted())
        """)
    }
  }

  /// No files, no processes, no network: what decides can be tried with values alone.
  @Test func pureModulesImportPureOnes() {
    let pure: Set = [
      "Bytes", "JSON", "Text", "TesseraCatalog", "ImageHeader", "Plan", "Manifest", "CCrypto",
      "CZlib",
      "CDeflate", "CExpat",
    ]
    for name in pure.sorted() {
      #expect(tree.imports(of: name).subtracting(pure).sorted() == [], "\(name)")
    }
  }

  /// So a handle of C has one owner. Each exception has its reason.
  @Test func aCModuleIsImportedByOneModule() {
    let exceptions: [String: Set<String>] = [
      // Checksums, and the samples of PNG.
      "CDeflate": ["Bytes", "Transcode"],
      // Spawning, and limits that only the new process itself can set.
      "CProcess": ["System", "Workers", "tessera-worker"],
    ]
    for (name, files) in tree.modules where files.isEmpty {
      let users = Set(tree.modules.keys.filter { tree.imports(of: $0).contains(name) })
      let exception = exceptions[name]
      #expect(
        exception == nil ? users.count == 1 : users == exception,
        "\(name) is imported by \(users.sorted())")
    }
  }

  /// Only `Output` knows whether an output is a folder or in a store. A manifest and sources may be in a store, too.
  @Test func noOtherModuleKnowsWhatAnOutputIs() {
    let words = ["ObjectOutput(", "DirectoryOutput(", "StoreLocation(", "\"s3://"]
    // What a text on a command line is, it has to know before it is an output.
    let places = ["Pipeline/Manifest/ManifestDownload.swift", "Text/Place.swift"]
    for (module, files) in tree.modules
    where !["Output", "Net", "PipelineFile"].contains(module) {
      for file in files where !places.contains("\(module)/\(file.path)") {
        let found = words.filter(file.text.contains)
        #expect(found.isEmpty, "\(module)/\(file.path) has \(found)")
      }
    }
  }

  /// Strings are equal if they are in Unicode, and two ids are not.
  @Test(.faults(.x3)) func idsURLsAndPathsAreComparedByTheirBytes() {
    for (module, files) in tree.modules.sorted(by: { $0.key < $1.key }) {
      let findings = files.flatMap { Identity.findings(in: "\(module)/\($0.path)", $0.code) }
      #expect(findings.isEmpty, "\(findings.joined(separator: "\n"))")
    }
    for code in [
      "var known: Set<String> = []", "let first: [String: Int]", "let lines = Mutex<[String: Int]>",
      "Set(urls.map { $0 })", "url.hasPrefix(prefix)", "entry.id == id", "$0.id != other",
      "a == b.url",
      "last?.requestURL == url", "ids.sorted()",
    ] { #expect(!Identity.findings(in: "State/A.swift", code).isEmpty, "\(code)") }
    for code in [
      "var known: Set<Identifier> = []", "Set<Identifier>(of: urls)", "url.begins(with: prefix)",
      "Identifier(entry.id) == Identifier(id)", "entry.id == nil", "ids.inByteOrder()",
      "name.hasPrefix(Self.damaged)",
    ] { #expect(Identity.findings(in: "State/A.swift", code) == [], "\(code)") }
  }

  /// U1: a blob that libvips parses when it is set must not turn the image; one file sees to that.
  @Test(.faults(.u1)) func fieldsOfImagesAreSetInOneFile() {
    for file in tree.modules["Transcode", default: []]
    where file.path != "Raster/Raster+Fields.swift" {
      let found = ["vips_image_set", "vips_copy_field"].filter(file.text.contains)
      #expect(found.isEmpty, "Transcode/\(file.path) has \(found)")
    }
  }

  @Test func noCycleHasMoreThanTwoFiles() {
    for (module, files) in tree.modules.sorted(by: { $0.key < $1.key }) {
      let graph = FileGraph(files)
      for cycle in graph.cycles where cycle.count > 2 {
        let edges = cycle.flatMap { file in
          graph.references[file, default: [:]].filter { cycle.contains($0.key) }
            .sorted { $0.key < $1.key }
            .map { "  \(file) -> \($0.key) (\($0.value.sorted().joined(separator: ", ")))" }
        }
        Issue.record("\(module): cycle of \(cycle.count)\n\(edges.joined(separator: "\n"))")
      }
    }
  }

  @Test func noFunctionHasMoreThanFiftyLines() {
    for (module, files) in tree.modules.sorted(by: { $0.key < $1.key }) {
      for file in files {
        for function in SwiftText.functions(in: file.text) where function.lineCount > 50 {
          Issue.record(
            """
            \(module)/\(file.path):\(function.line): \(function.name) has \(function.lineCount) \
            lines
            """)
        }
      }
    }
  }

  @Test(.takesSeconds, arguments: Wording.files)
  func theLanguageIsPlain(_ path: String) throws {
    let findings = try Wording.findings(in: path)
    #expect(findings.isEmpty, "\(findings.joined(separator: "\n"))")
  }
}
