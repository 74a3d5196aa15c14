import Foundation
import TesseraTestSupport

/// A Markdown file of this repository.
struct Document {
  struct Block {
    /// What follows the opening fence: `yaml`; empty for an indented block.
    var language: String
    var text: String
  }

  /// All pages; the articles of the library are beside its code.
  static let all = [
    "README.md", "Pipelines/README.md", "Pipelines/APPS.md", "Pipelines/CATALOG.md",
    "Pipelines/COMMANDS.md", "Pipelines/KEYS.md", "Pipelines/MACHINES.md", "Pipelines/MANIFEST.md",
    "Pipelines/PIPELINE.md", "Pipelines/REPORTS.md", "Pipelines/RUNBOOK.md", "Pipelines/RUNNING.md",
    "Pipelines/SERVING.md", "Pipelines/WORDS.md", "Examples/README.md", "Examples/SHOP.md",
    "Sources/README.md", "Tests/README.md", "Tests/Benchmarks/RESULTS.md",
    ".github/CONTRIBUTING.md", ".github/SECURITY.md",
  ]

  let path: String
  let text: String

  init(_ path: String) throws {
    self.path = path
    text = try String(contentsOf: Places.root.appending(path: path), encoding: .utf8)
  }

  /// The fenced blocks, in their order.
  var blocks: [Block] {
    text.components(separatedBy: "\n```").enumerated().compactMap { index, part in
      // Every second fence closes a block.
      guard index % 2 == 1 else { return nil }
      let lines = part.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
      return Block(language: String(lines[0]), text: lines.count > 1 ? "\(lines[1])\n" : "")
    }
  }

  /// The texts of the fenced blocks of a language.
  func blocks(_ language: String) -> [String] {
    blocks.filter { $0.language == language }.map(\.text)
  }

  /// The targets of links to other files of this repository.
  var links: [String] {
    text.matches(of: /\]\(([^)#]+)[^)]*\)/).map { String($0.1) }.filter { !$0.contains("://") }
  }

  /// Paths in backticks that begin with a top-level folder.
  var paths: [String] {
    text.matches(of: /`((?:Sources|Tests|Examples|Pipelines)\/[\w.\/-]+)`/).map { String($0.1) }
  }

  /// Command lines that begin with `tessera`, in blocks and in the cells of tables.
  var commandLines: [[String]] {
    let blocks = text.matches(of: /(?m)^ *(?:\$ )?tessera ([a-z].*)$/).map { String($0.1) }
    let cells = text.matches(of: /`tessera ([a-z][^`]*)`/).map {
      String($0.1).replacing("\n", with: " ")
    }
    return (blocks + cells).map { line in
      line.prefix { $0 != "#" }.split(separator: " ").map {
        String($0).trimmingCharacters(in: ["\""])
      }
    }
  }
}
