internal import TesseraPipeline

/// The pages that `--help` prints.
enum Help {
  static var overview: String {
    let width = Tessera.commands.map { $0.name.count }.max() ?? 0
    let list = Tessera.commands.map { command in
      "  \(command.name.padded(to: width))  \(command.summary)\n"
    }
    return """
      tessera \(Version.number): from a manifest of image URLs to thumbnails and a catalog

      usage: tessera COMMAND [options]

      \(list.joined())
        --help     this page; tessera COMMAND --help for a command's own
        --version  the version

      Results go to standard output; progress and messages to standard error.
      Exit status: 0 all done; 1 done, some items failed; 2 could not run; 64 wrong usage;
      75 another run holds this output; 130, 143 stopped by a signal (run again to go on).

      """
  }

  static func page(of command: any Command.Type) -> String {
    let options = command.syntax.options + Syntax.common
    let names = options.map { option in
      option.value.map { "\(option.name) \($0)" } ?? option.name
    }
    let width = names.map(\.count).max() ?? 0
    let list = zip(names, options).map { name, option in
      "  \(name.padded(to: width))  \(option.help)\n"
    }
    return """
      usage: tessera \(command.name) \(command.syntax.operands) [options]

      \(command.syntax.text)

      \(list.joined())
      """
  }
}

extension String {
  /// Filled up with blanks.
  func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
