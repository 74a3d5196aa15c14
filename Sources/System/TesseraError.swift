/// Why a command or a run could not be done: the error that leaves a module. What a person reads of it, what `--json` has, the
/// exit status and the word in the history of runs are made of this.
///
/// The failure of one image is a value, and no error.
package struct TesseraError: Error, Sendable, CustomStringConvertible {
  /// The kind of error. The raw value is the `code` of `--json`, and the `reason` in `runs.jsonl`.
  package enum Code: String, Sendable, Encodable, CaseIterable {
    /// An output could not be read or written, or is not an output.
    case output
    case state, system, workers, manifest
    /// There is no space left for the state, the output or work files.
    case diskFull = "disk-full"
    /// Another process holds the output.
    case busy
    /// Another process has taken over the output meanwhile, or published another result.
    case lost
    /// A store writes objects whatever the condition, so that two processes would not see each other.
    case noConditions = "no-conditions"
    /// The output holds the catalog of another pipeline.
    case otherPipeline = "other-pipeline"
    /// A run of some images can't leave the others as they are.
    case only
    /// An id that was named is not that of an image.
    case unknownImages = "unknown-images"
    case tooManyFailures = "too-many-failures"
    case lostImages = "lost-images"
    /// Tables of ready pixels could not be made.
    case tables
    case pipelineFile = "pipeline-file"
    /// The command line has a mistake.
    case usage
    /// A signal ended it.
    case stopped
    /// Whatever else hits every image alike.
    case local
  }

  package var code: Code
  /// What it is about, if that is one thing: a path, a URL, an id.
  package var subject: String?
  /// What failed, on what, and why: a sentence without its full stop.
  package var cause: String
  /// What to do, as a clause; nil if the cause says it.
  package var remedy: String?
  /// Whether the same command may succeed later.
  package var isRetryable: Bool

  package init(
    _ code: Code, _ cause: String, remedy: String? = nil, subject: String? = nil,
    isRetryable: Bool = false
  ) {
    (self.code, self.cause, self.remedy, self.subject) = (code, cause, remedy, subject)
    self.isRetryable = isRetryable || [.busy, .lost, .stopped].contains(code)
  }

  /// Whether another process has the output, or has taken it over.
  package var isBusy: Bool { code == .busy || code == .lost }

  package var description: String { cause + (remedy.map { "; \($0)" } ?? "") }
}

/// An error of one module that others report as a ``TesseraError``.
package protocol ReportedError: Error {
  var report: TesseraError { get }
}

extension TesseraError {
  /// Any error, as it is reported.
  package init(_ error: any Error) {
    switch error {
    case let error as TesseraError: self = error
    case let error as any ReportedError: self = error.report
    case is CancellationError:
      self.init(.stopped, "stopped by a signal", remedy: "run the same command again")
    default: self.init(.local, "\(error)")
    }
  }
}
