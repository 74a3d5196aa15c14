/// One thing that a run depends on, and whether it is as it has to be.
struct HealthCheck: Sendable, Equatable {
  enum Kind: String, Sendable, CaseIterable {
    case limits, memory, clock, names
    // Of an output.
    case space, inodes, access, lock
    // Of a URL.
    case request, tls

    var meaning: String {
      switch self {
      case .limits: "how many files and processes a run may have open"
      case .memory: "the memory that a run may use"
      case .clock: "the clock of this machine, beside that of the server"
      case .names: "whether names of hosts can be resolved"
      case .space: "the free space of the output's disk"
      case .inodes: "the files that the output's disk can still take"
      case .access: "whether the output can be written, or the store reached"
      case .lock: "whether a run is at work on the output"
      case .request: "one request on the way to the image"
      case .tls: "its encryption"
      }
    }
  }

  var kind: Kind
  /// The output or the URL that it is about, as it was named; empty for the machine.
  var subject: String
  /// What was found.
  var value: String
  /// What does not work: a sentence without its full stop; nil if all is well.
  var problem: String?
  /// The command, or the key of the pipeline file, that repairs it. Not nil beside a problem.
  var fix: String?

  init(
    _ kind: Kind, _ subject: String, _ value: String, problem: String? = nil, fix: String? = nil
  ) {
    (self.kind, self.subject, self.value) = (kind, subject, value)
    (self.problem, self.fix) = (problem, fix)
  }

  /// Of the machine.
  init(_ kind: Kind, _ value: String, problem: String? = nil, fix: String? = nil) {
    self.init(kind, "", value, problem: problem, fix: fix)
  }
}
