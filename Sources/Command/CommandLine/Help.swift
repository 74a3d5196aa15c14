/// Commands that a person needs at the same time, as help lists them.
struct CommandGroup: Sendable {
  /// Without a colon: `Before a run`.
  let title: String
  let commands: [any Command.Type]

  init(_ title: String, _ commands: [any Command.Type]) {
    (self.title, self.commands) = (title, commands)
  }
}

/// The pages that `--help` prints.
struct Help: Sendable {
  let name: String
  let version: String
  /// The day of the version: `2026-11-22`.
  let date: String
  /// Completes `NAME VERSION: …`.
  let summary: String
  let groups: [CommandGroup]

  /// All, in the order of their groups.
  var commands: [any Command.Type] { groups.flatMap(\.commands) }

  /// What all commands have in common, as help and manual say it.
  static let streams =
    "Results go to standard output; progress and messages go to standard error."

  var overview: String {
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

  func page(of command: any Command.Type) -> String {
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
  var reference: String {
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
