/// How damaged a source may be before Tessera rejects it.
package enum FailOn: String, Sendable, Codable, CaseIterable {
  /// Reject nothing that can be decoded in part.
  case none
  /// Reject truncated images; of other damaged ones keep the part that can be decoded.
  case truncated
  /// Reject every image for which the decoder reports an error.
  case error
}
