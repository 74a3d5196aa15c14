internal import TesseraJSON

/// How a worker ended: the only line that the fork server sends on the worker's control channel.
package enum WorkerEnd: Sendable, Equatable {
  /// The status of waitpid(2).
  case ended(status: Int32)
  /// There was no worker: fork(2) failed with this errno value.
  case notStarted(code: Int32)
}

extension WorkerEnd {
  package var line: [UInt8] {
    WireLine.object { object in
      switch self {
      case .ended(let status): object.member("ended", Int(status))
      case .notStarted(let code): object.member("notStarted", Int(code))
      }
    }
  }

  package init(line: [UInt8]) throws(WireError) {
    let message = try Message(line)
    self =
      message.value["ended"] == nil
      ? .notStarted(code: Int32(truncatingIfNeeded: try message.int("notStarted")))
      : .ended(status: Int32(truncatingIfNeeded: try message.int("ended")))
  }
}
