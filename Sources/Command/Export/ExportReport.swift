internal import TesseraJSON

/// What `export` wrote.
struct ExportReport: Sendable, Equatable, JSONDocument {
  let schema = "tessera-export/1"
  /// Images that were exported.
  var images = 0
  /// Whether the target had this catalog already, and nothing was written.
  @Omitting(false) var isCurrent = false
  /// Images without a file.
  var empty = 0
  /// Files that were written for assets.
  var files = 0
  /// Whether URLs are relative to the catalog's folder, because the pipeline has no `base-url`.
  var isRelative = false
  /// Whether the target is in the catalog's folder, so that such URLs lead to the files.
  var isBeside = false
  /// The names of files that were written beside the target.
  var companions: [String] = []
  /// Images of which the manifest does not say what they show.
  var withoutAlt = 0

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
