internal import TesseraBytes
package import TesseraPlan

/// A worker's reply to a request: one of the first four, as the request has it, or why there is none.
package enum WorkerReply: Sendable, Equatable, Codable {
  case files(TranscodeResult)
  case table(TableResult)
  case comparison(Likeness)
  case examination([ExaminationCheck])
  /// No file is written: the source is not what the plan was made for.
  case differs(SourceFacts)
  case failed(TranscodeFailure)
}

/// What a worker made of a source.
package struct TranscodeResult: Sendable, Equatable, Codable {
  package var facts: SourceFacts
  package var placeholders: Placeholders
  package var warnings: [SourceWarning]
  /// The lengths of the files in bytes, in the order of the job: they are one after the other in the
  /// job's memory, or behind the reply.
  package var lengths: [Int]
  /// What was found for the encodings without a quality, in the order of ``Swift/Array/unresolvedEncodings``.
  package var qualities: [FoundQuality]

  package init(
    facts: SourceFacts, placeholders: Placeholders, warnings: [SourceWarning], lengths: [Int],
    qualities: [FoundQuality] = []
  ) {
    (self.facts, self.placeholders, self.warnings) = (facts, placeholders, warnings)
    (self.lengths, self.qualities) = (lengths, qualities)
  }
}

/// What a worker made of a part of a table.
package struct TableResult: Sendable, Equatable, Codable {
  /// The bytes in the job's memory.
  package var length: Int
  /// The positions of entries that could not be decoded.
  package var leftOut: [Int]

  package init(length: Int, leftOut: [Int]) { (self.length, self.leftOut) = (length, leftOut) }
}

extension WorkerReply {
  /// Whether the worker did not do what was requested.
  package var isWithoutResult: Bool {
    switch self {
    case .differs, .failed: true
    case .files, .table, .comparison, .examination: false
    }
  }

  /// Rejects what no worker of this build replies: one that an image has taken over may send anything.
  func check() throws(WireError) {
    switch self {
    case .files(let result):
      try result.facts.check()
      try Self.check(lengths: result.lengths)
      guard result.qualities.allSatisfy(\.isPossible) else {
        throw WireError(message: "a quality is impossible")
      }
      guard result.placeholders.arePossible else {
        throw WireError(message: "a placeholder is impossible")
      }
    case .table(let result): try Self.check(lengths: [result.length])
    case .differs(let facts): try facts.check()
    case .failed(let failure):
      // Only the coordinator cancels jobs.
      guard failure.code != .cancelled else {
        throw WireError(message: "a worker cannot cancel a job")
      }
    case .comparison, .examination: break
    }
  }

  /// Each at most 4 GiB, so that their sum cannot overflow.
  private static func check(lengths: [Int]) throws(WireError) {
    guard lengths.allSatisfy((0...1 << 32).contains) else {
      throw WireError(message: "a length is impossible")
    }
  }
}

extension SourceFacts {
  fileprivate func check() throws(WireError) {
    guard isPossible else {
      throw WireError(message: "the facts of the source are out of range")
    }
  }
}

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

/// The first line that a fork server sends: it is ready, and these are the means of its workers.
package struct WorkerCapabilities: Sendable, Equatable, Codable {
  /// Identifies the messages of this build, by the digest of one of each with all its members. Coordinator and worker
  /// must have the same ones.
  package static let protocolVersion = String(
    SHA256.of(PackageResources.Messages_jsonl).prefix(16))

  package var protocolVersion: String
  package var libvips: String
  package var confinement: Confinement
  /// The formats of which no worker can make a file, because an encoder is missing.
  package var lacks: [OutputFormat]

  package init(
    protocolVersion: String = Self.protocolVersion, libvips: String, confinement: Confinement,
    lacks: [OutputFormat] = []
  ) {
    self.protocolVersion = protocolVersion
    self.libvips = libvips
    self.confinement = confinement
    self.lacks = lacks
  }
}

/// Which mechanisms of the kernel confine a worker.
package struct Confinement: Sendable, Equatable, Codable {
  /// The version of Landlock, which leaves a worker only the system's libraries and fonts; 0 if the
  /// kernel has none.
  package var landlock: Int
  /// Whether a system call filter denies it the network and new processes.
  package var hasSeccomp: Bool

  package init(landlock: Int, hasSeccomp: Bool) {
    self.landlock = landlock
    self.hasSeccomp = hasSeccomp
  }
}

extension Confinement {
  /// What a worker that an image has taken over could do, because the kernel does not prevent it: a
  /// clause without its full stop. Nil for a worker that is wholly confined.
  package var gap: String? {
    switch (landlock > 0, hasSeccomp) {
    case (true, true): nil
    case (false, true): "it could read this machine's files (no Landlock)"
    case (true, false): "it could use the network and start processes (no seccomp)"
    case (false, false):
      "it could read this machine's files, use the network and start processes (neither Landlock nor "
        + "seccomp)"
    }
  }
}
