import Foundation
import TesseraTestSupport

/// The modules under `Sources`, read as text. A folder is a module.
struct SourceTree {
  struct File {
    /// Relative to the module's folder: `Formats/PNG.swift`.
    var path: String
    var text: String
    /// The text without comments and string literals.
    var code: String

    var lineCount: Int { text.utf8.count { $0 == UInt8(ascii: "\n") } }
  }

  /// The Swift files of each module. C modules have none.
  let modules: [String: [File]]

  init() throws {
    let root = Places.root.appending(path: "Sources")
    var modules: [String: [File]] = [:]
    // `Clients` has the libraries in other languages.
    for name in try FileManager.default.contentsOfDirectory(atPath: root.path)
    where name != "Clients" {
      let folder = root.appending(path: name)
      guard try folder.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true else {
        continue
      }
      modules[name] = try Self.swiftFiles(below: folder).map { path in
        let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
        return File(path: path, text: text, code: SwiftText.code(of: text))
      }
    }
    self.modules = modules
  }

  /// Paths of Swift files relative to a folder, sorted.
  static func swiftFiles(below folder: URL) -> [String] {
    let all = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String }
    return (all ?? []).filter { $0.hasSuffix(".swift") }.sorted()
  }

  /// Our modules that a module imports, by the names of their folders.
  func imports(of module: String) -> Set<String> {
    let pattern = Pattern(#"(?m)^\s*(?:@\w+ )*(?:\w+ )?import (\w+)\s*$"#)
    let names = modules[module, default: []].flatMap { file in
      pattern.matches(in: file.code).compactMap { $0[1] }
    }
    return Set(names.compactMap(folder)).subtracting([module])
  }

  /// The folder of an imported module: `TesseraFetch` is in `Fetch`.
  private func folder(of imported: String) -> String? {
    if modules[imported] != nil { return imported }
    guard imported.hasPrefix("Tessera") else { return nil }
    let name = String(imported.dropFirst("Tessera".count))
    return modules[name] == nil ? nil : name
  }
}
