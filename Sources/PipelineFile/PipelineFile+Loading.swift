internal import TesseraPlan
internal import TesseraSystem

extension PipelineFile {
  /// The pipeline file that commands take if none is named.
  package static let standardName = "pipeline.yaml"

  /// Whether the working directory has a file of that name.
  package static var hasStandard: Bool { FileSystem.exists(standardName) }

  /// Reads a pipeline file, with another manifest or output in the place of its own.
  ///
  /// - Parameters:
  ///   - manifest: nil for the file's own.
  ///   - output: a path; nil for the file's own.
  /// - Throws: ``PipelineFileError`` with all mistakes, or `SystemError` if the file can't be read.
  package static func load(
    _ path: String, manifest: Manifest?, output: String?
  ) throws -> PipelineFile {
    var file = try load(path)
    if let manifest { file.manifest = manifest }
    if let output { file.output = output }
    return file
  }

  /// The defaults, for commands that only read a manifest.
  package init(reading manifest: Manifest) {
    self.init(name: "", path: "", manifest: manifest, output: "", plan: PlanSettings(slots: []))
  }

  /// The path of the catalog that a run of this pipeline writes.
  package var catalogPath: String {
    FileSystem.join(output, "catalog.json")
  }
}
