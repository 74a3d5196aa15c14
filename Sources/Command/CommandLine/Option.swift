/// An option as the command line spells it.
protocol OptionSyntax: Sendable {
  /// With its dashes: `--quiet`.
  var name: String { get }
  /// Stands for the value in help and messages: `PATH`. Nil for a flag, which has no value.
  var placeholder: String? { get }
  /// One line of help.
  var help: String { get }
  /// What a shell offers as the value.
  var completion: Completion { get }
}

extension OptionSyntax {
  /// As help lists it: `--deadline TIME`.
  var usage: String { placeholder.map { "\(name) \($0)" } ?? name }
}

/// An option without a value: it is given, or it is not.
struct Flag: OptionSyntax {
  var name: String
  var help: String
  var placeholder: String? { nil }
  var completion: Completion { .nothing }

  init(_ name: String, _ help: String) {
    self.name = name
    self.help = help
  }
}

/// An option with a value, and the way to read that value from its text.
struct Option<Value: Sendable>: OptionSyntax {
  var name: String
  var placeholder: String?
  var help: String
  var completion: Completion
  /// Completes "must be …" in the message about a value that `parse` rejects.
  var expected: String
  var parse: @Sendable (String) -> Value?

  /// Texts that `parse` accepts, for the hint "did you mean". Empty if they can't be listed.
  var choices: [String] { if case .words(let words) = completion { words } else { [] } }

  init(
    _ name: String, _ placeholder: String, _ help: String, expected: String,
    completes completion: Completion = .nothing, parse: @escaping @Sendable (String) -> Value?
  ) {
    self.name = name
    self.placeholder = placeholder
    self.help = help
    self.expected = expected
    self.completion = completion
    self.parse = parse
  }
}

/// The flags that every command has.
enum CommonFlag {
  static let json = Flag(
    "--json", "results, and errors, as JSON on standard output")
  static let quiet = Flag(
    "--quiet", "no messages except errors that end the command")
  static let noProgress = Flag("--no-progress", "no progress on standard error")
  static let help = Flag("--help", "this page")

  static let all: [any OptionSyntax] = [json, quiet, noProgress, help]
}
