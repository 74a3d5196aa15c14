extension String {
  /// The text as a sentence: with a capital letter and a full stop.
  package var asSentence: String {
    guard let first else { return self }
    let text = first.uppercased() + dropFirst()
    return text.hasSuffix(".") ? text : text + "."
  }

  /// A sentence, as ``asSentence`` makes it, as a part of another sentence.
  package var asClause: String {
    guard let first else { return self }
    let text = first.lowercased() + dropFirst()
    return text.hasSuffix(".") ? String(text.dropLast()) : text
  }
}
