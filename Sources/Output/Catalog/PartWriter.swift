internal import TesseraSystem

/// Writes a part of a catalog while the catalog is written.
protocol PartWriter: AnyObject {
  /// - Parameters:
  ///   - line: the image's line of the catalog.
  ///   - canonical: its canonical form.
  func add(_ line: [UInt8], canonical: [UInt8]) throws(SystemError)

  /// Writes the pages that are not there yet.
  ///
  /// - Parameter digest: that of the catalog.
  /// - Returns: the documents that readers see together with the catalog, by their paths.
  func publish(
    to output: any Output, digest: String
  ) async throws(SystemError) -> [String: [UInt8]]
}
