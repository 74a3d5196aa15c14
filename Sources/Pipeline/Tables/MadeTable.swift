internal import TesseraCatalog
internal import TesseraState

/// A published file of a table, with the index of an atlas.
struct MadeTable {
  var file: VariantRecord
  var index: VariantRecord?

  func described(_ prefix: TablePrefix, count: Int) -> CatalogTable.File {
    CatalogTable.File(
      path: file.path, prefix: prefix.description, width: file.width, height: file.height,
      count: count, bytes: file.bytes, sha256: file.sha256, index: index?.path)
  }
}

/// What became of a file of a table.
enum TableOutcome {
  case made(MadeTable)
  /// The positions of images that cannot be decoded.
  case leftOut(Set<Int>)
  /// The run's time was over.
  case stopped
}
