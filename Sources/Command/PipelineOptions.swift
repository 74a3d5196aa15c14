internal import TesseraPipelineFile

/// The options that replace a value of the pipeline file.
enum PipelineOptions {
  static let manifest = Option(
    "--manifest", "PATH", "read this path or URL instead of the pipeline's; - is standard input",
    expected: PipelineFile.Manifest.expected, completes: .files
  ) { PipelineFile.Manifest($0, directory: "") }

  /// The path of the pipeline file: the first operand, or `pipeline.yaml` in the working directory.
  static func path(_ arguments: Arguments) throws(UsageError) -> String {
    if let path = arguments.operands.first { return path }
    guard PipelineFile.hasStandard else {
      throw UsageError(
        "there is no \(PipelineFile.standardName) in this folder; name a pipeline file, or write one with "
          + "tessera init")
    }
    return PipelineFile.standardName
  }

  /// Reads the pipeline file.
  static func load(
    _ arguments: Arguments, output: Option<String>? = nil
  ) throws -> PipelineFile {
    let file = try PipelineFile.load(
      try path(arguments), manifest: try arguments.value(manifest),
      output: try output.flatMap { try arguments.value($0) })
    for warning in file.warnings { Console.warn(warning) }
    return file
  }
}

/// Options of the commands that request files from an image service.
enum DeliveryOptions {
  private static let timeout = Option.duration(
    "--timeout", "to connect, and to the first byte; default 30s")
  private static let concurrency = Option.number(
    "--concurrency", "files requested at a time; default 4", in: 1...256)

  static let all: [any OptionSyntax] = [NetworkOptions.allow, timeout, concurrency]

  static func access(_ arguments: Arguments) throws -> DeliveryAccess {
    DeliveryAccess(
      concurrency: try arguments.value(concurrency) ?? 4,
      timeout: try arguments.value(timeout) ?? .seconds(30),
      allow: try arguments.all(NetworkOptions.allow))
  }
}

/// Options of the commands that request what a person names.
enum NetworkOptions {
  static let allow = Option(
    "--allow", "WHAT", "loopback, private or an address block; may be repeated",
    expected: "loopback, private or an address block such as 10.1.0.0/16",
    completes: .words(["loopback", "private"])
  ) { ProbeSession.understands($0) ? $0 : nil }
}

/// Options of the commands that take an output.
enum OutputOptions {
  static let state = Option.path(
    "--state", "DIR",
    "the folder of the state, if the output is in a store and its state is not",
    completes: .folders)
}
