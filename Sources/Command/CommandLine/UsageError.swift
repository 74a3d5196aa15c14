internal import TesseraSystem
internal import TesseraText

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
