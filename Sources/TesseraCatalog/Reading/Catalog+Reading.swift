extension Catalog {
  /// Reads a whole catalog. For a catalog that is larger than memory, use
  /// ``CatalogReader``.
  ///
  /// - Parameters:
  ///   - bytes: of the document.
  ///   - skip: called for each image that can't be read, which is then left out; nil for an error instead.
  /// - Throws: ``CatalogError``, which states the line, the column, the member and the reason.
  public init(
    reading bytes: some Sequence<UInt8>, skipping skip: ((CatalogError) -> Void)? = nil
  ) throws(CatalogError) {
    var reader = CatalogReader()
    reader.skipsBadImages = skip != nil
    reader.add(bytes)
    var images: [CatalogImage] = []
    while let image = try reader.next() { images.append(image) }
    try reader.finish()
    guard var catalog = reader.head else {
      throw CatalogError(line: 1, column: 1, member: "", message: "expected a catalog")
    }
    catalog.images = images
    if let skip { for problem in reader.problems { skip(problem) } }
    self = catalog
  }
}
