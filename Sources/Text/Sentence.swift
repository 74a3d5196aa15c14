extension String {
  /// The text as a sentence: with a capital letter and a full stop.
  package var asSentence: String {
    guard let first else { return self }
    let text = first.uppercased() + dropFirst()
    return text.hasSuffix(".") ? text : text + "."
  }
}
