internal import TesseraJSON

/// What a coordinator may request from a worker.
package enum WorkerRequest: Sendable, Equatable {
  case transcode(TranscodeJob)
  /// Make a part of a table.
  case table(TableJob)
  /// Compare two images.
  case compare(ComparisonJob)
  /// Test what the worker's libraries can do.
  case examine
}

extension WorkerRequest {
  package var line: [UInt8] {
    switch self {
    case .transcode(let job): job.line
    case .table(let job): job.line
    case .compare(let job): job.line
    case .examine: WireLine.object { $0.member("examine", true) }
    }
  }

  package init(line: [UInt8]) throws(WireError) {
    let message = try Message(line)
    if message.value["examine"] != nil {
      self = .examine
    } else if message.value["table"] != nil {
      self = .table(try TableJob(message))
    } else if message.value["compare"] != nil {
      self = .compare(try ComparisonJob(message))
    } else {
      self = .transcode(try TranscodeJob(message))
    }
  }
}
