internal import TesseraManifest
internal import TesseraSystem

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
