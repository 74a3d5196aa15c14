internal import TesseraImageHeader
internal import TesseraManifest
internal import TesseraPipeline
internal import TesseraPipelineFile
internal import TesseraPlan
internal import TesseraProbe
internal import TesseraSystem
internal import TesseraText

enum PlanCommand: Command {
  static let name = "plan"
  static let summary = "what would be made, and its price; makes nothing"
  static let syntax = Syntax(
    operands: "PIPELINE", operandCount: 1...1,
    text: """
      Works out the files for every picture of the manifest whose size is known from earlier runs:
      how many are asked for, made and shared, how many more pixels rounding delivers than were
      asked for, and about how many bytes that is. With --probe, sizes that are not known are asked
      of the network. With --picture, the files for one picture, slot by slot.
      """,
    options: [
      .init("--probe", nil, "learn the sizes that are not known from the pictures' first bytes"),
      .init(
        "--rounding", "LADDER",
        "compare exact, half-steps, power-of-two or 320,640,…; may be repeated"),
      .init("--picture", "PICTURE", "a size such as 4000x3000, a file or a URL"),
      .init(
        "--manifest", "PATH", "read this path or URL instead of the pipeline's; - is standard input"
      ),
      .init("--output", "DIR", "look here for what is known, instead of in the pipeline's output"),
    ])

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    let ladders = try ladders(arguments)
    let file = try PipelineFile.load(arguments)
    if let picture = arguments.value("--picture") {
      let source = try await source(picture, file)
      let plans = (ladders.isEmpty ? [file.plan.rounding] : ladders).map { rounding in
        var settings = file.plan
        settings.rounding = rounding
        return PictureTable(rounding, Plan(for: source, settings: settings), of: source)
      }
      StandardStream.output.write(
        arguments.has("--json")
          ? PictureTable.json(plans) : plans.map(\.text).joined(separator: "\n"))
      return .done
    }
    let isProbing = arguments.has("--probe")
    let isQuiet = arguments.has("--quiet")
    let summary = try await Interruption.cancelling {
      try await Pipeline.plan(file, ladders: ladders, probes: isProbing) { problem in
        guard !isQuiet else { return }
        StandardStream.error.write(
          "manifest line \(problem.line): \(problem.message)\n".printableLine)
      }
    }
    StandardStream.output.write(
      arguments.has("--json") ? summary.json : summary.text(isProbing: isProbing))
    return .done
  }

  private static func ladders(_ arguments: Arguments) throws(UsageError) -> [Rounding] {
    var ladders: [Rounding] = []
    for text in arguments.all("--rounding") {
      guard let ladder = Rounding(name: text) else {
        let names = Rounding.named.map(\.name)
        throw UsageError(
          "--rounding must be \(names.joined(separator: ", ")) or sizes such as 320,640,1280, "
            + "found \"\(text)\"" + Nearest.hint(for: text, among: names))
      }
      if !ladders.contains(ladder) { ladders.append(ladder) }
    }
    return ladders
  }

  /// What a plan must know of the one picture that is asked about.
  private static func source(
    _ picture: String, _ file: PipelineFile
  ) async throws -> PlanSource {
    let sides = picture.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
    if sides.count == 2, let width = sides[0], let height = sides[1] {
      guard (1...10_000_000).contains(width), (1...10_000_000).contains(height) else {
        throw UsageError(
          "--picture must be of 1x1 to 10000000x10000000 pixels, found \"\(picture)\"")
      }
      return PlanSource(size: Size(width, height))
    }
    switch try await Pipeline.probe(picture, as: file) {
    case .success(let source): return source
    case .failure(let failure):
      throw PictureError(source: file.shown(picture), failure: failure)
    }
  }

  private struct PictureError: Error, CustomStringConvertible {
    var source: String
    var failure: Prober.Failure

    var description: String { "\(source): \(failure.message) (\(failure.code))" }
  }
}
