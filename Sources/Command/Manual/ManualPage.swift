internal import TesseraText

/// A manual page as source for man(1), in the macros of man(7).
struct ManualPage: Sendable {
  /// `tessera-run`, which is also the file's name before its section.
  let name: String
  /// 1 for commands, 5 for files.
  let section: Int
  private var lines: [String]

  /// The path below a folder of manual pages: `man1/tessera-run.1`.
  var path: String { "man\(section)/\(name).\(section)" }

  var text: String { lines.joined(separator: "\n") + "\n" }

  /// - Parameters:
  ///   - summary: completes `NAME - …`.
  ///   - date: `2026-11-22`.
  ///   - program: with its version, for the page's foot.
  init(_ name: String, section: Int, summary: String, date: String, program: String) {
    (self.name, self.section) = (name, section)
    lines = [
      ".TH \(name.uppercased()) \(section) \(date) \"\(program)\" \"\(program.prefix { $0 != " " }) manual\"",
      ".SH NAME",
    ]
    lines += Self.wrapped("\(name) - \(summary)")
  }

  mutating func section(_ title: String) { lines.append(".SH \(title)") }

  /// A paragraph in the page's running text.
  mutating func paragraph(_ text: String) {
    if lines.last?.hasPrefix(".S") == false { lines.append(".PP") }
    lines += Self.wrapped(text)
  }

  /// A term in bold, with what it is called below in italics, and its explanation indented.
  mutating func item(_ term: String, value: String? = nil, _ text: String) {
    lines.append(".TP")
    let bold = "\\fB\(Self.escaped(term))\\fR"
    lines.append(value.map { "\(bold) \\fI\(Self.escaped($0))\\fR" } ?? bold)
    lines += Self.wrapped(text)
  }

  /// Lines that stay as they are, such as a command or a file.
  mutating func literal(_ text: String) {
    lines += [".PP", ".in +4n", ".nf"]
    lines += text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { Self.guarded(Self.escaped(String($0))) }
    lines += [".fi", ".in"]
  }

  /// Lines of at most 78 bytes, as the format recommends.
  private static func wrapped(_ text: String) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(whereSeparator: \.isWhitespace) {
      let word = escaped(String(word))
      if !line.isEmpty, line.utf8.count + 1 + word.utf8.count > 78 {
        lines.append(guarded(line))
        line = word
      } else {
        line += line.isEmpty ? word : " \(word)"
      }
    }
    return line.isEmpty ? lines : lines + [guarded(line)]
  }

  /// A hyphen of a command must not become a dash, and a backslash is not an escape.
  private static func escaped(_ text: String) -> String {
    text.map { character in
      switch character {
      case "\\": "\\e"
      case "-": "\\-"
      case "\"": "\\(dq"
      default: String(character)
      }
    }.joined()
  }

  /// A line that only begins like a macro.
  private static func guarded(_ line: String) -> String {
    line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" + line : line
  }
}
