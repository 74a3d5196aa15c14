internal import TesseraPipeline
internal import TesseraPipelineFile

extension ErrorReport {
  /// Describes an error of any command.
  init(_ error: any Error) {
    switch error {
    case let error as PipelineFileError: self.init(mistakes: error)
    case let error as PipelineError where error.isBusy: self.init(busy: error)
    case let error as OutputToolError where error.isBusy: self.init(busy: error)
    case is CancellationError: self = .stopped
    default: self.init(message: "\(error)")
    }
  }

  private init(busy error: any Error) {
    self.init(code: .busy, message: "\(error)", status: .busy)
  }

  private init(mistakes error: PipelineFileError) {
    self.init(
      code: .pipelineFile, message: "The pipeline file has mistakes.",
      mistakes: error.diagnostics.map { diagnostic in
        Mistake(
          file: error.path, line: diagnostic.mark.line, column: diagnostic.mark.column,
          message: diagnostic.message)
      }, text: "\(error)")
  }
}
