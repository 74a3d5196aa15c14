internal import TesseraJSON
internal import TesseraSystem

/// An error as the command reports it: in a message, in JSON, and by the exit status.
struct ErrorReport: Sendable {
  /// A mistake at a place of a file.
  struct Mistake: Sendable, Encodable {
    var file: String
    var line: Int
    var column: Int
    var message: String
  }

  /// The raw value is the `code` of the JSON form.
  enum Code: String, Sendable, Encodable, CaseIterable {
    case failed, usage, busy, stopped
    case pipelineFile = "pipeline-file"
  }

  var code: Code
  /// The `message` of the JSON form.
  var message: String
  var status: ExitStatus
  /// The text for standard error, without the end of its line.
  var text: String
  /// The mistakes of a file, if that is what the error is about.
  var mistakes: [Mistake]?

  /// An error of one line.
  init(code: Code = .failed, message: String, status: ExitStatus = .failed) {
    self.code = code
    self.message = message
    self.status = status
    text = "tessera: \(message.printable)"
  }

  /// An error whose text has its own form, which names the file in each of its lines.
  init(code: Code, message: String, mistakes: [Mistake], text: String) {
    self.code = code
    self.message = message
    self.mistakes = mistakes
    self.text = text
    status = .failed
  }

  static func usage(_ error: UsageError) -> ErrorReport {
    ErrorReport(code: .usage, message: error.description, status: .usage)
  }

  /// A signal stopped the command.
  static let stopped = ErrorReport(code: .stopped, message: "stopped by a signal")

  static func stopped(_ status: ExitStatus?, keepsWork: Bool) -> ErrorReport {
    var report = stopped
    report.status = status ?? .failed
    report.text =
      "tessera: stopped" + (keepsWork ? "; completed work is kept, run again to resume" : "")
    return report
  }

  var json: [UInt8] {
    Document(error: .init(code: code, message: message, mistakes: mistakes)).json
  }

  private struct Document: JSONDocument {
    let schema = "tessera-error/1"
    let error: Members

    struct Members: Encodable {
      let code: Code
      let message: String
      let mistakes: [Mistake]?
    }
  }
}

/// An error that is already part of the JSON on standard output: its message and its exit status
/// are still due.
struct AlreadyPrintedError: Error {
  var error: any Error

  init(_ error: any Error) { self.error = error }
}
