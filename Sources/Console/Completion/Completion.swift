/// What a shell offers in the place of an operand or of an option's value.
package enum Completion: Sendable, Equatable {
  case nothing
  case files
  case folders
  case words([String])
  /// Names of the slots in the catalog of the output that is the first operand.
  case slots
  /// Ids of images of that catalog.
  case ids
}
