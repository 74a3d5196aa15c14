internal import TesseraConsole
internal import TesseraPipeline
internal import TesseraPreview

enum DoctorCommand: Command {
  static let name = "doctor"
  static let summary = "what this machine's libvips can read, write, rotate and colour-manage"
  static let syntax = Syntax(
    text: """
      Starts a worker that decodes, encodes, rotates and converts small images of every kind, and
      prints the results, and how the kernel confines workers.
      """,
    example: Example(
      "tessera doctor --json", "The same for a program that watches machines."),
    statuses: [
      ExitMeaning(.done, "everything works"),
      ExitMeaning(.someFailed, "something does not work"),
      ExitMeaning(.failed, "no worker can be started"),
    ])

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    let doctor = try await Doctor.examine(workerPath: WorkerPath.find())
    if arguments.has(CommonFlag.json) {
      Console.write(doctor.json)
    } else {
      for line in lines(of: doctor) { Console.line(line) }
    }
    return doctor.isWell ? .done : .someFailed
  }

  private static func lines(of doctor: Doctor) -> [String] {
    func list(_ kind: Doctor.Kind, separator: String = " ") -> String {
      let working = doctor.checks.filter { $0.kind == kind && $0.problem == nil }
      return working.isEmpty ? "nothing" : working.map(\.subject).joined(separator: separator)
    }
    let files =
      doctor.landlock > 0
      ? "workers only reach libraries and fonts (Landlock \(doctor.landlock))"
      : "this kernel can't keep workers from files (no Landlock)"
    let network =
      doctor.hasSeccomp
      ? "workers have none, and can't start processes (seccomp)"
      : "this kernel can't keep workers from it (no seccomp)"
    let problems = doctor.checks.compactMap { check in
      check.problem.map { "can't \(check.kind.rawValue) \(check.subject): \($0)" }
    }
    return [
      "tessera \(Version.number), libvips \(doctor.libvips), "
        + Amount.count(doctor.processors, "processor"),
      "reads     \(list(.read))",
      "writes    \(list(.write))",
      "turns     orientations \(list(.turn))",
      "colours   \(list(.colour, separator: ", "))",
      "files     \(files)",
      "network   \(network)",
    ] + problems
  }
}
