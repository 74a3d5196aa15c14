/// What a command accepts: its operands and its options, with a line of help each.
package struct Syntax: Sendable {
  /// As shown after the command's name: `PIPELINE`, `URL|FILE…`.
  package var operands: String
  package var operandCount: ClosedRange<Int>
  /// What the command does, in a paragraph of lines no longer than 100 columns.
  package var text: String
  package var options: [any OptionSyntax]

  package init(
    operands: String, operandCount: ClosedRange<Int>, text: String, options: [any OptionSyntax]
  ) {
    self.operands = operands
    self.operandCount = operandCount
    self.text = text
    self.options = options
  }

  /// How a command is called: `tessera run PIPELINE [options]`.
  func usage(_ program: String, _ command: String) -> String {
    [program, command, operands, "[options]"].filter { !$0.isEmpty }.joined(separator: " ")
  }
}

/// An option as the command line spells it.
package protocol OptionSyntax: Sendable {
  /// With its dashes: `--quiet`.
  var name: String { get }
  /// Stands for the value in help and messages: `PATH`. Nil for a flag, which has no value.
  var placeholder: String? { get }
  /// One line of help.
  var help: String { get }
}

/// An option without a value: it is given, or it is not.
package struct Flag: OptionSyntax {
  package var name: String
  package var help: String
  package var placeholder: String? { nil }

  package init(_ name: String, _ help: String) {
    self.name = name
    self.help = help
  }
}

/// An option with a value, and the way to read that value from its text.
package struct Option<Value: Sendable>: OptionSyntax {
  package var name: String
  package var placeholder: String?
  package var help: String
  /// Completes "must be …" in the message about a value that `parse` rejects.
  var expected: String
  /// Texts that `parse` accepts, for the hint "did you mean". Empty if they can't be listed.
  var choices: [String]
  var parse: @Sendable (String) -> Value?

  package init(
    _ name: String, _ placeholder: String, _ help: String, expected: String,
    choices: [String] = [], parse: @escaping @Sendable (String) -> Value?
  ) {
    self.name = name
    self.placeholder = placeholder
    self.help = help
    self.expected = expected
    self.choices = choices
    self.parse = parse
  }
}

/// The flags that every command has.
package enum CommonFlag {
  package static let json = Flag(
    "--json", "results, and errors, as JSON on standard output")
  package static let quiet = Flag(
    "--quiet", "no messages except errors that end the command")
  package static let noProgress = Flag("--no-progress", "no progress bar")

  static let all: [any OptionSyntax] = [json, quiet, noProgress]
}
