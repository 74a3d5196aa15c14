import Foundation
import TesseraTestSupport

/// The drawing of the modules in `Sources/README.md`, and the list that belongs to it.
struct Drawing {
  struct Module {
    var level: Int
    var imports: Set<String>
    /// Imports on the module's own level, which need a dash in the drawing.
    var sideways: Set<String>
  }

  /// A drawing as text: the modules of each level, and pairs that a dash connects.
  struct Sketch: Equatable {
    var levels: [Int: Set<String>] = [:]
    var dashes: Set<Set<String>> = []
  }

  let modules: [String: Module]
  /// C modules that more than one module imports.
  let exceptions: [String: Set<String>]
  private let text: String

  init() throws {
    let path = Places.root.appending(path: "Sources/README.md")
    text = try String(contentsOf: path, encoding: .utf8)
    modules = Self.modules(Self.block("modules", in: text))
    var exceptions: [String: Set<String>] = [:]
    for line in Self.block("exceptions", in: text) {
      let parts = line.components(separatedBy: " | ")
      let names = parts[0].components(separatedBy: ": ")
      exceptions[names[0]] = Set(names[1].split(separator: " ").map(String.init))
    }
    self.exceptions = exceptions
  }

  private static func block(_ name: String, in text: String) -> [String] {
    let parts = text.components(separatedBy: "```\(name)\n")
    guard parts.count == 2 else { return [] }
    return parts[1].components(separatedBy: "```")[0].split(separator: "\n").map(String.init)
  }

  /// Lines such as `3 Probe: [Fetch] Text | what it is for`.
  private static func modules(_ lines: [String]) -> [String: Module] {
    let pattern = Pattern(#"^(\d) ([\w-]+): ?([^|]*)\| .+$"#)
    var modules: [String: Module] = [:]
    for line in lines {
      guard let match = pattern.first(in: line), let level = match[1].flatMap({ Int($0) }),
        let name = match[2], let list = match[3]
      else { continue }
      let names = list.split(separator: " ")
      let sideways = names.filter { $0.hasPrefix("[") }.map { String($0.dropFirst().dropLast()) }
      let downwards = names.filter { !$0.hasPrefix("[") }.map(String.init)
      modules[name] = Module(
        level: level, imports: Set(sideways + downwards), sideways: Set(sideways))
    }
    return modules
  }

  /// The drawing in `Sources/README.md`.
  var sketch: Sketch { sketch(in: text) }

  /// The drawing in the comment at the top of `Package.swift`.
  var packageSketch: Sketch {
    get throws {
      let path = Places.root.appending(path: "Package.swift")
      let lines = try String(contentsOf: path, encoding: .utf8).split(separator: "\n")
      return sketch(
        in: lines.filter { $0.hasPrefix("//") }.map { $0.dropFirst(2) }.joined(separator: "\n"))
    }
  }

  /// Lines of an indented level number and modules; lines without a number continue the level.
  private func sketch(in text: String) -> Sketch {
    var sketch = Sketch()
    var level: Int?
    let start = Pattern(#"^ {3,}(\d)  \S"#)
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if let match = start.first(in: String(line)) {
        level = match[1].flatMap { Int($0) }
      } else if !line.hasPrefix("    ") {
        level = nil
      }
      guard let level else { continue }
      let tokens = Pattern(#"\([^)]*\)"#).replacing(in: String(line)) { _ in "" }
        .split { " ,;|".contains($0) }.map(String.init)
      for (index, token) in tokens.enumerated() {
        if modules[token] != nil { sketch.levels[level, default: []].insert(token) }
        let isDash = token.count >= 2 && token.allSatisfy { $0 == "-" }
        if isDash, index > 0, index + 1 < tokens.count {
          sketch.dashes.insert([tokens[index - 1], tokens[index + 1]])
        }
      }
    }
    return sketch
  }
}
