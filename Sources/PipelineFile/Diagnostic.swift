/// A mistake in a pipeline file, with its position.
package struct Diagnostic: Error, Sendable, Equatable {
  package var mark: Mark
  /// What is wrong, what was expected, and what to do, in one sentence without its full stop.
  package var message: String

  package init(_ mark: Mark, _ message: String) {
    self.mark = mark
    self.message = message
  }
}
