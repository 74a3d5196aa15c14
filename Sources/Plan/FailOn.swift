/// How much is wrong with a source's bytes before it counts as no picture.
package enum FailOn: String, Sendable, CaseIterable {
  /// Whatever can be decoded is shown.
  case none
  /// A picture that is cut off is refused; of others what can be decoded is shown.
  case truncated
  /// Anything that its decoder calls an error.
  case error
}
