internal import TesseraCatalog
internal import TesseraManifest
internal import TesseraPlan
internal import TesseraSystem
internal import TesseraText

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

/// A file that was named in the place of the pipeline file: a manifest, where messages about YAML do not help, or one
/// that Tessera has nothing to do with, and whose content no message may quote.
enum MistakenFile {
  /// As much of a file as its first line may take.
  private static let start = 64 << 10

  /// What to say of a file that can't be decoded; nil if it is a pipeline file with mistakes.
  static func diagnostic(of bytes: [UInt8], at path: String) -> Diagnostic? {
    let start = Mark(line: 1, column: 1)
    guard isManifest(bytes) else {
      guard isForeign(bytes) else { return nil }
      return Diagnostic(
        start,
        "this is not a pipeline file, which has the keys \"manifest\", \"output\" and \"slots\"; tessera init "
          + "writes one")
    }
    return Diagnostic(
      start,
      "this looks like a manifest, not like a pipeline file; tessera init --from \(path) writes a "
        + "pipeline file for it, and --manifest \(path) has another pipeline read it")
  }

  /// The error of a file that is too long for a pipeline file, as manifests are.
  static func error(ofLongFile path: String) -> PipelineFileError? {
    // A file that can't be read either has the caller's error.
    guard let bytes = try? File(path, .read).read(start, at: 0), isManifest(bytes),
      let diagnostic = diagnostic(of: bytes, at: path)
    else { return nil }
    return PipelineFileError(path: path, bytes: nil, diagnostics: [diagnostic])
  }

  /// Whether a file has content, and none of the keys that a pipeline file has to have.
  private static func isForeign(_ bytes: [UInt8]) -> Bool {
    let text = String(decoding: bytes, as: UTF8.self)
    let hasContent = text.split(whereSeparator: \.isNewline).contains {
      let line = $0.trimmingPrefix(while: \.isWhitespace)
      return !line.isEmpty && !line.hasPrefix("#")
    }
    return hasContent && text.firstMatch(of: /\b(manifest|output|slots)["']?\s*:/) == nil
  }

  private static func isManifest(_ bytes: [UInt8]) -> Bool {
    // A list of URLs may have paths, too, if the pipeline has a base for them.
    var reader = ManifestReader(resolve: { text in
      // Not a sentence, although a path may have blanks.
      let isPath =
        !text.contains(":") && !text.contains("%20") && (text.contains("/") || text.contains("."))
      return isPath ? "https://base/\(text)" : nil
    })
    var rest = bytes[...]
    let first = reader.read(&rest, limit: 1).first ?? reader.finish().first
    return first?.isEntry == true
  }
}

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

extension PipelineFile {
  /// Gives tables their scales, and reports those that can't be made of the pipeline's slots.
  mutating func completeTables(_ context: DecodingContext) {
    for index in tables.indices {
      let (name, scales) = (tables[index].slot, tables[index].scales)
      guard let pair = context.pair("tables.\(name)") else { continue }
      if let other = scales.first(where: { !plan.scales.contains($0) }) {
        let mark = context.pair("tables.\(name).scales")?.value.mark ?? pair.key.mark
        let all = plan.scales.map(String.init).joined(separator: ", ")
        context.report(
          mark,
          "\"tables.\(name).scales\" must be some of the pipeline's scales (\(all)), found \(other)"
        )
      }
      if scales.isEmpty { tables[index].scales = plan.scales }
      // Slots with mistakes of their own are reported already.
      guard let slot = plan.slots.first(where: { $0.name == name }) else {
        if plan.slots.isEmpty { continue }
        let hint = Nearest.hint(for: name, among: plan.slots.map(\.name))
        context.report(
          pair.key.mark, "\"tables.\(name)\": \"slots\" has no slot of this name\(hint)")
        continue
      }
      let longest = TableGeometry.longestSide
      let sides = tables[index].scales.compactMap { scale in
        slot.leastLongestSide.map { (scale: scale, side: $0 * scale) }
      }
      guard let (scale, side) = sides.first(where: { $0.side > longest }) else { continue }
      context.report(
        pair.key.mark,
        "\"tables.\(name)\": at scale \(scale) its images have up to \(side) pixels on a side, and tables hold at most \(longest); "
          + "name smaller scales, or leave the slot out")
    }
  }
}

extension Slot {
  /// The longer side, in points, that every image has in the slot which is large enough; nil if that depends on
  /// the image's shape.
  fileprivate var leastLongestSide: Int? {
    let sides = [width, height].compactMap(\.self)
    return mode == .fit ? sides.min() : sides.max()
  }
}
