internal import Glibc
internal import TesseraSystem
internal import TesseraText

/// A verb of the command line: reads its arguments, calls what does the work, prints what comes
/// out.
protocol Command: Sendable {
  static var name: String { get }
  /// One line for the list of commands.
  static var summary: String { get }
  static var syntax: Syntax { get }
  /// Whether the command resumes its work when it is run again after a signal.
  static var keepsWork: Bool { get }
  /// Whether `--json` prints an object on each line.
  static var printsLines: Bool { get }
  /// How long a signal may take to end the command.
  static var timeToStop: Duration { get }

  /// Called in a task that a signal cancels.
  static func run(_ arguments: Arguments) async throws -> ExitStatus
}

extension Command {
  static var keepsWork: Bool { false }
  static var printsLines: Bool { false }
  static var timeToStop: Duration { .seconds(2) }

  /// What each exit status of the command means, by rising status.
  static var exitMeanings: [ExitMeaning] {
    (syntax.statuses + ExitMeaning.shared(keepsWork: keepsWork))
      .sorted { $0.status.rawValue < $1.status.rawValue }
  }
}

/// The command line program: finds the command, runs it, and turns what it throws into a message
/// and an exit status.
struct Program: Sendable {
  let help: Help

  /// - Parameter words: the arguments of the process, without its name.
  func main(_ words: [String]) async -> ExitStatus {
    let status = await run(words)
    let failure = StandardStream.outputFailure
    // A reader that has read enough (`| head -1`) is not a failure; a full disk is one.
    guard failure != 0, failure != EPIPE else { return status }
    let error = SystemError("write to", "standard output", code: failure)
    // Without the quotes of a path.
    Console.message(
      "tessera: could not write to standard output: \(error.reason)"
        + (error.remedy.map { "; \($0)" } ?? ""))
    // The status of a signal or of wrong usage says more than that of the failed write. The work of a command
    // that keeps it is done: only its report could not be read.
    guard status == .done || status == .someFailed else { return status }
    return words.first.flatMap(command(named:))?.keepsWork == true ? .someFailed : .failed
  }

  private func run(_ words: [String]) async -> ExitStatus {
    guard let verb = words.first else {
      StandardStream.error.write(help.overview)
      return .usage
    }
    switch verb {
    case "--help", "-h", "help":
      return show(Array(words.dropFirst()))
    case "--version", "-v", "-V":
      Console.write("\(help.name) \(help.version)\n")
      return .done
    default:
      return await run(verb, Array(words.dropFirst()))
    }
  }

  private func run(_ verb: String, _ words: [String]) async -> ExitStatus {
    // From the words as typed, so that an error in them is reported as JSON, too.
    let isJSON = words.contains(CommonFlag.json.name)
    guard let command = command(named: verb) else {
      return end(ErrorReport(unknown(verb)), isJSON: isJSON)
    }
    // Before the words are parsed: `--help` works even if another word is wrong.
    if words.contains("--help") || words.contains("-h") {
      Console.write(help.page(of: command))
      return .done
    }
    do {
      let arguments = try Arguments(words, syntax: command.syntax, command: command.name)
      return try await Interruption.cancelling(timeToStop: command.timeToStop) {
        try await command.run(arguments)
      }
    } catch let printed as AlreadyPrintedError {
      return end(report(printed.error, command), isJSON: false)
    } catch {
      return end(report(error, command), isJSON: isJSON, isLine: command.printsLines)
    }
  }

  /// The page of a command, a topic or its sections, or where a word is found.
  private func show(_ words: [String]) -> ExitStatus {
    guard let word = words.first else {
      Console.write(help.overview)
      return .done
    }
    let page = HelpPage.all.first { $0.topic == word }
    let text =
      if let command = command(named: word), words.count == 1 {
        help.page(of: command)
      } else if let page {
        words.count == 1 ? page.overview(help.name) : page.sections(Array(words.dropFirst()))
      } else {
        HelpPage.search(
          words, help.name, help.commands.map { ($0.name, $0.summary, $0.syntax.text) })
      }
    guard text.isEmpty else {
      Console.write(text)
      return .done
    }
    let topics = HelpPage.all.map(\.topic).joined(separator: ", ")
    return end(
      ErrorReport(
        UsageError(
          page == nil
            ? "no page has \"\(words.joined(separator: " "))\"; the topics are \(topics)"
            : "no section of \"\(word)\" has these words; see \(help.name) help \(word)")),
      isJSON: false)
  }

  private func command(named name: String) -> (any Command.Type)? {
    help.commands.first { $0.name == name }
  }

  private func unknown(_ verb: String) -> UsageError {
    let names = help.commands.map { $0.name }
    return UsageError(
      "unknown command \"\(verb)\"" + Nearest.hint(for: verb, among: names)
        + "; the commands are \(names.joined(separator: ", "))")
  }

  private func report(_ error: any Error, _ command: any Command.Type) -> ErrorReport {
    error is CancellationError
      ? .stopped(Interruption.status, keepsWork: command.keepsWork) : ErrorReport(error)
  }

  private func end(_ error: ErrorReport, isJSON: Bool, isLine: Bool = false) -> ExitStatus {
    if isJSON { Console.write(isLine ? error.jsonLine : error.json) }
    StandardStream.error.write(error.text + "\n")
    return error.status
  }
}
