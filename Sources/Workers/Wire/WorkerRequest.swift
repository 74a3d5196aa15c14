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

/// How a worker ended: the only line that the fork server sends on the worker's control channel.
package enum WorkerEnd: Sendable, Equatable, Codable {
  /// The status of waitpid(2).
  case ended(status: Int32)
  /// There was no worker: fork(2) failed with this errno value.
  case notStarted(code: Int32)
}
