internal import TesseraCatalog
internal import TesseraSystem

/// An SQLite database in which apps and servers look up images (`Examples/catalog/DATABASE.md`). It replaces one that is
/// there when it is complete, so that a reader has the old catalog or the new one.
final class DatabaseExport: Exporting {
  private let context: ExportContext
  private let writer: DatabaseWriter
  private let selection: CatalogSelection?

  init(_ context: ExportContext) throws {
    self.context = context
    selection = Self.selection(context.hasChosenSlots ? context.slots : nil)
    writer = try DatabaseWriter(context.target)
  }

  private static func selection(_ slots: [String]?) -> CatalogSelection? {
    slots.map { CatalogSelection(slots: $0) }
  }

  /// With the digest of the catalog.
  private static func head(_ catalog: Catalog, _ selection: CatalogSelection?) -> [UInt8] {
    (selection?.head(catalog) ?? catalog).sortedHeadLine
  }

  func add(_ image: CatalogImage, extra: String?) throws -> Int {
    let image = selection?.image(image, scales: context.head.scales) ?? image
    try writer.add(image, line: image.line(extra: extra))
    return 0
  }

  func finish() throws { try writer.end(head: Self.head(context.head, selection)) }

  // MARK: A database that is there

  /// Whether a file is a catalog's database, and so may be replaced.
  static func owns(_ path: String) -> Bool { DatabaseWriter.head(of: path) != nil }

  /// Whether a database has a catalog already.
  ///
  /// - Parameter slots: those that were chosen; nil for all.
  static func isCurrent(
    _ path: String, _ catalog: CatalogFile, slots: [String]?
  ) throws -> Bool {
    let head = try catalog.head()
    // What is beside it may change it when it is opened.
    guard !DatabaseWriter.companions(of: path).contains(where: FileSystem.exists),
      let digest = head.digest,
      DatabaseWriter.head(of: path) == Self.head(head, selection(slots)),
      try !catalog.hasForgotten()
    else { return false }
    // Another program may have changed the catalog, and left its digest.
    return try catalog.contentDigest() == digest
  }

  /// Removes what SQLite would take for a part of the next database with this name.
  static func removeCompanions(of path: String) throws(SystemError) {
    for companion in DatabaseWriter.companions(of: path) where FileSystem.exists(companion) {
      try FileSystem.remove(companion)
    }
  }
}
