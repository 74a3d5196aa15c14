/// Decodes the records of a manifest in one format.
protocol RecordDecoding: Sendable {
  /// The byte between fields, in formats whose quoted fields may span lines; nil in others.
  var separatorOfQuotedFields: UInt8? { get }
  /// Whether a line is for people only.
  func isComment(_ text: String) -> Bool
  /// Whether the last record of a list, which has no line end, is the beginning of a record only.
  func isCutOff(_ text: String) -> Bool
  /// Decodes one record, which may have several images or none. The caller resolves a relative URL, derives a missing id
  /// and checks limits.
  func entries(from text: String, line: Int) throws(ManifestProblem) -> [ManifestEntry]
}

extension RecordDecoding {
  var separatorOfQuotedFields: UInt8? { nil }
  func isComment(_ text: String) -> Bool { false }
  func isCutOff(_ text: String) -> Bool { false }
}
