internal import TesseraJSON

/// The result of one test of a worker's libraries.
package struct ExaminationCheck: Sendable, Equatable {
  package enum Kind: String, Sendable, CaseIterable {
    /// Decode a format.
    case read
    /// Encode a format and decode the result.
    case write
    /// Turn an image upright.
    case turn
    /// Convert colours to sRGB.
    case colour
  }

  package var kind: Kind
  /// What was tested: a format, an orientation, a kind of colour.
  package var subject: String
  /// A sentence without its full stop; nil if the test succeeded.
  package var problem: String?

  package init(_ kind: Kind, _ subject: String, problem: String?) {
    self.kind = kind
    self.subject = subject
    self.problem = problem
  }
}

/// The reply to ``WorkerRequest/examine``.
package enum Examination {
  package static func line(_ checks: [ExaminationCheck]) -> [UInt8] {
    WireLine.object { object in
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
  }

  package static func checks(line: [UInt8]) throws(WireError) -> [ExaminationCheck] {
    var checks: [ExaminationCheck] = []
    for entry in try Message(line).objects("examined") {
      checks.append(
        ExaminationCheck(
          try entry.choice("kind"), try entry.string("subject"),
          problem: entry.value["problem"]?.stringValue))
    }
    return checks
  }
}
