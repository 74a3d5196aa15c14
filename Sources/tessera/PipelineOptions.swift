internal import TesseraConsole
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
