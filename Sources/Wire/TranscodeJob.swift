package import TesseraPlan

/// A request to a worker: one source, decoded once, and all files to make from it.
package struct TranscodeJob: Sendable, Equatable {
  package var identifier: Int
  /// The path of the spooled source.
  package var source: String
  /// The format that our own header reader found, by its catalog name.
  package var format: String
  /// What the plan was made for. If the decoder sees something else, the worker replies so instead.
  package var expected: SourceFacts
  /// ``Plan/decode(of:)`` of the plan for all slots.
  package var decode: DecodePlan
  package var failOn: FailOn
  /// The limit for all frames together.
  package var maximumPixels: Int
  package var maximumFrames: Int
  package var outputs: [Output]

  /// One file to make.
  package struct Output: Sendable, Equatable {
    /// The path of the file, which must not exist yet.
    package var path: String
    package var file: PlannedFile

    package init(path: String, file: PlannedFile) {
      self.path = path
      self.file = file
    }
  }

  package init(
    identifier: Int, source: String, format: String, expected: SourceFacts,
    decode: DecodePlan, failOn: FailOn, maximumPixels: Int,
    maximumFrames: Int, outputs: [Output]
  ) {
    self.identifier = identifier
    self.source = source
    self.format = format
    self.expected = expected
    self.decode = decode
    self.failOn = failOn
    self.maximumPixels = maximumPixels
    self.maximumFrames = maximumFrames
    self.outputs = outputs
  }
}
