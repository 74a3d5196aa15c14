import Foundation
import TesseraTestSupport

/// A Markdown file of this repository.
struct Document {
  struct Block {
    /// What follows the opening fence: `yaml`; empty for an indented block.
    var language: String
    var text: String
  }

  static let all = [
    "README.md", "Pipelines/README.md", "Pipelines/DELIVERY.md", "Pipelines/FORMATS.md",
    "Pipelines/KEYS.md", "Pipelines/MANIFEST.md", "Pipelines/NETWORK.md", "Pipelines/SIZES.md",
    "Tests/Benchmarks/ENCODERS.md", "Examples/README.md",
    "Examples/COMMANDS.md",
    "Examples/operations/README.md", "Examples/operations/CLEANING.md",
    "Examples/operations/LIMITS.md", "Examples/operations/MACHINES.md",
    "Examples/operations/REPORTS.md", "Examples/operations/RUNBOOK.md",
    "Examples/operations/SCHEDULING.md", "Examples/operations/STATE.md",
    "Examples/package/README.md",
    "Examples/parallel/README.md", "Examples/slurm/README.md", "Examples/spark/README.md",
    "Examples/catalog/README.md", "Examples/catalog/TABLES.md", "Examples/catalog/WORDS.md",
    "Examples/kubernetes/README.md", "Examples/howto/README.md",
    "Examples/howto/SHOP.md", "Examples/howto/UPGRADING.md", "Examples/howto/BACKUP.md",
    "Examples/howto/MOVING.md", "Examples/howto/GROWING.md",
    "Examples/serving/README.md",
    "Sources/Clients/README.md", "Sources/Clients/android/README.md",
    "Sources/Clients/ios/README.md",
    "Sources/Clients/web/README.md", "Sources/README.md", "Tests/README.md", "Tests/FAULTS.md",
    "Tests/Fixtures/README.md",
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
