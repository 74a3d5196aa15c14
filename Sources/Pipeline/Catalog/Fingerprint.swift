internal import TesseraBytes
internal import TesseraPipelineFile

/// Names for "with the same pipeline".
enum Fingerprint {
  /// Identifies everything but the item and its source that shapes a line of the catalog.
  static func line(_ file: PipelineFile, libvips: String) -> String {
    digest(file.shape([.files, .entries]), "\(Version.number) lines \(Version.lines)", libvips, 32)
  }

  /// Identifies everything but its bytes that decides whether there is something to show of a source.
  ///
  /// - Parameter memory: what a worker has, in bytes. A machine may offer less than the pipeline allows.
  static func rejection(_ file: PipelineFile, memory: Int, libvips: String) -> String {
    var file = file
    file.limits.memory = memory
    return digest(
      file.shape([.files, .entries, .acceptance]), "\(Version.number) lines \(Version.lines)",
      libvips, 32)
  }

  /// Identifies everything in a pipeline file that shapes the catalog or its files.
  static func pipeline(_ file: PipelineFile, libvips: String) -> String {
    digest(file.upgraded.shape([.files, .entries, .catalog]), "", libvips, 16)
  }

  private static func digest(
    _ shape: String, _ version: String, _ libvips: String, _ length: Int
  ) -> String {
    let text = "\(shape)\n\(version)\nlibvips \(libvips) \(Recipes.text)"
    return String(SHA256.of(text).prefix(length))
  }
}
