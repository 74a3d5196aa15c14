internal import TesseraManifest
internal import TesseraPipeline
internal import TesseraPipelineFile
internal import TesseraSystem
internal import TesseraText

enum RunCommand: Command {
  static let name = "run"
  static let keepsWork = true
  static let summary = "make what is new or changed, and write the catalog"
  static let syntax = Syntax(
    operands: "PIPELINE", operandCount: 1...1,
    text: """
      Reads the manifest, fetches what is new or changed, makes the files that are missing, and
      writes the catalog and run.json into the output. A run that was stopped goes on where it was.
      """,
    options: [
      .init(
        "--manifest", "PATH", "read this path or URL instead of the pipeline's; - is standard input"
      ),
      .init("--output", "DIR", "write here instead of into the pipeline's output"),
      .init("--layout-only", nil, "learn sizes alone; what is not made is pending"),
      .init("--retry-failed", nil, "ask for what failed, is stale or new, and for nothing else"),
      .init(
        "--deadline", "TIME", "stop after so long (50m), with what is done in the catalog"),
    ])

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    let file = try PipelineFile.load(arguments)
    let observer = ConsoleObserver(
      isQuiet: arguments.has("--quiet"), showsProgress: !arguments.has("--no-progress"))
    let deadline = try arguments.value("--deadline").map { text in
      guard let time = Units.duration(text), time > .zero else {
        throw UsageError("--deadline must be a time such as 90s, 50m or 1h, found \"\(text)\"")
      }
      return time
    }
    let pipeline = Pipeline(
      file, arguments.has("--layout-only") ? .layout : .everything,
      .init(
        workerPath: try workerPath(), deadline: deadline,
        onlyFailed: arguments.has("--retry-failed")))
    let report: RunReport
    do {
      report = try await Interruption.cancelling { try await pipeline.run(observer: observer) }
    } catch {
      observer.finish()
      // Dropped work ends in errors of its own; the signal is the reason.
      throw Interruption.status == nil ? error : CancellationError()
    }
    observer.finish()
    if arguments.has("--json") {
      StandardStream.output.write(report.json)
    } else if !arguments.has("--quiet") {
      StandardStream.output.write(summary(of: report, file))
    }
    return report.hasFailures ? .someFailed : .done
  }

  /// The worker is found beside this program.
  static func workerPath() throws -> String {
    let directory = FileSystem.parent(of: try Host.executablePath())
    return FileSystem.join(directory, "tessera-worker")
  }

  private static func summary(of report: RunReport, _ file: PipelineFile) -> String {
    let statuses = ["ok", "stale", "failed", "pending"].compactMap { status in
      report.count(status) > 0 ? "\(report.count(status)) \(status)" : nil
    }
    var lines = [
      Amount.count(report.total, "picture")
        + (statuses.isEmpty ? "" : ": " + statuses.joined(separator: ", "))
    ]
    for (code, count) in report.errors.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
      lines.append("  \(count) \(code)")
    }
    if report.problemCount > 0 {
      lines.append("\(Amount.count(report.problemCount, "line")) of the manifest could not be used")
    }
    lines.append(
      "\(Amount.count(report.variantsMade, "file")) made (\(Amount.bytes(report.bytesWritten))), "
        + "\(report.variantsReused) reused, for \(Amount.count(report.variantsAsked, "place")); "
        + "\(Amount.count(report.decodes, "picture")) decoded")
    lines.append(
      "\(Amount.bytes(report.bytesFetched)) fetched in \(Amount.count(report.requests, "request")), "
        + "\(Amount.seconds(report.seconds))")
    lines.append(FileSystem.join(file.output, "catalog.\(file.catalogFormat.rawValue)"))
    return lines.joined(separator: "\n") + "\n"
  }
}

extension PipelineFile {
  /// The file that a command line names, with the command line's own manifest and output.
  static func load(_ arguments: Arguments) throws -> PipelineFile {
    var file = try PipelineFile.load(arguments.operands[0])
    if let text = arguments.value("--manifest") {
      guard let manifest = PipelineFile.Manifest(text, directory: "") else {
        throw UsageError(
          "--manifest must be \(PipelineFile.Manifest.expected), found "
            + "\"\(SourceURL.withoutUserInfo(text))\"")
      }
      file.manifest = manifest
    }
    if let output = arguments.value("--output") { file.output = output }
    return file
  }
}
