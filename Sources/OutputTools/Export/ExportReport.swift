internal import TesseraJSON

/// What `export` wrote.
package struct ExportReport: Sendable, Equatable, JSONDocument {
  package let schema = "tessera-export/1"
  /// Images that were exported.
  package var images = 0
  /// Whether the target had this catalog already, and nothing was written.
  @Omitting(false) package var isCurrent = false
  /// Images without a file.
  package var empty = 0
  /// Files that were written for assets.
  package var files = 0
  /// Whether URLs are relative to the catalog's folder, because the pipeline has no `base-url`.
  package var isRelative = false
  /// Whether the target is in the catalog's folder, so that such URLs lead to the files.
  package var isBeside = false
  /// The names of files that were written beside the target.
  package var companions: [String] = []
  /// Images of which the manifest does not say what they show.
  package var withoutAlt = 0

  private enum CodingKeys: String, CodingKey {
    case schema
    // Programs read this name, so it stays although the sources say "images".
    case images = "pictures"
    case empty, files
    case isCurrent = "current"
    case isRelative = "relative"
    case withoutAlt
  }
}
