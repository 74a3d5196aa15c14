/// Decodes the records of a manifest in one format.
protocol RecordDecoding: Sendable {
  /// The byte between fields, in formats whose quoted fields may span lines; nil in others.
  var separatorOfQuotedFields: UInt8? { get }
  /// Whether a line is for people only.
  func isComment(_ text: String) -> Bool
  /// Whether the last record of a list, which has no line end, is the beginning of a record only.
  func isCutOff(_ text: String) -> Bool
  /// Whether what a record means may depend on those before it. If not, records of the same text mean the same.
  var joinsRows: Bool { get }
  /// To be called for a record that can't be read, and is therefore not passed to ``entries(from:line:_:)``.
  mutating func loseRecord()
  /// Decodes one record, which may have several images or none. The caller resolves a relative URL, derives a missing id
  /// and checks limits.
  mutating func entries(
    from text: String, line: Int, _ omitted: inout OmittedRows
  ) throws(ManifestProblem) -> [ManifestEntry]
}

extension RecordDecoding {
  var separatorOfQuotedFields: UInt8? { nil }
  func isComment(_ text: String) -> Bool { false }
  func isCutOff(_ text: String) -> Bool { false }
  var joinsRows: Bool { false }
  mutating func loseRecord() {}
}
