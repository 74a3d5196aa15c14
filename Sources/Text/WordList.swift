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
