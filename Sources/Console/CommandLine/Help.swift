/// The pages that `--help` prints.
package struct Help: Sendable {
  package let name: String
  package let version: String
  /// The day of the version: `2026-11-22`.
  package let date: String
  /// Completes `NAME VERSION: …`.
  package let summary: String
  package let commands: [any Command.Type]

  package init(
    name: String, version: String, date: String, summary: String, commands: [any Command.Type]
  ) {
    self.name = name
    self.version = version
    self.date = date
    self.summary = summary
    self.commands = commands
  }

  /// What all commands have in common, as help and manual say it.
  static let streams =
    "Results go to standard output; progress and messages go to standard error."

  package var overview: String {
    """
    \(name) \(version): \(summary)

    usage: \(name) COMMAND [options]

    \(Self.columns(commands.map { ($0.name, $0.summary) }))
      --help     this page; \(name) COMMAND --help for the page of a command
      --version  the version

    \(Self.streams)
    Exit status: 0 all done; 1 done, some items failed; 2 could not run; 64 wrong usage;
    75 another run holds this output; 130, 143 stopped by a signal (run again to resume).

    """
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
  private static func columns(_ rows: [(String, String)]) -> String {
    let width = rows.map(\.0.count).max() ?? 0
    return rows.map { "  \($0.padded(to: width))  \($1)\n" }.joined()
  }
}
