/// A verb of the command line: reads its arguments, calls what does the work, prints what comes
/// out.
protocol Command: Sendable {
  static var name: String { get }
  /// One line for the list of commands.
  static var summary: String { get }
  static var syntax: Syntax { get }
  /// Whether the command resumes its work when it is run again after a signal.
  static var keepsWork: Bool { get }
  /// How long a signal may take to end the command.
  static var timeToStop: Duration { get }

  /// Called in a task that a signal cancels.
  static func run(_ arguments: Arguments) async throws -> ExitStatus
}

extension Command {
  static var keepsWork: Bool { false }
  static var timeToStop: Duration { .seconds(2) }

  /// What each exit status of the command means, by rising status.
  static var exitMeanings: [ExitMeaning] {
    (syntax.statuses + ExitMeaning.shared(keepsWork: keepsWork))
      .sorted { $0.status.rawValue < $1.status.rawValue }
  }
}
