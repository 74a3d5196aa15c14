internal import TesseraJSON
internal import TesseraSystem
internal import TesseraText

/// The manual of the program: `tessera(1)`, a page for each command, and that of the pipeline file.
struct Manual: Sendable {
  private let help: Help
  private let keys: KeyManual

  /// - Parameters:
  ///   - schema: the JSON Schema of the pipeline file.
  ///   - sections: the keys at its top, by who needs them.
  init(
    _ help: Help, schema: JSONValue, sections: [(title: String, keys: [String])]
  ) {
    (self.help, keys) = (help, KeyManual(schema, sections: sections))
  }

  /// Writes the pages below a folder, and returns their paths.
  ///
  func write(to folder: String) throws -> [String] {
    try pages.map { page in
      let path = FileSystem.join(folder, page.path)
      try FileSystem.makeDirectory(FileSystem.parent(of: path))
      let name = FileSystem.name(of: path)
      try Directory(FileSystem.parent(of: path)).replace(
        name, with: Array(page.text.utf8), draft: ".\(name).new")
      return path
    }
  }

  var pages: [ManualPage] {
    var file = makePage(
      "\(help.name)-pipeline", section: 5, "the pipeline file: which images, which sizes, and how")
    keys.write(to: &file)
    seeAlso(["\(help.name)(1)", "\(help.name)-run(1)", "\(help.name)-check(1)"], &file)
    return [overview] + help.commands.map(page) + HelpPage.all.map(page) + [file]
  }

  private func page(of topic: HelpPage) -> ManualPage {
    var page = makePage("\(help.name)-\(topic.topic)", section: 7, topic.title)
    page.section("DESCRIPTION")
    page.markdown(topic.introduction)
    for section in topic.sections {
      if section.isSubsection {
        page.subsection(section.title)
      } else {
        page.section(section.title.uppercased())
      }
      page.markdown(section.text)
    }
    seeAlso(["\(help.name)(1)"] + HelpPage.all.map { "\(help.name)-\($0.topic)(7)" }, &page)
    return page
  }

  private func makePage(_ name: String, section: Int = 1, _ summary: String) -> ManualPage {
    ManualPage(
      name, section: section, summary: summary, date: help.date,
      program: "\(help.name) \(help.version)")
  }

  private var overview: ManualPage {
    var page = makePage(help.name, help.summary)
    page.section("SYNOPSIS")
    page.paragraph("\(help.name) COMMAND [options]")
    page.section("DESCRIPTION")
    page.paragraph(Help.streams)
    page.paragraph("Each command has a page of its own: \(help.name)-COMMAND(1).")
    for group in help.groups {
      page.section("COMMANDS: \(group.title.uppercased())")
      for command in group.commands { page.item(command.name, command.summary) }
    }
    page.section("EXIT STATUS")
    page.item("0", "All done.")
    page.item("1", "Done, but some items failed.")
    page.item("2", "Could not run.")
    page.item("64", "The command line can't be understood.")
    page.item("75", "Another run holds this output.")
    page.item("130, 143", "Stopped by a signal; run it again to resume.")
    seeAlso(["\(help.name)-run(1)", "\(help.name)-pipeline(5)"], &page)
    return page
  }

  private func page(of command: any Command.Type) -> ManualPage {
    let syntax = command.syntax
    var page = makePage("\(help.name)-\(command.name)", command.summary)
    page.section("SYNOPSIS")
    page.paragraph(syntax.usage(help.name, command.name))
    page.section("DESCRIPTION")
    page.paragraph(syntax.text)
    page.section("OPTIONS")
    for option in syntax.allOptions {
      page.item(option.name, value: option.placeholder, Self.sentence(option.help))
    }
    page.section("EXIT STATUS")
    for meaning in command.exitMeanings {
      page.item("\(meaning.status.rawValue)", Self.sentence(meaning.text))
    }
    page.section("EXAMPLES")
    page.paragraph(syntax.example.meaning)
    page.literal(syntax.example.line)
    seeAlso(["\(help.name)(1)", "\(help.name)-pipeline(5)"], &page)
    return page
  }

  private func seeAlso(_ pages: [String], _ page: inout ManualPage) {
    page.section("SEE ALSO")
    page.paragraph(pages.joined(separator: ", "))
  }

  /// A line of help as a sentence.
  private static func sentence(_ text: String) -> String {
    text.prefix(1).uppercased() + text.dropFirst() + "."
  }
}

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

  mutating func section(_ title: String) {
    lines.append(".SH " + Self.escaped(title))
  }

  mutating func subsection(_ title: String) {
    lines.append(".SS " + Self.escaped(title))
  }

  /// Paragraphs, lists, code and tables; a row of a table is an item, with its first cell as the term.
  mutating func markdown(_ text: String) {
    var (isCode, isTable) = (false, false)
    var code: [String] = []
    var words: [String] = []
    /// What is before the words: "-" in a list.
    var bullet = ""
    func end(_ page: inout ManualPage) {
      if !code.isEmpty { page.literal(code.joined(separator: "\n")) }
      let text = HelpPage.plain(words.joined(separator: " "))
      if !bullet.isEmpty {
        page.item(bullet, text)
      } else if !text.isEmpty {
        page.paragraph(text)
      }
      (code, words, bullet) = ([], [], "")
    }
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        end(&self)
        isCode.toggle()
      } else if isCode || (line.hasPrefix("    ") && words.isEmpty) {
        code.append(String(isCode ? line : line.dropFirst(4)))
      } else if line.hasPrefix("|") {
        end(&self)
        let cells = line.dropFirst().dropLast().replacing("\\|", with: "\u{1}")
          .split(separator: "|", omittingEmptySubsequences: false)
          .map { cell in
            HelpPage.plain(cell.replacing("\u{1}", with: "|")).split(separator: " ").joined(
              separator: " ")
          }
        if isTable, !line.hasPrefix("|--") {
          item(
            cells[0].isEmpty ? "-" : cells[0],
            cells.dropFirst().filter { !$0.isEmpty }.joined(separator: "; "))
        }
        isTable = true
      } else if let start = line.prefixMatch(of: #/(-|[0-9]+\.) /#) {
        end(&self)
        bullet = String(start.1)
        words = [String(line[start.range.upperBound...])]
      } else if line.allSatisfy(\.isWhitespace) {
        end(&self)
        isTable = false
      } else {
        if !code.isEmpty { end(&self) }
        words.append(String(line))
      }
    }
    end(&self)
  }

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
    if lines.last?.hasPrefix(".S") == false { lines.append(".PP") }
    lines += [".in +4n", ".nf"]
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
      // So that lines are wrapped by what they have after preconv(1), too.
      case _ where !character.isASCII: character.unicodeScalars.map(named).joined()
      default: String(character)
      }
    }.joined()
  }

  /// A character by its code point, such as `\[u2026]`.
  private static func named(_ scalar: Unicode.Scalar) -> String {
    let code = String(scalar.value, radix: 16, uppercase: true)
    return "\\[u\(String(repeating: "0", count: max(0, 4 - code.count)))\(code)]"
  }

  /// A line that only begins like a macro.
  private static func guarded(_ line: String) -> String {
    line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" + line : line
  }
}
