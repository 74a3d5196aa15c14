internal import TesseraCatalog
internal import TesseraFetch
internal import TesseraManifest

/// Turns one line of the manifest into one line of the catalog.
///
/// What goes wrong with an item becomes part of its result. Only what would hit every item alike
/// (no space, no workers) is thrown.
protocol ItemRunning: Sendable {
  /// - Parameters:
  ///   - position: the item's place in the manifest; no other item has it.
  ///   - finding: what the item before, with the same source, has just found out about it.
  func result(
    for entry: ManifestEntry, position: Int, finding: ItemFinding?
  ) async throws -> ItemResult
}

/// What is known of a source that there is nothing to show of, for the next item that names it in the same run.
enum ItemFinding: Sendable {
  case unreachable(FetchError)
  case refused(Intake.Refusal)
  case undecodable(CatalogImage.Failure, format: String?, width: Int?, height: Int?)
}

/// What became of an item.
struct ItemResult: Sendable {
  /// Its line of the catalog.
  var image: CatalogImage
  var finding: ItemFinding?
  /// What was decided and why: clauses, with semicolons between them. For `tessera why`.
  var reason: String
  /// SHA-256 of the source's bytes, where they are known.
  var content: String?

  init(
    _ image: CatalogImage, _ reason: String, content: String? = nil, finding: ItemFinding? = nil
  ) {
    self.image = image
    self.reason = reason
    self.content = content
    self.finding = finding
  }
}
