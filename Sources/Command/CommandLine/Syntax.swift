/// What a command accepts, and how it ends. Parsing, help, manual pages, completions and the reference all
/// follow from it.
struct Syntax: Sendable {
  var operands: [Operand]
  /// What the command does, in a paragraph of lines no longer than 100 columns.
  var text: String
  var options: [any OptionSyntax]
  var example: Example
  /// What an exit status means here, by rising status. Statuses that all commands share follow by
  /// themselves.
  var statuses: [ExitMeaning]
  /// Where missing operands can be found: a clause; nil if a person knows them.
  var source: String?
  /// Whether there are results that `--json` could print.
  var hasJSON: Bool

  init(
    _ operands: [Operand] = [], source: String? = nil, text: String,
    options: [any OptionSyntax] = [], hasJSON: Bool = true, example: Example,
    statuses: [ExitMeaning]
  ) {
    (self.source, self.hasJSON) = (source, hasJSON)
    self.operands = operands
    self.text = text
    self.options = options
    self.example = example
    self.statuses = statuses
  }

  /// How a command is called: `tessera why OUTPUT ID [options]`.
  func usage(_ program: String, _ command: String) -> String {
    ([program, command] + operands.map(\.usage) + ["[options]"]).joined(separator: " ")
  }

  var allOptions: [any OptionSyntax] {
    options + CommonFlag.all.filter { hasJSON || $0.name != CommonFlag.json.name }
  }

  /// How many operands there may be.
  var operandCount: ClosedRange<Int> {
    let fewest = operands.count { [.one, .several].contains($0.count) }
    let isOpen = operands.contains { [.several, .any].contains($0.count) }
    return fewest...(isOpen ? .max : operands.count)
  }
}

/// A word of the command line that is not an option.
struct Operand: Sendable {
  enum Count: Sendable { case one, optional, several, any }

  /// As help shows it: `OUTPUT`.
  let name: String
  let count: Count
  let completion: Completion

  /// How the usage line shows it: `OUTPUT`, `[PIPELINE]`, `OUTPUT…`.
  var usage: String {
    switch count {
    case .one: name
    case .optional: "[\(name)]"
    case .several: "\(name)…"
    case .any: "[\(name)]…"
    }
  }

  static func one(_ name: String, _ completion: Completion = .nothing) -> Operand {
    Operand(name: name, count: .one, completion: completion)
  }

  static func optional(_ name: String, _ completion: Completion = .nothing) -> Operand {
    Operand(name: name, count: .optional, completion: completion)
  }

  /// One or more.
  static func several(_ name: String, _ completion: Completion = .nothing) -> Operand {
    Operand(name: name, count: .several, completion: completion)
  }

  /// None or more.
  static func any(_ name: String, _ completion: Completion = .nothing) -> Operand {
    Operand(name: name, count: .any, completion: completion)
  }
}

/// A command line as it is really typed, and what it does, in a sentence.
struct Example: Sendable {
  let line: String
  let meaning: String

  init(_ line: String, _ meaning: String) {
    self.line = line
    self.meaning = meaning
  }
}

/// What an exit status says about a command, beginning in lower case and without a full stop.
struct ExitMeaning: Sendable {
  let status: ExitStatus
  let text: String

  init(_ status: ExitStatus, _ text: String) {
    self.status = status
    self.text = text
  }

  /// Statuses of all commands.
  static func shared(keepsWork: Bool) -> [ExitMeaning] {
    let stopped = "stopped by a signal" + (keepsWork ? "; run it again to go on" : "")
    return [
      ExitMeaning(.usage, "the command line can't be understood"),
      ExitMeaning(.interrupted, stopped + " (SIGINT)"),
      ExitMeaning(.terminated, stopped + " (SIGTERM)"),
    ]
  }
}
