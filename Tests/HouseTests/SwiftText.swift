/// What can be seen in Swift source code without a compiler.
enum SwiftText {
  private static let multilineString = Pattern(#""""[\s\S]*?""""#)
  private static let blockComment = Pattern(#"/\*[\s\S]*?\*/"#)
  private static let lineComment = Pattern(#"//.*"#)
  private static let string = Pattern(
    #""(?:\\\((?:[^()]|\([^()]*\))*\)|\\.|[^"\\\n])*""#)
  private static let interpolation = Pattern(#"\\\(([^()]*(?:\([^()]*\)[^()]*)*)\)"#)

  /// The text without comments and string literals. Interpolations remain, because they are code.
  static func code(of text: String) -> String {
    let plain = multilineString.replacing(in: text) { _ in "\"\"" }
    let uncommented = lineComment.replacing(
      in: blockComment.replacing(in: plain) { _ in "" }
    ) { _ in "" }
    return string.replacing(in: uncommented) { literal in
      interpolation.matches(in: literal).compactMap { $0[1] }.joined(separator: " ")
    }
  }

  struct Function: Equatable {
    var name: String
    /// The number of its first line, from 1.
    var line: Int
    var lineCount: Int
  }

  private static let functionStart = Pattern(
    #"^(\s*)(?:[\w@()]+\s+)*(?:func\s+(\w+)|init[?!]?\s*[(<])"#)

  /// Functions and initializers, each from its first line to the closing brace at the same
  /// indentation.
  static func functions(in text: String) -> [Function] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.indices.compactMap { start in
      guard lines[start].contains("func") || lines[start].contains("init"),
        let match = functionStart.first(in: String(lines[start]))
      else { return nil }
      let indent = match[1] ?? ""
      for end in lines.indices.dropFirst(start + 1).prefix(399) {
        if lines[end].hasPrefix(indent + "}") {
          return Function(name: match[2] ?? "init", line: start + 1, lineCount: end - start + 1)
        }
        let depth = lines[end].prefix { $0 == " " }.count
        if depth < lines[end].count, depth < indent.count { return nil }
      }
      return nil
    }
  }
}
