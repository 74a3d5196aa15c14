internal import TesseraText

/// A page of `Pipelines`, as `tessera help TOPIC` and `man 7 tessera-TOPIC` show it.
struct HelpPage: Sendable {
  /// `running`: the name of the file in lower case.
  let topic: String
  let title: String
  /// Whom it is for, and what it answers.
  let introduction: String
  let sections: [Section]

  /// What is below a heading of the second or third level, up to the next one.
  struct Section: Sendable {
    let title: String
    let isSubsection: Bool
    let text: String
  }

  static let all = EmbeddedPages.all.map { HelpPage($0.topic, $0.text) }

  init(_ topic: String, _ markdown: String) {
    self.topic = topic
    var sections: [Section] = []
    var (heading, lines): (Substring, [Substring]) = ("", [])
    var isCode = false
    func end() {
      let isBlank = { (line: Substring) in line.allSatisfy(\.isWhitespace) }
      let text = lines.drop(while: isBlank).reversed().drop(while: isBlank).reversed()
      sections.append(
        Section(
          title: Self.plain(heading.drop { "# ".contains($0) }),
          isSubsection: heading.hasPrefix("###"), text: text.joined(separator: "\n")))
    }
    for line in markdown.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") { isCode.toggle() }
      // In a script it is a comment.
      if !isCode, line.hasPrefix("#") {
        end()
        (heading, lines) = (line, [])
      } else {
        // Drawings are in the repository only.
        if !line.hasPrefix("![") { lines.append(line) }
      }
    }
    end()
    (title, introduction) = (sections[1].title, sections[1].text)
    self.sections = Array(sections.dropFirst(2))
  }

  /// What the page is about, and how each section is shown.
  func overview(_ program: String) -> String {
    """
    \(title)

    \(Self.shown(introduction))

    Sections; \(program) help \(topic) WORD… shows those whose title has these words:
    \(sections.map { "  \($0.isSubsection ? "  " : "")\($0.title)\n" }.joined())
    """
  }

  /// The sections whose titles have all words, each with its subsections; none if no title has them.
  func sections(_ words: [String]) -> String {
    var shown: [Section] = []
    /// Below a section that is shown.
    var isInside = false
    for section in sections {
      let isNamed = Self.has(words, section.title)
      if !section.isSubsection { isInside = isNamed }
      if isNamed || isInside { shown.append(section) }
    }
    return shown.map { "\($0.title)\n\n\(Self.shown($0.text))\n" }.joined(separator: "\n")
  }

  private static func has(_ words: [String], _ text: String) -> Bool {
    let text = text.lowercased()
    return words.allSatisfy { text.contains($0.lowercased()) }
  }

  /// A line for each command and section that has all words: how to show it. Those that have them in their titles come first.
  static func search(
    _ words: [String], _ program: String,
    _ commands: [(name: String, summary: String, text: String)]
  ) -> String {
    let commands = commands.map { command in
      (line: "\(program) \(command.name) --help", title: command.summary, text: command.text)
    }
    let sections = all.flatMap { page in
      page.sections.map { section in
        (
          line: "\(program) help \(page.topic) \(ShellWords.word(section.title))",
          title: section.title, text: "\(section.title)\n\(section.text)"
        )
      }
    }
    let found = (commands + sections).filter { has(words, $0.title + $0.text) }
    let titled = found.filter { has(words, $0.title) }
    return (titled + found.filter { !has(words, $0.title) }).map { "  \($0.line)\n" }.joined()
  }

  /// Markdown as a terminal shows it: without fences, and links as their texts.
  private static func shown(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !$0.hasPrefix("```") && !$0.hasPrefix("|---") }
      .map { plain($0, keeps: "`") }.joined(separator: "\n")
  }

  /// A line without the marks of links and code.
  static func plain(_ text: some StringProtocol, keeps: String = "") -> String {
    let words = String(text).replacing(#/\[([^\]]*)\]\([^)]*\)/#) { "\($0.1)" }.replacing(
      "**", with: "")
    return keeps == "`" ? words : words.replacing("`", with: "")
  }
}
