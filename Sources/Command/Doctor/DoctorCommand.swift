internal import TesseraPipeline

enum DoctorCommand: Command {
  static let name = "doctor"
  static let summary = "what this machine can do for a run, and what keeps it from one"

  static let syntax = Syntax(
    [.any("OUTPUT|URL", .folders)],
    text: """
      Starts a worker that decodes, encodes, rotates and converts small images of every kind, and
      prints the results, how the kernel confines workers, and the limits, memory, clock and name
      resolution of this machine. Of each OUTPUT it prints what is left on its file system, whether it
      can be written, and whether a run is at work on it. An operand that begins with http:// or
      https:// is a URL: it is requested as a run would, and each hop is printed. Without one, nothing
      is sent. For each shortfall there is a line with what repairs it.
      """,
    options: [NetworkOptions.allow],
    example: Example(
      "tessera doctor build/feed https://example.com/a.jpg",
      "Whether a run could write there, and how the server is reached."),
    statuses: [
      ExitMeaning(.done, "everything works"),
      ExitMeaning(.someFailed, "something does not work"),
      ExitMeaning(.failed, "no worker can be started"),
    ])

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    for operand in arguments.operands where Doctor.isHostWithPath(operand) {
      throw UsageError(
        "there is no folder \"\(operand)\"; if it is a URL, write https://\(operand); if a run is to "
          + "create it, ./\(operand)")
    }
    for operand in arguments.operands where !Doctor.takes(operand) {
      // Not the operand itself, which may hold a password.
      let scheme = operand.prefix { $0 != ":" }
      throw UsageError("doctor takes outputs and http(s) URLs, and no URL of \"\(scheme)\"")
    }
    let doctor: Doctor
    do {
      doctor = try await Doctor.examine(
        workerPath: WorkerPath.find(), places: arguments.operands,
        allow: try arguments.all(NetworkOptions.allow))
    } catch {
      // The likely reasons.
      for line in Doctor.shortfallsOfMachine { Console.message(line) }
      throw error
    }
    if arguments.has(CommonFlag.json) {
      Console.write(doctor.json)
    } else {
      for line in doctor.lines { Console.line(line) }
    }
    return doctor.isWell ? .done : .someFailed
  }
}
