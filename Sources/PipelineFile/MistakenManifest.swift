internal import TesseraManifest
internal import TesseraSystem

/// A manifest that was named in the place of the pipeline file, where messages about YAML do not help.
enum MistakenManifest {
  /// As much of a file as its first line may take.
  private static let start = 64 << 10

  /// What to say of a file that can't be decoded; nil if it does not begin as a manifest does.
  static func diagnostic(of bytes: [UInt8], at path: String) -> Diagnostic? {
    guard isManifest(bytes) else { return nil }
    return Diagnostic(
      Mark(line: 1, column: 1),
      "this looks like a manifest, not like a pipeline file; tessera init --from \(path) writes a "
        + "pipeline file for it, and --manifest \(path) has another pipeline read it")
  }

  /// The error of a file that is too long for a pipeline file, as manifests are.
  static func error(ofLongFile path: String) -> PipelineFileError? {
    // A file that can't be read either has the caller's error.
    guard let bytes = try? File(path, .read).read(start, at: 0),
      let diagnostic = diagnostic(of: bytes, at: path)
    else { return nil }
    return PipelineFileError(path: path, bytes: bytes, diagnostics: [diagnostic])
  }

  private static func isManifest(_ bytes: [UInt8]) -> Bool {
    // A list of URLs may have paths, too, if the pipeline has a base for them.
    var reader = ManifestReader(resolve: { text in
      let isPath = !text.contains(":") && (text.contains("/") || text.contains("."))
      return isPath ? "https://base/\(text)" : nil
    })
    var rest = bytes[...]
    let first = reader.read(&rest, limit: 1).first ?? reader.finish().first
    return first?.isEntry == true
  }
}
