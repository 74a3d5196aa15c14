import Foundation
import TesseraTestSupport

/// What `Sources/README.md` says of the modules. All but their purposes follows from the imports: each module stands one level
/// above the highest that it imports.
struct Drawing {
  /// The level of each Swift module, from 1; those of C have none.
  let levels: [String: Int]
  /// What the page has, and what it should have.
  let found: String
  let made: String

  init(_ tree: SourceTree) throws {
    let path = Places.root.appending(path: "Sources/README.md")
    let blocks = try String(contentsOf: path, encoding: .utf8).components(
      separatedBy: "```modules\n")
    found = blocks.count == 2 ? blocks[1].components(separatedBy: "```")[0] : ""
    let imports = Dictionary(
      uniqueKeysWithValues: tree.modules.keys.map { ($0, tree.imports(of: $0)) })
    var levels: [String: Int] = [:]
    func level(_ name: String) -> Int {
      if let known = levels[name] { return known }
      let below = imports[name, default: []].filter { tree.modules[$0]?.isEmpty == false }
      let level = (below.map(level).max() ?? 0) + 1
      levels[name] = level
      return level
    }
    for (name, files) in tree.modules where !files.isEmpty { _ = level(name) }
    self.levels = levels
    made = Self.text(levels, imports, purposes: Self.purposes(found))
  }

  /// Of each module, from lines such as `4 Net  a request and its answer`.
  private static func purposes(_ text: String) -> [String: String] {
    let pattern = Pattern(#"(?m)^\d ([\w-]+) +(\S.*)$"#)
    return Dictionary(
      pattern.matches(in: text).compactMap { match in
        match[1].flatMap { name in match[2].map { (name, $0) } }
      }, uniquingKeysWith: { first, _ in first })
  }

  private static func text(
    _ levels: [String: Int], _ imports: [String: Set<String>], purposes: [String: String]
  ) -> String {
    var lines: [String] = []
    let width = levels.keys.map(\.count).max() ?? 0
    let sorted = levels.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    for (name, level) in sorted {
      let column = name.padding(toLength: width, withPad: " ", startingAt: 0)
      lines.append("\(level) \(column)  \(purposes[name] ?? "?")")
      let below = imports[name, default: []].sorted {
        (levels[$1] ?? 0, $0) < (levels[$0] ?? 0, $1)
      }
      if !below.isEmpty {
        lines.append(
          "  " + String(repeating: " ", count: width) + "    imports "
            + below.joined(separator: " "))
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
