/// A word that a catalog, a report or a message may have.
package struct Word: Sendable, Equatable {
  package var name: String
  /// A sentence without its capital and full stop.
  package var meaning: String
  /// What a person does about it: a clause without its full stop; nil if there is nothing to do.
  package var remedy: String?

  package init(_ name: String, _ meaning: String, _ remedy: String? = nil) {
    (self.name, self.meaning, self.remedy) = (name, meaning, remedy)
  }
}

/// All words of one kind: the one place that says what they mean. The page of all words is made of such lists.
package struct WordList: Sendable {
  package var title: String
  /// Where the words stand: a sentence.
  package var place: String
  package var words: [Word]

  package init(_ title: String, _ place: String, _ words: [Word]) {
    (self.title, self.place, self.words) = (title, place, words)
  }

  package subscript(name: String) -> Word? { words.first { $0.name == name } }
}

/// Finds the known word that a mistyped one probably means.
package enum Nearest {
  /// The candidate with the fewest changed, added, missing or swapped letters; nil if that number
  /// is over a third of the word's length (over one for short words).
  package static func match(to word: String, among candidates: [String]) -> String? {
    // With more changes than this, the words have little in common.
    let limit = max(1, word.count / 3)
    let distances = candidates.map { ($0, distance(word.lowercased(), $0.lowercased())) }
    guard let best = distances.min(by: { $0.1 < $1.1 }), best.1 <= limit else { return nil }
    return best.0
  }

  /// ` (did you mean "slots"?)`, or an empty text.
  package static func hint(for word: String, among candidates: [String]) -> String {
    match(to: word, among: candidates).map { " (did you mean \"\($0)\"?)" } ?? ""
  }

  /// The optimal string alignment distance: Levenshtein's, with a swap of two neighbours as one
  /// change.
  static func distance(_ first: String, _ second: String) -> Int {
    let a = Array(first.unicodeScalars)
    let b = Array(second.unicodeScalars)
    var rows = [Array(0...b.count)]
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        var best = min(row[j] + 1, rows[i][j + 1] + 1, rows[i][j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          best = min(best, rows[i - 1][j - 1] + 1)
        }
        row.append(best)
      }
      rows.append(row)
    }
    return rows[a.count][b.count]
  }
}

extension String {
  /// The text as a sentence: with a capital letter and a full stop.
  package var asSentence: String {
    guard let first else { return self }
    let text = first.uppercased() + dropFirst()
    return text.hasSuffix(".") ? text : text + "."
  }
}

extension String {
  /// How many characters of a text that a user or another program wrote a message quotes: it may be a secret.
  package static var excerptLength: Int { 60 }

  /// The text, or its beginning, as messages quote it.
  package var excerpt: String {
    count > Self.excerptLength ? "\(prefix(Self.excerptLength - 1))…" : self
  }
}
