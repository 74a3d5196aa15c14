internal import TesseraCatalog
internal import TesseraJSON
internal import TesseraOutput
internal import TesseraState

/// What changed from one catalog to another, and the document by which an app comes from one to the other.
///
/// Both catalogs are streamed: for the list of changes memory does not grow with them.
package struct CatalogDiff {
  private let old: String
  private let new: String

  /// - Parameters: paths of catalogs, or of the outputs that hold them.
  package init(old: String, new: String) {
    self.old = old
    self.new = new
  }

  /// The digest of each catalog's document as it is.
  package func digests() throws -> (old: String, new: String) {
    (try CatalogFile(at: old).contentDigest(), try CatalogFile(at: new).contentDigest())
  }

  /// Compares the catalogs.
  ///
  /// - Parameter onChange: called for each image that differs, in the order of the new catalog; then for
  ///   the images that were removed.
  /// - Throws: ``OutputToolError`` if a catalog can't be read, or `CancellationError`.
  package func run(onChange: (Change) -> Void) throws -> Report {
    var report = Report()
    let before = try OldCatalog.open(old)
    var after = try CatalogFile(at: new).lines()
    report.members = OldCatalog.differences(
      try JSONParser.parse(before.headText), try JSONParser.parse(after.headText)
    ).filter { !["count", "digest"].contains($0) }
    var image = try after.next()
    while let current = image {
      let next = try after.next()
      guard let id = current.id else { throw after.error("an image has no id") }
      guard let outcome = try before.compare(current, id: id, next: next?.id) else {
        throw after.error("duplicate id \"\(id)\"")
      }
      switch outcome {
      case .same: report.same += 1
      case .moved: report.moved += 1
      case .added:
        report.added += 1
        onChange(.added(id))
      case .changed(let members):
        report.changed += 1
        onChange(.changed(id, members: members))
      }
      image = next
    }
    try before.forEachMissing { id in
      report.removed += 1
      onChange(.removed(id))
    }
    return report
  }

  /// Writes the document of changes that an app with the old catalog applies.
  ///
  /// - Parameter write: called with its parts.
  /// - Throws: ``OutputToolError`` if a catalog can't be read, or is not as it was written; or `CancellationError`.
  package func writeChanges(_ write: (_ bytes: [UInt8]) -> Void) throws {
    let (before, after) = (try CatalogFile(at: old), try CatalogFile(at: new))
    for file in [before, after] {
      guard try file.head().digest == file.contentDigest() else {
        throw OutputToolError(
          "\"\(file.path)\" was altered after it was written, so no changes lead from it or to it; run again to regenerate it"
        )
      }
    }
    guard try !after.hasForgotten() else {
      throw OutputToolError(
        "\"\(after.path)\" still lists images that were forgotten; call tessera forget for them again"
      )
    }
    var writer = ChangesWriter()
    // Also those that were forgotten: the app's catalog has them, and lines are counted.
    var lines = try before.allLines()
    while let line = try lines.nextText() { writer.addOld(line) }
    var new = try after.lines()
    writer.begin(
      from: try before.head().digest ?? "", to: try after.head().digest ?? "", head: new.headText)
    while let line = try new.nextText() { write(writer.addNew(line)) }
    write(writer.end())
  }
}
