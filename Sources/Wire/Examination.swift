internal import TesseraJSON

/// What a coordinator may ask of a worker.
package enum WorkerRequest: Sendable, Equatable {
  case transcode(TranscodeJob)
  /// Try what the worker's libraries can do, with files in a folder that it may write in.
  case examine(folder: String)
}

/// One thing that a worker has tried.
package struct ExaminationCheck: Sendable, Equatable {
  package enum Kind: String, Sendable, CaseIterable {
    /// Decode a format.
    case read
    /// Encode a format, and decode what came out.
    case write
    /// Turn a picture upright.
    case turn
    /// Bring colours to sRGB.
    case colour
  }

  package var kind: Kind
  /// What was tried: a format, an orientation, a kind of colour.
  package var subject: String
  /// A sentence without its full stop; nil where it went well.
  package var problem: String?

  package init(_ kind: Kind, _ subject: String, problem: String?) {
    self.kind = kind
    self.subject = subject
    self.problem = problem
  }
}

extension WorkerRequest {
  package var line: [UInt8] {
    switch self {
    case .transcode(let job): return job.line
    case .examine(let folder):
      var writer = JSONWriter()
      writer.object { $0.member("examine", folder) }
      return writer.take() + [UInt8(ascii: "\n")]
    }
  }

  package init(line: [UInt8]) throws(WireError) {
    let message = try Message(line)
    guard message.value["examine"] != nil else {
      self = .transcode(try TranscodeJob(line: line))
      return
    }
    self = .examine(folder: try message.string("examine"))
  }
}

/// The answer to ``WorkerRequest/examine(folder:)``.
package enum Examination {
  package static func line(_ checks: [ExaminationCheck]) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { object in
      object.name("examined")
      object.array { list in
        for check in checks {
          list.object { entry in
            entry.member("kind", check.kind.rawValue)
            entry.member("subject", check.subject)
            if let problem = check.problem { entry.member("problem", problem) }
          }
        }
      }
    }
    return writer.take() + [UInt8(ascii: "\n")]
  }

  package static func checks(line: [UInt8]) throws(WireError) -> [ExaminationCheck] {
    var checks: [ExaminationCheck] = []
    for entry in try Message(line).list("examined") {
      guard let kind = ExaminationCheck.Kind(rawValue: try entry.string("kind")) else {
        throw WireError(message: "an unknown kind of check")
      }
      checks.append(
        ExaminationCheck(
          kind, try entry.string("subject"), problem: entry.value["problem"]?.stringValue))
    }
    return checks
  }
}
