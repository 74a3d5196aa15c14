package import TesseraPlan

/// A request to a worker: one source, decoded once, and all files to make from it.
///
/// Two descriptors come with it, the source for reading and memory for the files; or the bytes of a small source, whose files
/// come with the reply.
package struct TranscodeJob: Sendable, Equatable, Codable {
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
  package var files: [PlannedFile]
  /// What to make of the uncropped image besides; with none, not even the colour.
  package var placeholders: [Placeholders.Kind]

  package init(
    format: String, expected: SourceFacts, decode: DecodePlan, failOn: FailOn,
    maximumPixels: Int, maximumFrames: Int, files: [PlannedFile],
    placeholders: [Placeholders.Kind]
  ) {
    self.format = format
    self.expected = expected
    self.decode = decode
    self.failOn = failOn
    self.maximumPixels = maximumPixels
    self.maximumFrames = maximumFrames
    self.files = files
    self.placeholders = placeholders
  }
}
