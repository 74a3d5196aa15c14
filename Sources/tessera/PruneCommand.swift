internal import TesseraJSON
internal import TesseraOutputTools
internal import TesseraPipeline
internal import TesseraPipelineFile
internal import TesseraSystem
internal import TesseraText

enum PruneCommand: Command {
  static let name = "prune"
  static let summary = "delete variants that the catalog no longer names (--dry-run)"
  static let syntax = Syntax(
    operands: "OUTPUT", operandCount: 1...1,
    text: """
      Deletes files below variants that the catalog of an output does not name, a while after prune has
      first seen that, so that clients with yesterday's catalog still find theirs. Call it after each run.
      """,
    options: [
      .init("--dry-run", nil, "tell what would be deleted, and delete nothing"),
      .init("--grace", "TIME", "how long files stay that are named no more; 7d"),
    ])

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    let grace =
      try arguments.value("--grace").map { text in
        guard let time = Units.duration(text) else {
          throw UsageError("--grace must be a time such as 0s, 12h or 7d, found \"\(text)\"")
        }
        return time
      } ?? .seconds(7 * 86_400)
    let isDry = arguments.has("--dry-run")
    let isJSON = arguments.has("--json")
    let report = try await Pruning(arguments.operands[0], grace: grace, isDry: isDry).run {
      path, _ in
      if isDry, !isJSON { StandardStream.output.write("\(path)\n".printableLine) }
    }
    if isJSON {
      StandardStream.output.write(json(report))
    } else if !arguments.has("--quiet") {
      var text =
        "\(Amount.count(report.deleted, "file")) \(isDry ? "would be deleted" : "deleted") "
        + "(\(Amount.bytes(report.deletedBytes))), \(report.kept) kept"
      if report.waiting > 0 {
        text += ", \(report.waiting) wait (\(Amount.bytes(report.waitingBytes)))"
      }
      if report.foreign > 0 { text += ", \(report.foreign) are none of tessera's" }
      StandardStream.output.write(text + "\n")
    }
    return .done
  }

  private static func json(_ report: Pruning.Report) -> String {
    var writer = JSONWriter(indent: 2)
    writer.object { object in
      object.member("kept", report.kept)
      object.member("deleted", report.deleted)
      object.member("deletedBytes", report.deletedBytes)
      object.member("waiting", report.waiting)
      object.member("waitingBytes", report.waitingBytes)
      object.member("foreign", report.foreign)
    }
    return writer.text + "\n"
  }
}
