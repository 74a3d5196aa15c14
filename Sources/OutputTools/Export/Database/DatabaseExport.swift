internal import TesseraCatalog
internal import TesseraCatalogSQLite
internal import TesseraSystem

/// An SQLite database in which apps and servers look up images (`Examples/catalog/DATABASE.md`). One that is there
/// is changed into the new catalog.
final class DatabaseExport: Exporting {
  private let context: ExportContext
  private let writer: CatalogDatabaseWriter
  private let head: [UInt8]
  private let selection: CatalogSelection?
  /// Whether the database has this catalog already.
  private let isCurrent: Bool

  init(_ context: ExportContext) throws {
    self.context = context
    selection = context.hasChosenSlots ? CatalogSelection(slots: context.slots) : nil
    head = context.head.databaseHead(selection)
    let exists = FileSystem.exists(context.target)
    writer = try CatalogDatabaseWriter(context.target, isNew: !exists)
    // The head has the catalog's digest. Without one, an older version wrote the catalog.
    isCurrent = try exists && context.head.digest != nil && writer.isOf(head: head)
    if !isCurrent { try writer.begin() }
  }

  var needsImages: Bool { !isCurrent }

  func add(_ image: CatalogImage) throws -> Int {
    let image = selection?.image(image) ?? image
    try writer.add(image, line: image.json)
    return 0
  }

  func finish() throws { if !isCurrent { try writer.end(head: head) } }

  func close() { writer.close() }
}
