internal import TesseraPipeline
internal import TesseraPipelineFile

enum PlanCommand: Command {
  static let name = "plan"
  static let summary = "what the next run will do, and the price of all files; makes nothing"

  private static let probe = Flag("--probe", "probe the images whose sizes are not known")
  private static let rounding = Option(
    "--rounding", "LADDER",
    "compare exact, half-steps, power-of-two or 320,640,…; may be repeated",
    expected: "\(Ladder.names.joined(separator: ", ")) or sizes such as 320,640,1280",
    completes: .words(Ladder.names)
  ) { Ladder(name: $0) }
  private static let fit = Option.number(
    "--fit", "compute the best ladder with this number of rungs", in: 1...64)
  private static let by = Option<LadderCost>.choice(
    "--by", "COST", "what the best ladder costs least of: bytes (estimated; the default) or pixels")
  private static let writes = Flag("--write", "put the best ladder into the pipeline file")
  private static let log = Option(
    "--log", "FILE",
    "count views in a server's access log, in place of the weights; may be repeated",
    completes: .files)
  private static let oneImage = Option(
    "--picture", "IMAGE", "a size such as 4000x3000, a file or a URL", completes: .files)
  private static let output = Option.output(
    "--output", "read the known sizes here instead of in the pipeline's output")

  static let syntax = Syntax(
    [.optional("PIPELINE", .files)],
    text: """
      If the output has had a run, says first what the next one will do: images that are new, changed,
      gone, fresh, to be revalidated, fetched or tried again; requests, files, time and disk; and a
      guard that would stop it. It sends no request but for a manifest at a URL. The numbers hold if
      every origin answers as the last time; a second line has the most that a run takes. With --only,
      --only-failed or --only-host, this is about these images, and nothing else is printed.

      Then it computes the files for every image whose size is known: how many are requested, needed
      and shared, how many more pixels rounding delivers, and about how many bytes. --probe reads the
      other sizes from the images' first bytes. --picture computes the files for one image.

      It also says what a view of an image fetches, on average over slots and scales by their weights,
      and how much more that is than with exact sizes. --fit computes the ladder of so many rungs with
      the cheapest views; a run never chooses one by itself. --log counts views by server logs: in the
      combined format of nginx, Apache and Caddy, of CloudFront, or of a JSON object on a line.
      """,
    options: [probe, rounding, fit, by, writes, log, oneImage] + SelectionOptions.all
      + [RunCommand.retryFailed, PipelineOptions.manifest, output],
    example: Example(
      "tessera plan feed.yaml --picture 4000x3000",
      "The files that a photograph of 4000 x 3000 pixels needs, slot by slot."),
    statuses: [
      ExitMeaning(.done, "computed"),
      ExitMeaning(.failed, "the pipeline file or the manifest can't be used"),
    ])

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    var ladders: [Ladder] = []
    for ladder in try arguments.all(rounding) where !ladders.contains(ladder) {
      ladders.append(ladder)
    }
    let file = try PipelineOptions.load(arguments, output: output)
    let isJSON = arguments.has(CommonFlag.json)
    let wanted = try arguments.value(fit)
    let logs = try arguments.all(log)
    let selection = try SelectionOptions.selection(arguments)
    let isOfLadders = !ladders.isEmpty || wanted != nil || !logs.isEmpty
    guard selection == nil || !isOfLadders && arguments.text(of: oneImage) == nil else {
      throw UsageError(
        "\(SelectionOptions.names) is about the next run, and the other options are about the price of all files"
      )
    }
    if let name = try arguments.value(oneImage) {
      guard logs.isEmpty else { throw UsageError("--log is for a manifest, not for one image") }
      let plans = try await ImagePlan.compare(try subject(name), as: file, ladders: ladders)
      if wanted != nil {
        let summary = PlanSummary(of: plans, cost: try arguments.value(by), file.plan)
        try finish(summary, LadderChoice(summary, wanted: wanted), file, arguments)
      } else if isJSON {
        Console.write(ImagePlan.json(plans))
      } else {
        Console.write(plans.map(\.text).joined(separator: "\n"))
      }
      return .done
    }
    let forecast = try await forecast(file, selection, !isOfLadders, arguments)
    if let forecast, selection != nil {
      if isJSON { Console.write(forecast.document) } else { Console.write(forecast.text) }
      return .done
    }
    let views = try logs.isEmpty ? nil : AccessLog(reading: logs)
    let isQuiet = arguments.has(CommonFlag.quiet)
    var planner = try await ManifestPlanner(
      file, ladders: ladders, cost: try arguments.value(by), countsFiles: wanted == nil,
      log: views, probes: arguments.has(probe))
    let problems = MessageCap.manifestLines
    let summary = try await planner.run { line, message in
      guard !isQuiet, let text = problems.text(for: "manifest line \(line): \(message)") else {
        return
      }
      Console.message(text)
    }
    if !isOfLadders, !isJSON { Console.write(text(of: forecast, file)) }
    try finish(summary, LadderChoice(summary, wanted: wanted), file, arguments, forecast)
    return .done
  }

  /// What the next run will do; nil if that is not known, or not of interest.
  private static func forecast(
    _ file: PipelineFile, _ selection: RunSelection?, _ isOfInterest: Bool, _ arguments: Arguments
  ) async throws -> RunForecast? {
    guard isOfInterest || selection != nil else { return nil }
    var options = RunOptions(workerPath: try WorkerPath.find())
    options.selection = selection
    options.onlyFailed = arguments.has(RunCommand.retryFailed)
    let forecast = try await Pipeline(file, .everything, options).forecast()
    guard forecast != nil || selection == nil else {
      throw UsageError(
        "what a run of some images will do is known after a run of all; the output has had none, or the manifest is "
          + "standard input")
    }
    return forecast
  }

  private static func text(of forecast: RunForecast?, _ file: PipelineFile) -> String {
    if let forecast { return forecast.text + "\n" }
    return file.manifest.isReadOnce
      ? ""
      : "next run: no run of this output is complete yet; it requests each source that is not known, and bytes, time "
        + "and files are known after it\n\n"
  }

  private static func finish(
    _ summary: PlanSummary, _ choice: LadderChoice, _ file: PipelineFile, _ arguments: Arguments,
    _ forecast: RunForecast? = nil
  ) throws {
    if arguments.has(writes) { try RoundingEdit.write(choice, into: file) }
    if arguments.has(CommonFlag.json) {
      Console.write(summary.json(choice, next: forecast))
    } else {
      Console.write(summary.text(isProbing: arguments.has(probe), choice))
    }
  }

  /// A size in pixels, or else the name of a source.
  private static func subject(_ text: String) throws(UsageError) -> ImagePlan.Subject {
    let sides = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
    guard sides.count == 2, let width = sides[0], let height = sides[1] else {
      return .source(text)
    }
    // VIPS_MAX_COORD of libvips 8.14, the longest side that a run accepts.
    guard (1...10_000_000).contains(width), (1...10_000_000).contains(height) else {
      throw UsageError(
        "\(oneImage.name) must have 1x1 to 10000000x10000000 pixels, found \"\(text)\"")
    }
    return .size(width: width, height: height)
  }
}
