internal import TesseraJSON

/// What `export` wrote.
package struct ExportReport: Sendable, Equatable {
  /// Images that were exported.
  package var images = 0
  /// Slots that constants were written for.
  package var slots = 0
  /// Whether the target had this catalog already, and nothing was written.
  package var isCurrent = false
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

  /// The document that `export --json` prints.
  package var json: [UInt8] {
    var writer = JSONWriter(indent: 2)
    writer.object { object in
      // Programs read this name, so it stays although the sources say "images".
      object.member("pictures", images)
      object.member("empty", empty)
      object.member("files", files)
      if slots > 0 { object.member("slots", slots) }
      if isCurrent { object.member("current", true) }
      object.member("relative", isRelative)
      object.member("withoutAlt", withoutAlt)
    }
    return writer.take() + [UInt8(ascii: "\n")]
  }
}
