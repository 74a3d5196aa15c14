/// How a worker ended: the only line that the fork server sends on the worker's control channel.
package enum WorkerEnd: Sendable, Equatable, Codable {
  /// The status of waitpid(2).
  case ended(status: Int32)
  /// There was no worker: fork(2) failed with this errno value.
  case notStarted(code: Int32)
}
