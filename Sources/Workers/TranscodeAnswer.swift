package import TesseraPlan
package import TesseraSystem

/// What became of a job.
package enum TranscodeAnswer: Sendable {
  case made(MadeFiles)
  /// No file is made: the source is not what the plan was made for.
  case differs(SourceFacts)
  case failed(TranscodeFailure)
}

/// The files of a job, which no process can change any more, and what the worker learned of the source.
package struct MadeFiles: Sendable {
  package let result: TranscodeResult
  private let read: @Sendable (_ index: Int) throws(SystemError) -> [UInt8]

  /// - Parameter read: reads a file whole, by its position in the job.
  package init(
    _ result: TranscodeResult,
    read: @escaping @Sendable (_ index: Int) throws(SystemError) -> [UInt8]
  ) {
    self.result = result
    self.read = read
  }

  package func bytes(of index: Int) throws(SystemError) -> [UInt8] { try read(index) }
}

/// What became of a job for a part of a table.
package enum TableAnswer: Sendable {
  /// An entry's bytes for each entry, or an atlas; and the entries that could not be decoded, ascending.
  case made([UInt8], leftOut: [Int])
  case failed(TranscodeFailure)
}

extension TranscodeAnswer {
  init(_ outcome: JobOutcome) {
    switch (outcome.reply, outcome.made) {
    case (.files(let result), let made?):
      self = .made(
        MadeFiles(result) { index throws(SystemError) in
          let start = result.lengths[..<index].reduce(0, +)
          return try made.read(result.lengths[index], at: start)
        })
    case (.differs(let facts), _): self = .differs(facts)
    case (let reply, _): self = .failed(reply.failure)
    }
  }
}
