internal import TesseraPlan
internal import TesseraSystem

extension PipelineFile {
  /// Reads and decodes a pipeline file.
  ///
  /// - Parameter environment: looks up a variable for `${NAME}`.
  /// - Throws: ``PipelineFileError`` with every mistake, or ``SystemError`` if the file cannot be
  ///   read.
  package static func load(
    _ path: String, environment: @escaping (String) -> String? = Host.environment
  ) throws -> PipelineFile {
    // 1 MiB is far more than a pipeline file takes; a larger file is a mistake in the path.
    let bytes: [UInt8]
    do {
      bytes = try FileSystem.read(path, limit: 1 << 20)
    } catch {
      throw MistakenFile.error(ofLongFile: path) ?? error
    }
    return try decode(bytes, path: path, environment: environment)
  }

  package static func decode(
    _ bytes: [UInt8], path: String, environment: @escaping (String) -> String?
  ) throws(PipelineFileError) -> PipelineFile {
    let context = DecodingContext(folder: FileSystem.parent(of: path), environment: environment)
    do throws(Diagnostic) {
      // The stand-ins for required keys never leave this function: without one, there is a mistake.
      let blank = PipelineFile(
        name: name(of: path), path: path, manifest: .standardInput, output: "",
        plan: PlanSettings(slots: []))
      let type = KeyType<PipelineFile>.group(keys, isOptional: false) { file, top in
        file.completed(top.context)
      }
      let root = try YAMLParser.parse(bytes)
      if var file = type.read(root, KeyPlace("", context), blank), context.diagnostics.isEmpty {
        file.warnings = context.warnings.map { warning in
          "\(path):\(warning.mark.line):\(warning.mark.column): \(warning.message)"
        }
        return file
      }
    } catch {
      context.report(error.mark, error.message)
    }
    if let mistaken = MistakenFile.diagnostic(of: bytes, at: path) {
      throw PipelineFileError(path: path, bytes: nil, diagnostics: [mistaken])
    }
    throw PipelineFileError(path: path, bytes: bytes, diagnostics: context.diagnostics)
  }

  /// The file, after what several keys say together.
  private func completed(_ context: DecodingContext) -> PipelineFile {
    var file = self
    if let pair = context.pair("state"), !output.hasPrefix("s3://") {
      context.report(
        pair.value.mark,
        "\"state\" is for an output in an object store (s3://); a directory holds its own")
    }
    file.completeTables(context)
    file.checkScreens(context)
    checkWeights(context)
    checkUpgrade(context)
    file.applyDelivery(context)
    return file
  }

  /// The name of the pipeline in a file: the file's name without its extension.
  package static func name(of path: String) -> String {
    let name = FileSystem.name(of: path)
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
    return String(name[..<dot])
  }
}
