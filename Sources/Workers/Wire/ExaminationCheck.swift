/// The result of one test of a worker's libraries.
package struct ExaminationCheck: Sendable, Equatable, Codable {
  package enum Kind: String, Sendable, Codable, CaseIterable {
    /// Decode a format.
    case read
    /// Encode a format and decode the result.
    case write
    /// Turn an image upright.
    case turn
    /// Convert colours to sRGB.
    case colour
  }

  package var kind: Kind
  /// What was tested: a format, an orientation, a kind of colour.
  package var subject: String
  /// A sentence without its full stop; nil if the test succeeded.
  package var problem: String?

  package init(_ kind: Kind, _ subject: String, problem: String?) {
    self.kind = kind
    self.subject = subject
    self.problem = problem
  }
}
