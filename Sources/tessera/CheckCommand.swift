internal import TesseraJSON
internal import TesseraManifest
internal import TesseraPipeline
internal import TesseraPipelineFile
internal import TesseraSystem

enum CheckCommand: Command {
  static let name = "check"
  static let summary = "find every mistake in a pipeline file and its manifest"
  static let syntax = Syntax(
    operands: "PIPELINE", operandCount: 1...1,
    text: """
      Reads the pipeline file and the whole manifest as a run would, and reports what is wrong with
      them. Touches neither the network nor the output. With --probe, the first bytes of each picture
      are asked for, too: what can't be fetched or would not be let in is reported. Exit status 2
      where the pipeline file can't be used, 1 where lines of the manifest can't.
      """,
    options: [
      .init("--probe", nil, "look at each picture; also needed for a manifest at a URL"),
      .init(
        "--manifest", "PATH", "read this path or URL instead of the pipeline's; - is standard input"
      ),
    ])

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    let file = try PipelineFile.load(arguments)
    let isJSON = arguments.has("--json")
    let name =
      switch file.manifest {
      case .file(let path): path
      case .url(let url): file.shown(url)
      case .standardInput: "standard input"
      }
    var problems: [ManifestProblem] = []
    let report = try await Pipeline.check(file, probes: arguments.has("--probe")) { problem in
      if isJSON {
        // All are counted; so many are told.
        if problems.count < 10_000 { problems.append(problem) }
      } else {
        StandardStream.output.write(
          "\(name):\(problem.line): error: \(problem.message)\n".printableLine)
      }
    }
    if isJSON {
      StandardStream.output.write(json(report, problems))
    } else {
      let verdict =
        report.problemCount == 0
        ? "no mistakes" : "\(Amount.count(report.problemCount, "line")) can't be used"
      StandardStream.output.write("\(Amount.count(report.items, "item")), \(verdict)\n")
    }
    return report.problemCount == 0 ? .done : .someFailed
  }

  private static func json(_ report: CheckReport, _ problems: [ManifestProblem]) -> String {
    var writer = JSONWriter(indent: 2)
    writer.object { object in
      object.member("items", report.items)
      object.member("repeated", report.repeated)
      object.member("problemCount", report.problemCount)
      object.name("problems")
      object.array { list in
        for problem in problems {
          list.object { entry in
            entry.member("line", problem.line)
            entry.member("message", problem.message)
          }
        }
      }
    }
    return writer.text + "\n"
  }
}

extension String {
  /// ``printable``, with the line's own end kept.
  var printableLine: String { hasSuffix("\n") ? String(dropLast()).printable + "\n" : printable }
}
