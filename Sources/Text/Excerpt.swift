extension String {
  /// How many characters of a text that a user or another program wrote a message quotes: it may be a secret.
  package static var excerptLength: Int { 60 }

  /// The text, or its beginning, as messages quote it.
  package var excerpt: String {
    count > Self.excerptLength ? "\(prefix(Self.excerptLength - 1))…" : self
  }
}
