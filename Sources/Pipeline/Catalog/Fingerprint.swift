internal import TesseraBytes
internal import TesseraPipelineFile

/// Names for "with the same pipeline".
enum Fingerprint {
  /// Identifies everything but the item and its source that shapes a line of the catalog.
  static func line(_ file: PipelineFile) -> String {
    digest(file.shape([.files, .entries]), "\(Version.number) lines \(Version.lines)", 32)
  }

  /// Identifies everything but its bytes that decides whether there is something to show of a source.
  ///
  /// - Parameter memory: what a worker has, in bytes. A machine may offer less than the pipeline allows.
  static func rejection(_ file: PipelineFile, memory: Int, libvips: String) -> String {
    var file = file
    file.limits.memory = memory
    return digest(
      file.shape([.files, .entries, .acceptance]),
      // Another one may decode what this one does not.
      "\(Version.number) lines \(Version.lines) libvips \(libvips)", 32)
  }

  /// Identifies everything in a pipeline file that shapes the catalog or its files.
  static func pipeline(_ file: PipelineFile) -> String {
    digest(file.upgraded.shape([.files, .entries, .catalog]), "", 16)
  }

  private static func digest(_ shape: String, _ version: String, _ length: Int) -> String {
    String(SHA256.of("\(shape)\n\(version)\n\(Recipes.text)").prefix(length))
  }
}
