/// Why a source could not be turned into files.
package struct TranscodeFailure: Error, Sendable, Equatable, Codable {
  /// The raw value is the catalog's `error.code`.
  package enum Code: String, Sendable, Codable, CaseIterable {
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
