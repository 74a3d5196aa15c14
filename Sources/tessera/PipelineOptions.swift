internal import TesseraConsole
internal import TesseraPipelineFile

/// The options that replace a value of the pipeline file.
enum PipelineOptions {
  static let manifest = Option(
    "--manifest", "PATH", "read this path or URL instead of the pipeline's; - is standard input",
    expected: PipelineFile.Manifest.expected
  ) { PipelineFile.Manifest($0, directory: "") }

  /// Reads the pipeline file that the first operand names.
  static func load(
    _ arguments: Arguments, output: Option<String>? = nil
  ) throws -> PipelineFile {
    try PipelineFile.load(
      arguments.operands[0], manifest: try arguments.value(manifest),
      output: try output.flatMap { try arguments.value($0) })
  }
}
