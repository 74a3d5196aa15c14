internal import Glibc
internal import TesseraJSON
internal import TesseraOutput
internal import TesseraPipeline
internal import TesseraPipelineFile
internal import TesseraSystem
internal import TesseraText

/// The exit statuses of the command; the design, section 5, is their list.
enum ExitStatus: Int32 {
  case done = 0
  /// Done, some items failed.
  case someFailed = 1
  /// Could not run.
  case failed = 2
  case usage = 64
  /// Another run holds this output.
  case busy = 75
  case interrupted = 130
  case terminated = 143
}

/// A verb of the command line.
protocol Command: Sendable {
  static var name: String { get }
  /// One line for the list of commands.
  static var summary: String { get }
  static var syntax: Syntax { get }
  /// Whether the command, when it was stopped, goes on where it was.
  static var keepsWork: Bool { get }
  static func run(_ arguments: Arguments) async throws -> ExitStatus
}

extension Command {
  static var keepsWork: Bool { false }
}

/// `tessera`: finds the verb, runs it, and turns what it throws into a message and a status.
enum Tessera {
  static let commands: [any Command.Type] = [
    RunCommand.self, PlanCommand.self, CheckCommand.self, ProbeCommand.self,
    VerifyCommand.self, PruneCommand.self, WhyCommand.self, DiffCommand.self, GalleryCommand.self,
    ExportCommand.self, DoctorCommand.self,
  ]

  static func main(_ words: [String]) async -> ExitStatus {
    let status = await run(words)
    let failure = StandardStream.outputFailure
    // A reader that has enough (`| head -1`) is no failure; a full disk is.
    guard failure != 0, failure != EPIPE else { return status }
    StandardStream.error.write(
      "tessera: \(SystemError("write to", "standard output", code: failure))\n")
    return status == .done || status == .someFailed ? .failed : status
  }

  private static func run(_ words: [String]) async -> ExitStatus {
    guard let verb = words.first else {
      StandardStream.error.write(Help.overview)
      return .usage
    }
    switch verb {
    case "--help", "-h", "help":
      let topic = words.dropFirst().first
      if let topic, let command = commands.first(where: { $0.name == topic }) {
        StandardStream.output.write(Help.page(of: command))
      } else {
        StandardStream.output.write(Help.overview)
      }
      return .done
    case "--version":
      StandardStream.output.write("\(Version.name) \(Version.number)\n")
      return .done
    default: break
    }
    guard let command = commands.first(where: { $0.name == verb }) else {
      let names = commands.map { $0.name }
      return fail(
        UsageError(
          "unknown command \"\(verb)\"" + Nearest.hint(for: verb, among: names)
            + "; the commands are \(names.joined(separator: ", "))"),
        isJSON: words.contains("--json"))
    }
    let rest = Array(words.dropFirst())
    if rest.contains("--help") || rest.contains("-h") {
      StandardStream.output.write(Help.page(of: command))
      return .done
    }
    do {
      return try await command.run(
        try Arguments(rest, syntax: command.syntax, command: command.name))
    } catch {
      return fail(error, isJSON: rest.contains("--json"), keepsWork: command.keepsWork)
    }
  }

  /// Tells an error and gives its status.
  ///
  /// - Parameter keepsWork: whether a command that was stopped goes on where it was.
  private static func fail(
    _ error: any Error, isJSON: Bool, keepsWork: Bool = false
  ) -> ExitStatus {
    if let told = error as? ToldError {
      return fail(told.error, isJSON: false, keepsWork: keepsWork)
    }
    let status: ExitStatus =
      switch error {
      case is UsageError: .usage
      case let error as PipelineError where error.isBusy: .busy
      case OutputError.busy: .busy
      case is CancellationError: Interruption.status ?? .failed
      default: .failed
      }
    if isJSON {
      StandardStream.output.write(json(of: error))
    }
    switch error {
    case let error as PipelineFileError: StandardStream.error.write("\(error)\n")
    case is CancellationError:
      let consequence = keepsWork ? "; what was done is kept, run again to go on" : ""
      StandardStream.error.write("tessera: stopped\(consequence)\n")
    default: StandardStream.error.write("tessera: \("\(error)".printable)\n")
    }
    return status
  }

  private static func json(of error: any Error) -> String {
    var writer = JSONWriter(indent: 2)
    writer.object { write(error, to: &$0) }
    return writer.text + "\n"
  }

  /// Writes an error as a member of a JSON document.
  static func write(_ error: any Error, to object: inout JSONWriter) {
    object.name("error")
    object.object { group in
      switch error {
      case let error as PipelineFileError:
        group.member("code", "pipeline-file")
        group.member("message", "The pipeline file has mistakes.")
        group.name("mistakes")
        group.array { list in
          for diagnostic in error.diagnostics {
            list.object { entry in
              entry.member("file", error.path)
              entry.member("line", diagnostic.mark.line)
              entry.member("column", diagnostic.mark.column)
              entry.member("message", diagnostic.message)
            }
          }
        }
      case is UsageError:
        group.member("code", "usage")
        group.member("message", "\(error)")
      case let error as PipelineError where error.isBusy:
        group.member("code", "busy")
        group.member("message", "\(error)")
      case OutputError.busy:
        group.member("code", "busy")
        group.member("message", "\(error)")
      case is CancellationError:
        group.member("code", "stopped")
        group.member("message", "stopped by a signal")
      default:
        group.member("code", "failed")
        group.member("message", "\(error)")
      }
    }
  }
}

/// An error that is in the JSON document already: its sentence and its status are still due.
struct ToldError: Error {
  var error: any Error
}
