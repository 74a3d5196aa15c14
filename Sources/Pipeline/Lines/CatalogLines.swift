internal import TesseraOutput
internal import TesseraState

/// The lines of a catalog that is to be written, in their order.
protocol CatalogLines: Sendable {
  /// How many there are.
  var count: Int { get }

  /// Some lines at a time, so that memory does not grow with the catalog.
  func forEachBatch(_ body: ([[UInt8]]) async throws -> Void) async throws

  /// Writes them into a catalog.
  ///
  /// - Returns: its chunks.
  func write(to draft: inout CatalogDraft) async throws -> ChunkList
}
