extension String {
  /// With a capital letter and a full stop.
  package var asSentence: String {
    guard let first else { return self }
    let text = first.uppercased() + dropFirst()
    return text.hasSuffix(".") ? text : text + "."
  }

  /// A sentence of ``asSentence`` as a part of another one.
  package var asClause: String {
    guard let first else { return self }
    let text = first.lowercased() + dropFirst()
    return text.hasSuffix(".") ? String(text.dropLast()) : text
  }
}
