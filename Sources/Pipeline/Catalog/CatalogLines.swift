internal import TesseraState

/// The lines of a catalog that is to be written, in their order.
protocol CatalogLines: Sendable {
  /// How many there are.
  var count: Int { get }

  /// Some lines at a time, so that memory does not grow with the catalog.
  func forEachBatch(_ body: ([String]) async throws -> Void) async throws
}

extension CatalogLines {
  func forEachLine(_ body: (String) throws -> Void) async throws {
    try await forEachBatch { for line in $0 { try body(line) } }
  }
}
