internal import TesseraConsole
internal import TesseraPipeline
internal import TesseraPipelineFile

enum RunCommand: Command {
  static let name = "run"
  static let keepsWork = true
  static let summary = "make what is new or changed, and write the catalog"

  private static let output = Option(
    "--output", "DIR", "write here instead of into the pipeline's output")
  private static let layoutOnly = Flag(
    "--layout-only", "learn sizes only; images without files are pending")
  private static let retryFailed = Flag(
    "--retry-failed", "request only what failed, is stale, or is new")
  private static let refreshQuality = Flag(
    "--refresh-quality", "find automatic qualities again, and make the files with them")
  private static let deadline = Option.duration(
    "--deadline", "stop after this time (50m); the catalog has what is done by then")

  private static let allowShrink = Flag(
    "--allow-shrink", "accept a manifest that has lost more items than shrink-above")
  private static let shard = Option(
    "--shard", "I/N", "process one of N parts of the manifest, from 0/N on; see merge",
    expected: "a part and the number of parts, such as 0/8 or 7/8"
  ) { RunOptions.shard($0) }
  private static let partialOK = Flag(
    "--partial-ok", "exit status 0 also if some images failed")
  private static let takeOver = Flag(
    "--take-over", "replace the catalog of a pipeline with another name")
  private static let metrics = Option(
    "--metrics", "FILE", "write metrics for the node exporter's textfile collector (FILE.prom)")

  static let syntax = Syntax(
    operands: "PIPELINE", operandCount: 1...1,
    text: """
      Reads the manifest, fetches what is new or changed, makes the files that are missing, and
      writes the catalog and run.json into the output. A run that was stopped resumes its work.
      """,
    options: [
      PipelineOptions.manifest, output, layoutOnly, retryFailed, refreshQuality, deadline, shard,
      partialOK,
      allowShrink, takeOver, metrics,
    ])

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    let part = try arguments.value(shard)
    let metrics = try arguments.value(metrics).map {
      try MetricsFile($0, pipeline: arguments.operands[0], shard: part)
    }
    do {
      return try await run(arguments, metrics)
    } catch {
      metrics?.record(failure: error) { Console.message("warning: \($0)") }
      throw error
    }
  }

  private static func run(
    _ arguments: Arguments, _ metrics: MetricsFile?
  ) async throws -> ExitStatus {
    let file = try PipelineOptions.load(arguments, output: output)
    let isQuiet = arguments.has(CommonFlag.quiet)
    let observer = RunObserver(
      isQuiet: isQuiet, showsProgress: !arguments.has(CommonFlag.noProgress))
    // The bar's line is ended before anything else is written, an error included.
    defer { observer.finish() }
    var options = RunOptions(workerPath: try WorkerPath.find())
    options.deadline = try arguments.value(deadline)
    options.onlyFailed = arguments.has(retryFailed)
    options.refreshesQuality = arguments.has(refreshQuality)
    options.allowsShrink = arguments.has(allowShrink)
    options.takesOver = arguments.has(takeOver)
    options.shard = try arguments.value(shard)
    let pipeline = Pipeline(file, arguments.has(layoutOnly) ? .layout : .everything, options)
    let report = try await pipeline.run(observer: observer)
    metrics?.record(report) { observer.warn($0) }
    observer.finish()
    if arguments.has(CommonFlag.json) {
      Console.write(report.json)
    } else if !isQuiet {
      for line in summary(of: report) + [pipeline.resultPath] { Console.line(line) }
    }
    return report.hasFailures && !arguments.has(partialOK) ? .someFailed : .done
  }

  private static func summary(of report: RunReport) -> [String] {
    let statuses = ["ok", "stale", "failed", "pending"].compactMap { status in
      report.count(status) > 0 ? "\(report.count(status)) \(status)" : nil
    }
    var lines = [
      Amount.count(report.total, "image")
        + (statuses.isEmpty ? "" : ": " + statuses.joined(separator: ", "))
    ]
    for (code, count) in report.errors.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
      lines.append("  \(count) \(code)")
    }
    if report.problemCount > 0 {
      lines.append("\(Amount.count(report.problemCount, "line")) of the manifest could not be used")
    }
    if report.variantsDelivered > 0 {
      lines.append(
        "\(Amount.count(report.variantsDelivered, "file")) of an image service for "
          + Amount.count(report.variantsAsked, "place"))
    } else {
      lines.append(made(by: report))
    }
    lines.append(
      "\(Amount.bytes(report.bytesFetched)) fetched in \(Amount.count(report.requests, "request")), "
        + "\(Amount.seconds(report.seconds))")
    return lines
  }

  private static func made(by report: RunReport) -> String {
    "\(Amount.count(report.variantsMade, "file")) made (\(Amount.bytes(report.bytesWritten))), "
      + "\(report.variantsReused) reused, for \(Amount.count(report.variantsAsked, "place")); "
      + "\(Amount.count(report.decodes, "image")) decoded"
  }
}
