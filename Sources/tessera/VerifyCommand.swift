internal import TesseraJSON
internal import TesseraOutputTools
internal import TesseraPipeline
internal import TesseraSystem

enum VerifyCommand: Command {
  static let name = "verify"
  static let summary = "every file the catalog names is there, whole, and of the stated size"
  static let syntax = Syntax(
    operands: "OUTPUT", operandCount: 1...1,
    text: """
      Looks at every file that the catalog of an output names: whether it is there, has as many bytes
      and pixels as the catalog says, and with --deep whether its content is still what its name says.
      Exit status 1 where something is wrong, 2 where there is no catalog.
      """,
    options: [
      .init("--deep", nil, "read every file, and compare its SHA-256 with its name"),
      .init("--remove-broken", nil, "delete what is broken, so that the next run makes it anew"),
    ])

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    let isJSON = arguments.has("--json")
    let verification = Verification(
      arguments.operands[0], isDeep: arguments.has("--deep"),
      removesBroken: arguments.has("--remove-broken"))
    var problems: [Verification.Problem] = []
    let report = try verification.run { problem in
      if isJSON {
        // All are counted; so many are told.
        if problems.count < 10_000 { problems.append(problem) }
      } else {
        StandardStream.output.write(
          "\(problem.id): the file \(problem.path) \(problem.reason)\n".printableLine)
      }
    }
    if isJSON {
      StandardStream.output.write(json(report, problems))
    } else if !arguments.has("--quiet") {
      let verdict =
        report.problems == 0 ? "all is well" : "\(Amount.count(report.problems, "problem"))"
      let removed =
        report.removed > 0
        ? "; \(Amount.count(report.removed, "file")) deleted, run again to make them anew" : ""
      StandardStream.output.write(
        "\(Amount.count(report.files, "file")) of \(Amount.count(report.images, "picture")): "
          + "\(verdict)\(removed)\n")
    }
    return report.problems == 0 ? .done : .someFailed
  }

  private static func json(
    _ report: Verification.Report, _ problems: [Verification.Problem]
  ) -> String {
    var writer = JSONWriter(indent: 2)
    writer.object { object in
      object.member("images", report.images)
      object.member("files", report.files)
      object.member("problemCount", report.problems)
      object.member("removed", report.removed)
      object.name("problems")
      object.array { list in
        for problem in problems {
          list.object { entry in
            entry.member("id", problem.id)
            entry.member("path", problem.path)
            entry.member("message", "The file \(problem.reason).")
          }
        }
      }
    }
    return writer.text + "\n"
  }
}
