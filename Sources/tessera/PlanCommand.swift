internal import TesseraFiles
internal import TesseraJSON
internal import TesseraManifest
internal import TesseraPipeline
internal import TesseraPipelineFile

enum PlanCommand: Command {
  static let name = "plan"
  static let summary = "what would be made, and its price; makes nothing"
  static let syntax = Syntax(
    operands: "PIPELINE", operandCount: 1...1,
    text: """
      Works out the files for every picture of the manifest whose size is known from earlier runs:
      how many are asked for, made and shared, and how many more pixels rounding delivers than were
      asked for. With --probe, sizes that are not known are asked of the network.
      """,
    options: [
      .init("--probe", nil, "learn the sizes that are not known from the pictures' first bytes"),
      .init(
        "--manifest", "PATH", "read this manifest instead of the pipeline's; - is standard input"),
      .init("--output", "DIR", "look here for what is known, instead of in the pipeline's output"),
    ])

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    let file = try PipelineFile.load(arguments)
    let isProbing = arguments.has("--probe")
    let isQuiet = arguments.has("--quiet")
    let summary = try await Interruption.cancelling {
      try await Pipeline.plan(file, probes: isProbing) { problem in
        guard !isQuiet else { return }
        StandardStream.error.write(
          "manifest line \(problem.line): \(problem.message)\n".printableLine)
      }
    }
    StandardStream.output.write(
      arguments.has("--json") ? json(summary) : text(summary, isProbing: isProbing))
    return .done
  }

  private static func text(_ summary: PlanSummary, isProbing: Bool) -> String {
    var lines = ["\(Amount.count(summary.items, "picture")) in the manifest"]
    if summary.unknown > 0 {
      lines.append(
        "\(summary.unknown) of them of unknown size"
          + (isProbing ? "" : "; --probe asks the network for them"))
    }
    if summary.asked > 0 {
      lines.append(
        "\(summary.asked) files asked for, \(summary.made) made, \(summary.shared) shared")
      lines.append("\(Amount.percent(summary.overDelivery)) more pixels delivered than asked for")
      for (reason, count) in summary.fallbacks.sorted(by: { $0.key < $1.key }) {
        lines.append("\(count) in another format (\(reason))")
      }
      lines.append("longer side  files")
      for (length, count) in summary.rungs.sorted(by: { $0.key < $1.key }) {
        let left = String(length)
        lines.append(String(repeating: " ", count: max(0, 11 - left.count)) + left + "  \(count)")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func json(_ summary: PlanSummary) -> String {
    var writer = JSONWriter(indent: 2)
    writer.object { object in
      object.member("items", summary.items)
      object.member("unknown", summary.unknown)
      object.member("asked", summary.asked)
      object.member("made", summary.made)
      object.member("shared", summary.shared)
      object.member("pixelsAsked", Int(summary.pixelsAsked))
      object.member("pixelsDelivered", Int(summary.pixelsDelivered))
      object.name("rungs")
      object.object { list in
        for (length, count) in summary.rungs.sorted(by: { $0.key < $1.key }) {
          list.member(String(length), count)
        }
      }
      object.name("fallbacks")
      object.object { list in
        for (reason, count) in summary.fallbacks.sorted(by: { $0.key < $1.key }) {
          list.member(reason, count)
        }
      }
    }
    return writer.text + "\n"
  }
}
