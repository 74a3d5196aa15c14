internal import TesseraJSON
internal import TesseraSystem

/// An error as the command reports it: in a message, in JSON, and by the exit status.
package struct ErrorReport: Sendable {
  /// A mistake at a place of a file.
  package struct Mistake: Sendable, Encodable {
    var file: String
    var line: Int
    var column: Int
    var message: String

    package init(file: String, line: Int, column: Int, message: String) {
      self.file = file
      self.line = line
      self.column = column
      self.message = message
    }
  }

  /// The raw value is the `code` of the JSON form.
  package enum Code: String, Sendable, Encodable, CaseIterable {
    case failed, usage, busy, stopped
    case pipelineFile = "pipeline-file"
  }

  package var code: Code
  /// The `message` of the JSON form.
  package var message: String
  package var status: ExitStatus
  /// The text for standard error, without the end of its line.
  package var text: String
  /// The mistakes of a file, if that is what the error is about.
  package var mistakes: [Mistake]?

  /// An error of one line.
  package init(code: Code = .failed, message: String, status: ExitStatus = .failed) {
    self.code = code
    self.message = message
    self.status = status
    text = "tessera: \(message.printable)"
  }

  /// An error whose text has its own form, which names the file in each of its lines.
  package init(code: Code, message: String, mistakes: [Mistake], text: String) {
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
  package static let stopped = ErrorReport(code: .stopped, message: "stopped by a signal")

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
package struct AlreadyPrintedError: Error {
  package var error: any Error

  package init(_ error: any Error) { self.error = error }
}
