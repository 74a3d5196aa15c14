package import TesseraPlaceholder
package import TesseraPlan

/// A worker's reply to a job.
package enum TranscodeReply: Sendable, Equatable {
  /// All files are made.
  case done(TranscodeResult)
  /// No file is written: the source is not what the plan was made for.
  case differs(SourceFacts)
  case failed(TranscodeFailure)
}

/// What a worker made of a source.
package struct TranscodeResult: Sendable, Equatable {
  package var facts: SourceFacts
  package var placeholders: Placeholders
  package var warnings: [SourceWarning]
  /// The lengths of the files in bytes, in the order of the job: they are one after the other in the
  /// job's memory.
  package var lengths: [Int]
  /// What was found for the encodings without a quality, in the order of ``Swift/Array/unresolvedEncodings``.
  package var qualities: [FoundQuality] = []
  /// Of a table: the positions of entries that could not be decoded.
  package var leftOut: [Int] = []
  /// Of a comparison.
  package var likeness: Likeness?

  package init(
    facts: SourceFacts, placeholders: Placeholders, warnings: [SourceWarning], lengths: [Int]
  ) {
    self.facts = facts
    self.placeholders = placeholders
    self.warnings = warnings
    self.lengths = lengths
  }
}

/// Why a source could not be turned into files.
package struct TranscodeFailure: Error, Sendable, Equatable {
  /// The raw value is the catalog's `error.code`.
  package enum Code: String, Sendable {
    /// The decoder rejected the bytes.
    case decode
    /// The encoder failed.
    case encode
    case tooManyPixels = "too-many-pixels"
    case tooManyFrames = "too-many-frames"
    case tooManyScans = "too-many-scans"
    /// A file could not be read or written: a fault of this machine, not of the source.
    case local
    /// The worker ended during the job.
    case workerCrashed = "worker-crashed"
    /// The job took longer than `limits.time`.
    case workerTimeout = "worker-timeout"
    /// The job needed more than `limits.memory`.
    case outOfMemory = "out-of-memory"
    /// The worker's reply was invalid.
    case workerProtocol = "worker-protocol"
    case cancelled
  }

  package var code: Code
  /// A sentence without its full stop.
  package var message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}
