/// What a coordinator may request from a worker.
package enum WorkerRequest: Sendable, Equatable, Codable {
  case transcode(TranscodeJob)
  /// Make a part of a table.
  case table(TableJob)
  /// Compare two images.
  case compare(ComparisonJob)
  /// Test what the worker's libraries can do.
  case examine
}
