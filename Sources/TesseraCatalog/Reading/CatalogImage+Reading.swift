internal import TesseraJSON

extension CatalogImage {
  /// Reads one image: a line of a catalog in JSON Lines, or a row of a database.
  ///
  /// - Throws: ``CatalogError``, which states the column, the member and the reason.
  public init(reading line: [UInt8]) throws(CatalogError) {
    var scanner = JSONScanner(line, 0..<line.count)
    do throws(JSONScanner.Failure) {
      self = try CatalogImage.read(from: &scanner)
      try checkPlaces(at: 0)
      guard scanner.isAtEnd() else {
        throw JSONScanner.Failure(
          offset: scanner.offset, message: "expected nothing after the image")
      }
    } catch {
      throw CatalogError(
        line: 1, column: error.offset + 1, member: error.member, message: error.message)
    }
  }
}

extension Catalog {
  /// Reads a catalog's first line in JSON Lines: everything but its images.
  ///
  /// - Throws: ``CatalogError``, which states the column, the member and the reason.
  package init(readingHead line: [UInt8]) throws(CatalogError) {
    var reader = CatalogReader()
    reader.add(line)
    _ = try reader.nextText()
    guard let head = reader.head else {
      throw CatalogError(line: 1, column: 1, member: "", message: "expected the head of a catalog")
    }
    self = head
  }
}
