/// Why a run could not be done, as the history of runs has it. The raw value is the word in `runs.jsonl`.
package enum RunFailure: String, Sendable, CaseIterable {
  /// The output could not be read or written.
  case output
  case state, system, workers, manifest
  /// There is no space left for the state, the output or work files.
  case diskFull = "disk-full"
  /// The output holds the catalog of another pipeline.
  case otherPipeline = "other-pipeline"
  /// A run of some images can't leave the others as they are.
  case only
  /// It was to be of images that neither the manifest nor the catalog has.
  case unknownImages = "unknown-images"
  case tooManyFailures = "too-many-failures"
  case lostImages = "lost-images"
  /// Tables of ready pixels could not be made.
  case tables
  /// Whatever hits every image alike, such as a full disk.
  case local
}
