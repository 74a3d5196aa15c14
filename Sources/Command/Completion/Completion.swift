/// What a shell offers in the place of an operand or of an option's value.
enum Completion: Sendable, Hashable {
  case nothing
  case files
  case folders
  case words([String])
}
