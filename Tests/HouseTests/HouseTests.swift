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
    drawing = try Drawing()
  }

  @Test func theDrawingListsEveryModule() throws {
    #expect(Set(drawing.modules.keys) == Set(tree.modules.keys))
    let sketch = drawing.sketch
    for (name, module) in drawing.modules {
      #expect(sketch.levels[module.level]?.contains(name) == true, "\(name) is not drawn")
    }
    #expect(sketch.levels.values.reduce(0) { $0 + $1.count } == drawing.modules.count)
    #expect(try drawing.packageSketch == sketch, "Package.swift has another drawing")
  }

  @Test func importsAreThoseOfTheDrawing() {
    for (name, module) in drawing.modules.sorted(by: { $0.key < $1.key }) {
      let imports = tree.imports(of: name)
      #expect(
        imports == module.imports,
        """
        \(name) imports \(imports.subtracting(module.imports).sorted()) besides its list, and not \
        \(module.imports.subtracting(imports).sorted())
        """)
    }
  }

  /// A dependency that is not declared compiles only if another module happens to be built before.
  @Test func declaredDependenciesAreTheImports() async throws {
    let declared = try await PackageManifest().dependencies
    for (name, module) in drawing.modules where module.level > 0 {
      let found = declared[name, default: []]
      #expect(
        found == module.imports,
        """
        Package.swift: \(name) lacks \(module.imports.subtracting(found).sorted()) and needs not \
        depend on \(found.subtracting(module.imports).sorted())
        """)
    }
  }

  @Test func importsGoDownwardsOrAlongADash() {
    let dashes = drawing.sketch.dashes
    for (name, module) in drawing.modules {
      for other in module.imports {
        guard let below = drawing.modules[other] else {
          Issue.record("\(name): \(other) is not a module")
          continue
        }
        let isSideways = module.sideways.contains(other)
        #expect(
          isSideways ? below.level == module.level : below.level < module.level,
          "\(name), level \(module.level), imports \(other), level \(below.level)")
        if isSideways { #expect(dashes.contains([name, other]), "no dash: \(name) \(other)") }
      }
    }
  }

  @Test func aCModuleIsImportedByOneModule() {
    for (name, module) in drawing.modules where module.level == 0 {
      let users = Set(tree.modules.keys.filter { tree.imports(of: $0).contains(name) })
      let exception = drawing.exceptions[name]
      #expect(
        exception == nil ? users.count == 1 : users == exception,
        "\(name) is imported by \(users.sorted())")
    }
  }

  /// Only `Output` knows whether an output is a folder or in a store. A manifest and sources may be in a store, too.
  @Test func noOtherModuleKnowsWhatAnOutputIs() {
    let words = ["ObjectOutput(", "DirectoryOutput(", "StoreLocation(", "\"s3://"]
    // What a text on a command line is, it has to know before it is an output.
    let places = ["Pipeline/Manifest/ObjectDownload.swift", "Text/Place.swift"]
    for (module, files) in tree.modules
    where !["Output", "Fetch", "Store", "PipelineFile"].contains(module) {
      for file in files where !places.contains("\(module)/\(file.path)") {
        let found = words.filter(file.text.contains)
        #expect(found.isEmpty, "\(module)/\(file.path) has \(found)")
      }
    }
  }

  /// Strings are equal if they are in Unicode, and two ids are not.
  @Test func idsURLsAndPathsAreComparedByTheirBytes() {
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
  @Test func fieldsOfImagesAreSetInOneFile() {
    for file in tree.modules["Transcode", default: []]
    where file.path != "Raster/Raster+Fields.swift" {
      let found = ["vips_image_set", "vips_copy_field"].filter(file.text.contains)
      #expect(found.isEmpty, "Transcode/\(file.path) has \(found)")
    }
  }

  @Test func theCommandImportsAtMostFiveModules() {
    #expect(tree.imports(of: "tessera").count <= 5, "\(tree.imports(of: "tessera").sorted())")
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

  @Test func noModuleHasMoreThanFifteenPercentOfTheLines() {
    let all = tree.lineCount
    for module in tree.modules.keys.sorted() {
      let lines = tree.lineCount(of: module)
      #expect(lines * 100 <= all * 15, "\(module): \(lines) of \(all) lines")
    }
  }

  @Test(.takesSeconds, arguments: Wording.files)
  func theLanguageIsPlain(_ path: String) throws {
    let findings = try Wording.findings(in: path)
    #expect(findings.isEmpty, "\(findings.joined(separator: "\n"))")
  }
}
