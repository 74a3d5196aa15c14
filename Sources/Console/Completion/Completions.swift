/// What a shell offers for the last word of a command line.
package enum CompletionAnswer: Sendable, Equatable {
  case files
  case folders
  /// Words with a line about each, which may be empty.
  case words([CompletionWord])
  /// Slots, or ids of images, in the catalog of this output that begin like the word.
  case slots(of: String, prefix: String)
  case ids(of: String, prefix: String)
}

package struct CompletionWord: Sendable, Equatable {
  package var text: String
  package var about: String

  package init(_ text: String, _ about: String = "") {
    self.text = text
    self.about = about
  }
}

/// Finds what could stand in the place of the last word, from the description of the commands.
package struct Completions: Sendable {
  private let help: Help

  package init(_ help: Help) { self.help = help }

  /// - Parameter words: of the command line, the program's name first. The last one, which may be empty,
  ///   is completed.
  package func answer(_ words: [String]) -> CompletionAnswer {
    guard words.count > 1, let word = words.last else { return .words([]) }
    let before = words.dropFirst().dropLast()
    guard let verb = before.first else {
      return Self.choose(
        among: help.commands.map { CompletionWord($0.name, $0.summary) }
          + [
            CompletionWord("help", "the page of a command"), CompletionWord("--help", "this page"),
            CompletionWord("--version", "the version"),
          ],
        word)
    }
    if verb == "help", before.count == 1 {
      return Self.choose(among: help.commands.map { CompletionWord($0.name, $0.summary) }, word)
    }
    guard let command = help.commands.first(where: { $0.name == verb }) else { return .words([]) }
    return answer(Array(before.dropFirst()), word, command.syntax)
  }

  private func answer(_ before: [String], _ word: String, _ syntax: Syntax) -> CompletionAnswer {
    var operands: [String] = []
    var index = 0
    var isOpen = true
    while index < before.count {
      let text = before[index]
      index += 1
      if isOpen, text == "--" {
        isOpen = false
      } else if isOpen, text.hasPrefix("-"), text != "-" {
        guard !text.contains("="), let option = Self.option(text, syntax), option.placeholder != nil
        else { continue }
        if index == before.count { return value(option.completion, word, operands) }
        index += 1
      } else {
        operands.append(text)
      }
    }
    guard isOpen, word.hasPrefix("-") else {
      let place = syntax.operands.indices.last.map { min(operands.count, $0) }
      // Only the last operand may be repeated, and it stands for all that follow.
      guard let place, operands.count < syntax.operandCount.upperBound else { return .words([]) }
      return value(syntax.operands[place].completion, word, operands)
    }
    if let sign = word.firstIndex(of: "="), let option = Self.option(String(word[..<sign]), syntax)
    {
      return value(option.completion, String(word[word.index(after: sign)...]), operands)
    }
    return Self.choose(
      among: syntax.allOptions.map { CompletionWord($0.name, $0.help) }, word)
  }

  private static func option(_ name: String, _ syntax: Syntax) -> (any OptionSyntax)? {
    syntax.allOptions.first { $0.name == name }
  }

  private func value(
    _ completion: Completion, _ word: String, _ operands: [String]
  ) -> CompletionAnswer {
    switch completion {
    case .nothing: .words([])
    case .files: .files
    case .folders: .folders
    case .words(let words): Self.choose(among: words.map { CompletionWord($0) }, word)
    case .slots: operands.first.map { .slots(of: $0, prefix: word) } ?? .words([])
    case .ids: operands.first.map { .ids(of: $0, prefix: word) } ?? .words([])
    }
  }

  private static func choose(among words: [CompletionWord], _ prefix: String) -> CompletionAnswer {
    .words(words.filter { $0.text.hasPrefix(prefix) })
  }
}
