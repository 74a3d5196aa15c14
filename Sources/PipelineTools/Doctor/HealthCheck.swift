internal import TesseraJSON

/// One thing that a run depends on, and whether it is as it has to be.
package struct HealthCheck: Sendable, Equatable {
  package enum Kind: String, Sendable, CaseIterable {
    /// Open files and processes.
    case limits
    case memory
    case clock
    /// The resolution of names.
    case names
    /// Free space and inodes of an output's file system.
    case space, inodes
    /// Whether an output can be written, or a store reached.
    case access
    /// Whether a run is at work on an output.
    case lock
    /// One hop on the way to a URL, and its encryption.
    case request, tls
  }

  package var kind: Kind
  /// The output or the URL that it is about, as it was named; empty for the machine.
  package var subject: String
  /// What was found.
  package var value: String
  /// What does not work: a sentence without its full stop; nil if all is well.
  package var problem: String?
  /// The command, or the key of the pipeline file, that repairs it. Not nil beside a problem.
  package var fix: String?

  package init(
    _ kind: Kind, _ subject: String, _ value: String, problem: String? = nil, fix: String? = nil
  ) {
    (self.kind, self.subject, self.value) = (kind, subject, value)
    (self.problem, self.fix) = (problem, fix)
  }

  /// Of the machine.
  init(_ kind: Kind, _ value: String, problem: String? = nil, fix: String? = nil) {
    self.init(kind, "", value, problem: problem, fix: fix)
  }

  func write(to entry: inout JSONWriter) {
    entry.member("kind", kind.rawValue)
    if !subject.isEmpty { entry.member("subject", subject) }
    entry.member("value", value)
    entry.member("ok", problem == nil)
    if let problem { entry.member("problem", problem) }
    if let fix { entry.member("fix", fix) }
  }
}
