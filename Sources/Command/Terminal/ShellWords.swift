/// Words of commands that are printed, as a shell needs them.
enum ShellWords {
  /// In quotes unless it is plain.
  static func word(_ text: String) -> String {
    let isPlain = text.wholeMatch(of: /[A-Za-z0-9_\/.:,@%+=-]+/) != nil
    return isPlain ? text : "'" + text.replacing("'", with: "'\\''") + "'"
  }

  /// Operands as the command needs them, too: after `--` if one looks like an option.
  static func operands(_ words: [String]) -> String {
    ((words.contains { $0.hasPrefix("-") } ? ["--"] : []) + words.map(word)).joined(separator: " ")
  }
}
