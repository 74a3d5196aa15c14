internal import TesseraSystem
internal import TesseraText

/// The words after a command's name, sorted into operands and options.
struct Arguments: Sendable {
  private(set) var operands: [String] = []
  private var values: [String: [String]] = [:]

  /// Sorts the words; the values of options are read later, by their ``Option``.
  ///
  /// `--` ends the options, and `-` is an operand. A value follows its option, or an equals sign.
  init(_ words: [String], syntax: Syntax, command: String) throws(UsageError) {
    let options = syntax.allOptions
    var rest = words[...]
    while let word = rest.popFirst() {
      if word == "--" {
        operands += rest
        break
      }
      guard word.hasPrefix("-"), word != "-" else {
        operands.append(word)
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
      let attached = parts.count == 2 ? parts[1] : nil
      values[option.name, default: []].append(
        try Self.text(of: option, attached: attached, &rest))
    }
    guard syntax.operandCount.contains(operands.count) else {
      let isShort = operands.count < syntax.operandCount.lowerBound
      throw .operands(isShort ? "missing" : "too many", syntax, command: command)
    }
  }

  /// The text of an option's value, which may be the next word; empty for a flag.
  private static func text(
    of option: any OptionSyntax, attached: String?, _ rest: inout ArraySlice<String>
  ) throws(UsageError) -> String {
    guard let placeholder = option.placeholder else {
      guard attached == nil else {
        throw UsageError("the option \(option.name) takes no value")
      }
      return ""
    }
    guard let text = attached ?? rest.popFirst() else {
      throw UsageError("the option \(option.name) needs a value: \(option.name) \(placeholder)")
    }
    return text
  }

  /// The last text given for an option, as it was typed; nil if it was not given.
  func text(of option: some OptionSyntax) -> String? { values[option.name]?.last }

  func has(_ flag: Flag) -> Bool { values[flag.name] != nil }

  /// The last value given for an option, or nil.
  func value<Value>(_ option: Option<Value>) throws(UsageError) -> Value? {
    guard let text = values[option.name]?.last else { return nil }
    return try Self.parse(text, as: option)
  }

  /// All values given for an option.
  func all<Value>(_ option: Option<Value>) throws(UsageError) -> [Value] {
    var result: [Value] = []
    for text in values[option.name] ?? [] { result.append(try Self.parse(text, as: option)) }
    return result
  }

  private static func parse<Value>(
    _ text: String, as option: Option<Value>
  ) throws(UsageError) -> Value {
    guard let value = option.parse(text) else { throw UsageError(option, found: text) }
    return value
  }
}

/// A command line that can't be understood: exit status 64.
struct UsageError: ReportedError, Sendable, CustomStringConvertible {
  /// A sentence without its full stop.
  var description: String

  init(_ description: String) { self.description = description }

  var report: TesseraError { TesseraError(.usage, description) }
}

extension UsageError {
  /// A value that an option does not accept.
  init<Value>(_ option: Option<Value>, found text: String) {
    // A password in a URL must not end up in a log.
    self.init(
      "\(option.name) must be \(option.expected), found \"\(SourceURL.withoutUserInfo(text))\""
        + Nearest.hint(for: text, among: option.choices))
  }

  /// An option that has to be given.
  static func missing(_ option: some OptionSyntax, _ usage: String) -> UsageError {
    UsageError("\(option.name) is missing: \(option.name) \(usage)")
  }

  /// More or fewer operands than the command has.
  static func operands(_ problem: String, _ syntax: Syntax, command: String) -> UsageError {
    UsageError(
      "\(problem) operands; the usage is: \(syntax.usage("tessera", command))"
        + (syntax.source.map { "; \($0)" } ?? ""))
  }
}
