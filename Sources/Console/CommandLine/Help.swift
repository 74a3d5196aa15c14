/// Commands that a person needs at the same time, as help lists them.
package struct CommandGroup: Sendable {
  /// Without a colon: `Before a run`.
  package let title: String
  package let commands: [any Command.Type]

  package init(_ title: String, _ commands: [any Command.Type]) {
    (self.title, self.commands) = (title, commands)
  }
}

/// The pages that `--help` prints.
package struct Help: Sendable {
  package let name: String
  package let version: String
  /// The day of the version: `2026-11-22`.
  package let date: String
  /// Completes `NAME VERSION: …`.
  package let summary: String
  let groups: [CommandGroup]

  /// All, in the order of their groups.
  package var commands: [any Command.Type] { groups.flatMap(\.commands) }

  package init(
    name: String, version: String, date: String, summary: String, groups: [CommandGroup]
  ) {
    self.name = name
    self.version = version
    self.date = date
    self.summary = summary
    self.groups = groups
  }

  /// What all commands have in common, as help and manual say it.
  static let streams =
    "Results go to standard output; progress and messages go to standard error."

  package var overview: String {
    """
    \(name) \(version): \(summary)

    usage: \(name) COMMAND [options]

    \(groups.map(listing).joined(separator: "\n"))
    Everywhere:
    \(Self.columns(options, width: nameWidth))
    \(Self.streams)
    Exit status: 0 all done; 1 done, some items failed; 2 could not run; 64 wrong usage;
    75 another run holds this output; 130, 143 stopped by a signal (run again to resume).

    """
  }

  private var options: [(String, String)] {
    [
      ("--help", "this page; \(name) COMMAND --help for the page of a command"),
      ("--version", "the version"),
    ]
  }

  private var nameWidth: Int {
    (commands.map { $0.name } + options.map(\.0)).map(\.count).max() ?? 0
  }

  /// The commands of a group, below its title.
  private func listing(of group: CommandGroup) -> String {
    "\(group.title):\n"
      + Self.columns(group.commands.map { ($0.name, $0.summary) }, width: nameWidth)
  }

  package func page(of command: any Command.Type) -> String {
    let syntax = command.syntax
    let statuses = command.exitMeanings.map { ("\($0.status.rawValue)", $0.text) }
    return """
      usage: \(syntax.usage(name, command.name))

      \(syntax.text)

      \(Self.columns(syntax.allOptions.map { ($0.usage, $0.help) }))
      Example: \(syntax.example.line)
        \(syntax.example.meaning)

      Exit status:
      \(Self.columns(statuses))
      """
  }

  /// The reference of all commands, in Markdown.
  package var reference: String {
    let pages = commands.map { command in
      """

      ## \(name) \(command.name)

      \(command.summary.prefix(1).uppercased() + command.summary.dropFirst()).

      ```text
      \(page(of: command))```

      """
    }
    return """
      # Commands

      The pages that `\(name) COMMAND --help` prints. This file is what `\(name) man --reference` prints.
      \(pages.joined())
      """
  }

  /// Lines of two columns, each with its end.
  ///
  /// - Parameter width: of the first column; nil for that of its longest word.
  private static func columns(_ rows: [(String, String)], width: Int? = nil) -> String {
    let width = width ?? rows.map(\.0.count).max() ?? 0
    return rows.map { "  \($0.padded(to: width))  \($1)\n" }.joined()
  }
}
