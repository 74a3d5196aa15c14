/// A shell for which completions are made.
package enum Shell: String, CaseIterable, Sendable {
  case bash, zsh, fish

  /// The words as the program would be given them. bash divides words at `=` and `:`.
  package func joined(_ words: [String]) -> [String] {
    guard self == .bash else { return words }
    var joined: [String] = []
    var isJoining = false
    for word in words {
      let isSeparator = !word.isEmpty && word.allSatisfy { $0 == "=" || $0 == ":" }
      if isSeparator || isJoining, joined.count > 1 {
        joined[joined.count - 1] += word
      } else {
        joined.append(word)
      }
      isJoining = isSeparator
    }
    return joined
  }

  /// What the script below reads: `files`, `folders` or `words`, then a word on each line, with a tab and
  /// a line about it, which bash does not show.
  ///
  /// - Parameter word: the last of the joined words.
  package func text(_ answer: CompletionAnswer, for word: String) -> String {
    switch answer {
    case .files: return "files\n"
    case .folders: return "folders\n"
    case .words(let words):
      let value = Self.value(in: word)
      // bash replaces what follows the last separator; the others replace the whole word.
      let known = value.lastIndex { $0 == "=" || $0 == ":" }
        .map { value.distance(from: value.startIndex, to: $0) + 1 }
      let option = word.dropLast(value.count)
      let lines = words.map { candidate in
        switch self {
        case .bash: String(candidate.text.dropFirst(known ?? 0))
        case .zsh: "\(candidate.text)\t\(candidate.about)"
        case .fish: "\(option)\(candidate.text)\t\(candidate.about)"
        }
      }
      return (["words"] + lines).joined(separator: "\n") + "\n"
    case .slots, .ids: return "words\n"
    }
  }

  /// What follows the equals sign of `--option=value`; the whole word if it is not of that form.
  private static func value(in word: String) -> Substring {
    guard word.hasPrefix("-"), let sign = word.firstIndex(of: "=") else { return word[...] }
    return word[word.index(after: sign)...]
  }
}
