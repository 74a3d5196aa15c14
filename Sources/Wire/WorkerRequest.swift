internal import TesseraJSON

/// What a coordinator may request from a worker.
package enum WorkerRequest: Sendable, Equatable {
  case transcode(TranscodeJob)
  /// Test what the worker's libraries can do, with temporary files in a folder that it may write
  /// to.
  case examine(folder: String)
}

extension WorkerRequest {
  package var line: [UInt8] {
    switch self {
    case .transcode(let job): job.line
    case .examine(let folder): WireLine.object { $0.member("examine", folder) }
    }
  }

  package init(line: [UInt8]) throws(WireError) {
    let message = try Message(line)
    guard message.value["examine"] != nil else {
      self = .transcode(try TranscodeJob(message))
      return
    }
    self = .examine(folder: try message.string("examine"))
  }
}
