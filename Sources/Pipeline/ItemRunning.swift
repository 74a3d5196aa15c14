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
  /// - Returns: the line, and why the source could not be fetched, for the next item with it.
  func image(
    for entry: ManifestEntry, position: Int, failure: FetchError?
  ) async throws -> (CatalogImage, FetchError?)
}
