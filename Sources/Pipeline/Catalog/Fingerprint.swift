internal import TesseraBytes
internal import TesseraCatalog
internal import TesseraPipelineFile
internal import TesseraPlan
internal import TesseraState

/// Names for "made the same way".
enum Fingerprint {
  /// Identifies one file: the source's content, how it is decoded, the recipe, and the versions of what
  /// cooks it.
  static func variant(
    content: String, decode: DecodePlan, recipe: String, libvips: String
  ) -> String {
    // Another version of libvips may encode other bytes, so its files are made again.
    SHA256.of(
      "content \(content)\n\(decode.recipe)\n\(recipe)\nlibvips \(libvips)\n"
        + "recipes \(Version.recipes)\n")
  }

  /// The key of the quality that is found for a content: of what is searched, how it is decoded, and the versions of
  /// what encodes it. A later version that searches better finds other qualities, and keeps those that are recorded.
  static func quality(
    content: String, decode: DecodePlan, _ search: Plan.QualitySearch, libvips: String
  ) -> String {
    let digest = variant(
      content: content, decode: decode, recipe: search.recipe, libvips: libvips)
    return QualityRecord.key(content: content, digest: digest)
  }

  /// Identifies what is shown of a content before its files are there.
  static func placeholder(content: String, decode: DecodePlan, libvips: String) -> String {
    variant(content: content, decode: decode, recipe: "placeholder", libvips: libvips)
  }

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
    digest(file.shape([.files, .entries, .catalog]), "", libvips, 16)
  }

  private static func digest(
    _ shape: String, _ version: String, _ libvips: String, _ length: Int
  ) -> String {
    let text = "\(shape)\n\(version)\nlibvips \(libvips) recipes \(Version.recipes)"
    return String(SHA256.of(text).prefix(length))
  }
}
