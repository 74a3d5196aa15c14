internal import TesseraJSON
internal import TesseraPipeline
internal import TesseraSystem
internal import TesseraWire

enum DoctorCommand: Command {
  static let name = "doctor"
  static let summary = "what this machine's libvips can read, write, rotate and colour-manage"
  static let syntax = Syntax(
    operands: "", operandCount: 0...0,
    text: """
      Has a worker decode, encode, turn and convert small pictures of every kind, and tells what came
      out, and what of the kernel's means keeps workers in. Exit status 1 where something does not
      work, 2 where no worker can be started.
      """,
    options: [])

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    let doctor = try await Doctor.examine(workerPath: RunCommand.workerPath())
    StandardStream.output.write(arguments.has("--json") ? json(doctor) : text(doctor))
    return doctor.isWell ? .done : .someFailed
  }

  private static func text(_ doctor: Doctor) -> String {
    let confinement = doctor.confinement
    func list(_ kind: ExaminationCheck.Kind) -> String {
      let good = doctor.checks.filter { $0.kind == kind && $0.problem == nil }
      return good.isEmpty
        ? "nothing" : good.map(\.subject).joined(separator: kind == .colour ? ", " : " ")
    }
    var lines = [
      "tessera \(Version.number), libvips \(doctor.libvips), "
        + Amount.count(doctor.processors, "processor"),
      "reads     \(list(.read))",
      "writes    \(list(.write))",
      "turns     orientations \(list(.turn))",
      "colours   \(list(.colour))",
      "files     "
        + (confinement.landlock > 0
          ? "workers are kept to libraries, fonts and their two folders (Landlock \(confinement.landlock))"
          : "this kernel can't keep workers to their folders (no Landlock)"),
      "network   "
        + (confinement.hasSeccomp
          ? "workers have none, and start no processes (seccomp)"
          : "this kernel can't keep workers from it (no seccomp)"),
    ]
    for check in doctor.checks {
      if let problem = check.problem {
        lines.append("does not \(check.kind.rawValue) \(check.subject): \(problem)")
      }
    }
    return lines.map(\.printable).joined(separator: "\n") + "\n"
  }

  private static func json(_ doctor: Doctor) -> String {
    var writer = JSONWriter(indent: 2)
    writer.object { object in
      object.member("version", Version.number)
      object.member("libvips", doctor.libvips)
      object.member("processors", doctor.processors)
      object.member("landlock", doctor.confinement.landlock)
      object.member("seccomp", doctor.confinement.hasSeccomp)
      object.name("checks")
      object.array { list in
        for check in doctor.checks {
          list.object { entry in
            entry.member("kind", check.kind.rawValue)
            entry.member("subject", check.subject)
            entry.member("ok", check.problem == nil)
            if let problem = check.problem { entry.member("problem", problem) }
          }
        }
      }
    }
    return writer.text + "\n"
  }
}
