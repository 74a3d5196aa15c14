internal import TesseraJSON
internal import TesseraPipelineFile
internal import TesseraSystem

/// An error as the command reports it: in a message, in JSON, and by the exit status. The only place that makes these of errors.
struct ErrorReport: Sendable {
  /// A mistake at a place of a file.
  struct Mistake: Sendable, Encodable {
    var file: String
    var line: Int
    var column: Int
    var message: String
  }

  let error: TesseraError
  private(set) var status: ExitStatus
  /// The text for standard error, without the end of its line.
  private(set) var text: String
  /// The mistakes of a file, if that is what the error is about.
  private(set) var mistakes: [Mistake]?

  init(_ error: any Error) {
    self.error = TesseraError(error)
    status =
      switch self.error.code {
      case .busy, .lost: .busy
      case .usage: .usage
      default: .failed
      }
    text = "tessera: \(self.error.description.printable)"
    if let error = error as? PipelineFileError {
      // Its text has its own form, which names the file in each of its lines.
      text = "\(error)"
      mistakes = error.diagnostics.map { diagnostic in
        Mistake(
          file: error.path, line: diagnostic.mark.line, column: diagnostic.mark.column,
          message: diagnostic.message)
      }
    }
  }

  /// A command that was stopped, by a signal if there is a status.
  static func stopped(_ status: ExitStatus?, keepsWork: Bool) -> ErrorReport {
    var report = ErrorReport(CancellationError())
    report.status = status ?? .failed
    report.text =
      "tessera: stopped" + (keepsWork ? "; completed work is kept, run again to resume" : "")
    return report
  }

  var json: [UInt8] { Document(error: document).json }
  /// The same on one line.
  var jsonLine: [UInt8] { JSONCoding.text(Document(error: document)) }

  /// The `error` of a document that was begun before it.
  var members: JSONValue {
    // It has no coding of its own that throws.
    (try? JSONCoding.json(document)) ?? .null
  }

  private var document: Document.Members {
    .init(
      code: error.code, message: error.description, subject: error.subject,
      remedy: error.remedy, retryable: error.isRetryable, mistakes: mistakes)
  }

  private struct Document: JSONDocument {
    let schema = "tessera-error/1"
    let error: Members

    struct Members: Encodable {
      let code: TesseraError.Code
      let message: String
      let subject: String?
      let remedy: String?
      let retryable: Bool
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
