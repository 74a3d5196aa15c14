internal import TesseraPipeline
internal import TesseraPipelineFile
internal import TesseraSystem

enum RunCommand: Command {
  static let name = "run"
  static let keepsWork = true
  static let summary = "make what is new or changed, and write the catalog"

  private static let output = Option.output(
    "--output", "write here instead of into the pipeline's output")
  private static let layoutOnly = Flag(
    "--layout-only", "learn sizes only; images without files are pending")
  static let retryFailed = Flag(
    "--retry-failed", "request only what failed, is stale, or is new")
  private static let deadline = Option.duration(
    "--deadline", "stop after this time (50m); the catalog has what is done by then")

  private static let wait = Option.duration(
    "--wait", "wait this long (10m) for another run that holds the output")

  private static let allowShrink = Flag(
    "--allow-shrink", "accept a manifest that has lost more items than shrink-above")
  private static let allowLoss = Flag(
    "--allow-loss",
    "accept that more images are lost, or fail, than lost-above and fail-above allow")
  private static let shard = Option(
    "--shard", "I/N", "process one of N parts of the manifest, from 0/N on; see merge",
    expected: "a part and the number of parts, such as 0/8 or 7/8"
  ) { RunOptions.shard($0) }
  private static let partialOK = Flag(
    "--partial-ok", "exit status 0 also if some images failed")
  private static let takeOver = Flag(
    "--take-over", "replace the catalog of another pipeline")
  private static let metrics = Option.path(
    "--metrics", "FILE", "write metrics for the node exporter's textfile collector (FILE.prom)")
  private static let events = Option.path(
    "--events", "FILE", "write what happens as lines of JSON, as it happens; - is standard output",
    orStream: true)

  static let syntax = Syntax(
    [.optional("PIPELINE", .files)],
    text: """
      Reads the manifest, fetches what is new or changed, makes the files that are missing, and
      writes the catalog and run.json into the output. A run that was stopped resumes its work.
      PIPELINE is pipeline.yaml if it is not named.

      With --only, --only-failed or --only-host, only images that meet all of these are processed, as
      the manifest now has them, also a new one. The others keep their entries of the catalog, byte
      for byte, and nothing of theirs is requested; changes of other lines wait for the next run of
      all images. In all that shapes entries, the pipeline file has to be that of the catalog.

      --refresh, with one of these, ignores that a source is fresh, that it was rejected, and its
      copies: it is requested, and all files of the image are made again. If their bytes are the same,
      nothing changes.
      """,
    options: [PipelineOptions.manifest, output, layoutOnly, retryFailed]
      + SelectionOptions.all
      + [deadline, wait, shard, partialOK, allowShrink, allowLoss, takeOver, metrics, events],
    example: Example(
      "tessera run feed.yaml --deadline 50m",
      "Makes what is new, and ends within 50 minutes with a catalog of what is done by then."),
    statuses: [
      ExitMeaning(.done, "every image is there, or --partial-ok was given"),
      ExitMeaning(
        .someFailed,
        "some images failed, lines of the manifest could not be used, or the report not be printed"),
      ExitMeaning(
        .failed,
        "could not run, or fail-above, shrink-above or lost-above stopped it; the catalog stands"
      ),
      ExitMeaning(.busy, "another run holds the output"),
    ])

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    let loading = Result { try PipelineOptions.load(arguments, output: output) }
    let file = try? loading.get()
    let metrics = try metricsFile(arguments, file)
    let deadline = try arguments.value(deadline)
    let events = try arguments.value(events).map {
      try EventLog($0, of: file, deadline: deadline)
    }
    do {
      return try await run(arguments, try loading.get(), metrics, events)
    } catch {
      events?.end(failure: error)
      metrics?.record(failure: error, warn: Console.warn)
      throw error
    }
  }

  /// - Parameter file: nil if it can't be read.
  private static func metricsFile(
    _ arguments: Arguments, _ file: PipelineFile?
  ) throws -> MetricsFile? {
    try arguments.value(metrics).map { name in
      if !name.hasSuffix(".prom"), !arguments.has(CommonFlag.quiet) {
        Console.warn(
          "the textfile collector reads only files whose names end in .prom, and not \"\(name)\"")
      }
      return try MetricsFile(
        name, pipeline: PipelineOptions.path(arguments), file, shard: arguments.value(shard))
    }
  }

  private static func run(
    _ arguments: Arguments, _ file: PipelineFile, _ metrics: MetricsFile?, _ events: EventLog?
  ) async throws -> ExitStatus {
    let isQuiet = arguments.has(CommonFlag.quiet)
    if file.manifest.isReadOnce, Console.isInputTerminal, !isQuiet {
      Console.message("the manifest is read from the terminal; end it with Ctrl-D")
    }
    let observer = RunObserver(
      isQuiet: isQuiet, showsProgress: !arguments.has(CommonFlag.noProgress))
    // Progress is ended before anything else is written, an error included.
    defer { observer.finish() }
    let options = try options(arguments)
    Interruption.onFirstSignal {
      let isStopping = options.stop.request()
      if isStopping { observer.stopping() }
      return isStopping
    }
    let pipeline = Pipeline(file, arguments.has(layoutOnly) ? .layout : .everything, options)
    let report: RunReport
    do {
      report = try await waiting(for: try arguments.value(wait), observer) {
        try await pipeline.run(observer: RunObservers([observer] + (events.map { [$0] } ?? [])))
      }
    } catch let stop as CancellationError {
      observer.stopped()
      throw stop
    }
    events?.end(report) { observer.warn($0) }
    metrics?.record(report) { observer.warn($0) }
    observer.finish()
    if events?.hasLostStandardOutput == true {
      // The events say what the summary would.
    } else if arguments.has(CommonFlag.json) {
      Console.write(report.json)
    } else if !isQuiet {
      let summary = RunSummary(
        report, output: file.output, again: again(arguments), shard: options.shardName)
      // A log is read for what has changed.
      if !Console.isOutputTerminal, !arguments.has(retryFailed), let line = summary.line {
        Console.line(line)
      } else {
        for line in summary.lines + [pipeline.resultPath] { Console.line(line) }
      }
      if options.selection == nil { try printUnlisted(arguments, file) }
    }
    let isAccepted = arguments.has(partialOK) && !report.isIncomplete
    return report.hasFailures && !isAccepted ? .someFailed : .done
  }

  private static func printUnlisted(_ arguments: Arguments, _ file: PipelineFile) throws {
    for note in try UnlistedFiles.notes(PipelineOptions.path(arguments), file) {
      Console.message(note)
    }
  }

  /// How often a run that waits looks whether the output is free.
  private static let look = Duration.seconds(2)

  /// Runs once the output is free.
  ///
  /// - Throws: as the run if the output is still held after `patience`.
  private static func waiting(
    for patience: Duration?, _ observer: RunObserver, _ run: () async throws -> RunReport
  ) async throws -> RunReport {
    let end = ContinuousClock.now + (patience ?? .zero)
    var hasSaid = false
    while true {
      do {
        return try await run()
      } catch let error as TesseraError where error.code == .busy && ContinuousClock.now < end {
        if !hasSaid { observer.warn("\(error); waiting for it") }
        hasSaid = true
        try await Task.sleep(for: min(look, ContinuousClock.now.duration(to: end)))
      }
    }
  }

  /// The command that goes on with the same output.
  private static func again(_ arguments: Arguments) -> [String] {
    var words = ["tessera", "run"] + arguments.operands
    let kept: [any OptionSyntax] = [PipelineOptions.manifest, output]
    for option in kept {
      if let text = arguments.text(of: option) { words += [option.name, text] }
    }
    return words + (arguments.has(layoutOnly) ? [layoutOnly.name] : [])
  }

  private static func options(_ arguments: Arguments) throws -> RunOptions {
    var options = RunOptions(workerPath: try WorkerPath.find())
    options.deadline = try arguments.value(deadline)
    options.onlyFailed = arguments.has(retryFailed)
    options.allowsShrink = arguments.has(allowShrink)
    options.allowsLoss = arguments.has(allowLoss)
    options.takesOver = arguments.has(takeOver)
    options.shard = try arguments.value(shard)
    options.selection = try SelectionOptions.selection(arguments)
    guard options.selection == nil || options.shard == nil else {
      throw UsageError(
        "\(shard.name) makes the result of all images of a part, without \(SelectionOptions.names); run the whole "
          + "shard, or leave out \(shard.name)")
    }
    return options
  }
}
