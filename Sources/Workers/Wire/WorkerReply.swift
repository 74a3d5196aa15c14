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
