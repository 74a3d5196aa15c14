internal import TesseraPipelineFile
internal import TesseraText

/// What a command takes: its operands, and its options with a line of help each.
struct Syntax: Sendable {
  struct Option: Sendable {
    var name: String
    /// The placeholder of its value; nil for a flag.
    var value: String?
    var help: String

    init(_ name: String, _ value: String? = nil, _ help: String) {
      self.name = name
      self.value = value
      self.help = help
    }
  }

  /// As shown after the command's name: `PIPELINE`, `URL|FILE…`.
  var operands: String
  var operandCount: ClosedRange<Int>
  /// What the command does, in a paragraph.
  var text: String
  var options: [Option]

  /// Options that every command has.
  static let common = [
    Option("--json", nil, "results, and errors, as JSON on standard output"),
    Option("--quiet", nil, "no messages but errors that end the command"),
    Option("--no-progress", nil, "no progress bar"),
  ]
}

/// A command line that makes no sense: exit status 64.
struct UsageError: Error, CustomStringConvertible {
  var description: String
  init(_ description: String) { self.description = description }
}

/// The words after the verb, sorted into operands and options.
struct Arguments: Sendable {
  private(set) var operands: [String] = []
  private var values: [String: [String]] = [:]

  init(_ words: [String], syntax: Syntax, command: String) throws(UsageError) {
    let options = syntax.options + Syntax.common
    var rest = words[...]
    var onlyOperands = false
    while let word = rest.popFirst() {
      guard !onlyOperands, word.hasPrefix("-"), word != "-" else {
        operands.append(word)
        continue
      }
      if word == "--" {
        onlyOperands = true
        continue
      }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        .map(String.init)
      guard let option = options.first(where: { $0.name == parts[0] }) else {
        throw UsageError(
          "\(command) has no option \"\(parts[0])\""
            + Nearest.hint(for: parts[0], among: options.map(\.name))
            + "; see tessera \(command) --help")
      }
      switch (option.value, parts.count) {
      case (nil, 1): values[option.name, default: []].append("")
      case (nil, _): throw UsageError("the option \(option.name) takes no value")
      case (.some, 2): values[option.name, default: []].append(parts[1])
      case (.some(let placeholder), _):
        guard let value = rest.popFirst() else {
          throw UsageError("the option \(option.name) needs a value: \(option.name) \(placeholder)")
        }
        values[option.name, default: []].append(value)
      }
    }
    guard syntax.operandCount.contains(operands.count) else {
      let what = operands.count < syntax.operandCount.lowerBound ? "missing" : "too many"
      throw UsageError(
        "\(what) operands; the usage is: tessera \(command) \(syntax.operands) [options]")
    }
  }

  func has(_ option: String) -> Bool { values[option] != nil }

  /// The last value given for an option.
  func value(_ option: String) -> String? { values[option]?.last }

  /// All values given for an option.
  func all(_ option: String) -> [String] { values[option] ?? [] }

  /// A value that `parse` makes of an option's text. `expected` completes "must be …".
  func value<Value>(
    _ option: String, expected: String, _ parse: (String) -> Value?
  ) throws(UsageError) -> Value? {
    guard let text = value(option) else { return nil }
    guard let value = parse(text) else {
      throw UsageError("\(option) must be \(expected), found \"\(text)\"")
    }
    return value
  }
}
