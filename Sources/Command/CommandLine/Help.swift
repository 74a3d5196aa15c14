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
    Pages (\(name) help TOPIC, or a word to look for):
    \(Self.lines(of: HelpPage.all.map(\.topic)))
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
    page(of: command, command.syntax.allOptions, command.exitMeanings)
  }

  private func page(
    of command: any Command.Type, _ options: [any OptionSyntax], _ statuses: [ExitMeaning]
  ) -> String {
    let syntax = command.syntax
    let columns = Self.columns(options.map { ($0.usage, $0.help) })
    return """
      usage: \(syntax.usage(name, command.name))

      \(syntax.text)
      \(options.isEmpty ? "" : "\n\(columns)")
      Example: \(syntax.example.line)
        \(syntax.example.meaning)

      Exit status:
      \(Self.columns(statuses.map { ("\($0.status.rawValue)", $0.text) }))
      """
  }

  /// The reference of all commands, in Markdown. What they share is there once.
  var reference: String {
    let pages = commands.map { command in
      """

      ## \(name) \(command.name)

      \(command.summary.prefix(1).uppercased() + command.summary.dropFirst()).

      ```text
      \(page(of: command, command.syntax.options, command.syntax.statuses))```

      """
    }
    let statuses = ExitMeaning.shared(keepsWork: false)
    return """
      # Commands

      For everyone who types or scripts `\(name)`: each command with its options and exit statuses. `\(name) COMMAND --help` prints
      the same, and `\(name) man --reference` this page.

      Every command has these options (those without results have no `--json`) and exit statuses, too:

      ```text
      \(Self.columns(CommonFlag.all.map { ($0.usage, $0.help) }))
      \(Self.columns(statuses.map { ("\($0.status.rawValue)", $0.text) }))```
      \(pages.joined())
      Next: [the keys of a pipeline file](KEYS.md), [codes and words](WORDS.md), [running Tessera](RUNNING.md).

      """
  }

  /// Words, separated by commas.
  private static func lines(of words: [String]) -> String {
    "  \(words.joined(separator: ", "))\n"
  }

  /// Lines of two columns, each with its end.
  ///
  /// - Parameter width: of the first column; nil for that of its longest word.
  private static func columns(_ rows: [(String, String)], width: Int? = nil) -> String {
    let width = width ?? rows.map(\.0.count).max() ?? 0
    return rows.map { "  \($0.padded(to: width))  \($1)\n" }.joined()
  }
}
