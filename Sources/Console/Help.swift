/// The pages that `--help` prints.
package struct Help: Sendable {
  let name: String
  let version: String
  /// Completes `NAME VERSION: …`.
  let summary: String
  let commands: [any Command.Type]

  package init(
    name: String, version: String, summary: String, commands: [any Command.Type]
  ) {
    self.name = name
    self.version = version
    self.summary = summary
    self.commands = commands
  }

  package var overview: String {
    let width = commands.map { $0.name.count }.max() ?? 0
    let list = commands.map { command in
      "  \(command.name.padded(to: width))  \(command.summary)\n"
    }
    return """
      \(name) \(version): \(summary)

      usage: \(name) COMMAND [options]

      \(list.joined())
        --help     this page; \(name) COMMAND --help for the page of a command
        --version  the version

      Results go to standard output; progress and messages go to standard error.
      Exit status: 0 all done; 1 done, some items failed; 2 could not run; 64 wrong usage;
      75 another run holds this output; 130, 143 stopped by a signal (run again to resume).

      """
  }

  package func page(of command: any Command.Type) -> String {
    let options = command.syntax.options + CommonFlag.all
    let names = options.map { option in
      option.placeholder.map { "\(option.name) \($0)" } ?? option.name
    }
    let width = names.map(\.count).max() ?? 0
    let list = zip(names, options).map { name, option in
      "  \(name.padded(to: width))  \(option.help)\n"
    }
    return """
      usage: \(command.syntax.usage(name, command.name))

      \(command.syntax.text)

      \(list.joined())
      """
  }
}
