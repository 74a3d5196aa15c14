import Foundation
import TesseraTestSupport

/// What `Package.swift` declares, as SwiftPM reads it.
struct PackageManifest {
  private struct Dump: Decodable {
    struct Target: Decodable {
      struct Dependency: Decodable {
        /// The name, and a condition that is not used here.
        var byName: [String?]?
      }

      var name: String
      var path: String?
      var dependencies: [Dependency]
    }

    var targets: [Target]
  }

  /// For each module, by its folder, the folders of the modules that it depends on.
  let dependencies: [String: Set<String>]

  init() async throws {
    let swift = try await Tool.run("/usr/bin/which", ["swift"]).output
      .trimmingCharacters(in: .whitespacesAndNewlines)
    // A scratch folder of its own: `swift test` holds the lock of the package's, and this would
    // wait for it.
    let scratch = try TemporaryFolder()
    let result = try await Tool.run(
      swift,
      [
        "package", "dump-package", "--package-path", Places.root.path, "--scratch-path",
        scratch.url.path,
      ])
    let targets = try JSONDecoder().decode(Dump.self, from: Data(result.output.utf8)).targets
    var folders: [String: String] = [:]
    for target in targets {
      let path = target.path ?? "Sources/\(target.name)"
      if path.hasPrefix("Sources/") { folders[target.name] = String(path.dropFirst(8)) }
    }
    var dependencies: [String: Set<String>] = [:]
    for target in targets {
      guard let folder = folders[target.name] else { continue }
      let names = target.dependencies.compactMap { $0.byName?.first ?? nil }
      dependencies[folder] = Set(names.compactMap { folders[$0] })
    }
    self.dependencies = dependencies
  }
}
