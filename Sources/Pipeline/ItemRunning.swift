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
  ///   - failure: why the item before, with the same source, could not fetch it just now.
  func result(
    for entry: ManifestEntry, position: Int, failure: FetchError?
  ) async throws -> ItemResult
}

/// What became of an item.
struct ItemResult: Sendable {
  /// Its line of the catalog.
  var image: CatalogImage
  /// Why its source could not be fetched, for the next item with it.
  var failure: FetchError?
  /// What was decided and why: clauses, with semicolons between them. For `tessera why`.
  var reason: String
  /// SHA-256 of the source's bytes, where they are known.
  var content: String?

  init(
    _ image: CatalogImage, _ reason: String, content: String? = nil, failure: FetchError? = nil
  ) {
    self.image = image
    self.reason = reason
    self.content = content
    self.failure = failure
  }
}
