import Foundation
import TesseraTestSupport

/// Wording that is not plain technical English, in prose, comments, messages and test names.
///
/// Only patterns without a legitimate use are here. Names of others are excluded: HTML's `picture`
/// element, and the option `--picture`.
enum Wording {
  private static let patterns: [(pattern: Pattern, instead: String)] = [
    (#"(?<![-/<`."\w])pictures?\b(?!`)"#, "image"),
    (#"\b(?:nobody|somebody|whoever)\b"#, "name the actor"),
    (#"\basked\s+for\b"#, "requested, configured"),
    (#"\b(?:made|looked\s+at|encoded|built)\s+anew\b"#, "regenerated, checked again"),
    (#"\bfor\s+ever\b"#, "forever, indefinitely"),
    (#"\blets?\s+in\b"#, "accepts, allows"),
    (#"\bis\s+told\b|\bare\s+told\b|\bwas\s+told\b"#, "is reported, states"),
    (#"\bstands\s+(?:twice|already|above|below|behind|beside)\b"#, "precedes, follows, exists"),
    (#"\bnothing\s+to\s+show\s+of\b"#, "unusable, rejected"),
    (#"\bon\s+(?:its|their)\s+way\b"#, "in flight"),
    (#"\bamiss\b|\bmend(?:s|ed|ing)?\b"#, "wrong; fix"),
    (#"\bpass(?:es|ed)\s+over\b"#, "ignores, skips"),
    (#"\bstrangers?\b"#, "untrusted source"),
    (#"\bknows?\s+(?:of\s+)?no\b"#, "does not support, has no"),
    (#"\bhas\s+the\s+last\s+word\b"#, "decides, takes precedence"),
  ].map { (Pattern($0.0, ignoresCase: true), $0.1) }

  /// Files that quote sentences which earlier versions stored.
  private static let quoting: Set = ["Tests/StateTests/ReasonTests.swift"]

  private static let literal = Pattern(#""((?:[^"\\]|\\.)*)""#)

  /// Prose with line numbers: all lines of Markdown; of Swift, comments and literals with a space.
  private static func prose(in text: String, isMarkdown: Bool) -> [(line: Int, text: String)] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    return lines.enumerated().flatMap { index, line -> [(line: Int, text: String)] in
      if isMarkdown { return [(index + 1, line)] }
      var parts = literal.matches(in: line).compactMap { $0[1] }.filter { $0.contains(" ") }
      if let comment = line.range(of: "//") { parts.append(String(line[comment.lowerBound...])) }
      return parts.map { (index + 1, $0) }
    }
  }

  static func findings(in path: String) throws -> [String] {
    let text = try String(contentsOf: Places.root.appending(path: path), encoding: .utf8)
    return prose(in: text, isMarkdown: path.hasSuffix(".md")).flatMap { line, text in
      patterns.compactMap { pattern, instead in
        pattern.first(in: text)?[0].map { "\(path):\(line): \"\($0)\": \(instead)" }
      }
    }
  }

  /// README files, articles, and Swift files under `Sources` and `Tests`.
  static var files: [String] {
    let swift = ["Sources", "Tests", "Examples"].flatMap { top in
      SourceTree.swiftFiles(below: Places.root.appending(path: top)).map { "\(top)/\($0)" }
    }
    let texts = ["Sources", "Tests", "Examples", "Pipelines"].flatMap { top in
      let folder = Places.root.appending(path: top).path
      let all = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
      return all.filter { $0.hasSuffix(".md") }.map { "\(top)/\($0)" }
    }
    return (["README.md", "Package.swift"] + swift + texts).filter { !quoting.contains($0) }
      .sorted()
  }
}
