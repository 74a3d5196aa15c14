enum StatusCommand: Command {
  static let name = "status"
  static let summary = "the last runs, what fails, what is kept and why, and how the output grows"

  private static let runs = Option.number(
    "--runs", "how many of the last runs are listed; default 5", in: 1...10_000)

  static let syntax = Syntax(
    [.one("OUTPUT", .folders)],
    text: """
      Prints what a person on call wants to know of an output: the last runs, the images that failed or
      are stale, by error and by host, what keeps files from prune and what prune would delete, the sizes
      of files and state, and when the disk is full if they go on growing. It takes no lock and changes
      nothing, also while a run is at work.
      """,
    options: [runs, OutputOptions.state],
    example: Example(
      "tessera status build/feed", "What happened to the output, and what to do about it."),
    statuses: [
      ExitMeaning(.done, "printed, whatever the last runs came to"),
      ExitMeaning(
        .someFailed,
        "printed, but the catalog, the state or a part of it is missing, damaged or can't be read"),
      ExitMeaning(.failed, "no run has left anything there, or it can't be read"),
    ])

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    let status = try await OutputStatus.read(
      arguments.operands[0], state: try arguments.value(OutputOptions.state))
    let count = try arguments.value(runs) ?? 5
    if arguments.has(CommonFlag.json) {
      Console.write(status.json(runs: count))
    } else {
      for line in StatusText(status, runs: count).lines { Console.line(line) }
    }
    return status.problems.isEmpty ? .done : .someFailed
  }
}
