/// Looks up images by id, for one device.
///
///     let index = CatalogIndex(catalog, accepting: SupportedTypes.iOS(17))
///     let file = index["p1"]?.file(for: "card", scale: 3)
///
/// Creating an index takes one pass over the catalog. Each lookup then takes constant time.
public struct CatalogIndex: Sendable {
  /// The catalog that is indexed.
  public let catalog: Catalog
  /// The media types of all files, in their order of preference; see ``Catalog/types``.
  public let types: [String]
  /// What the images have in common.
  public let context: CatalogContext
  private let positions: [Identifier: Int]

  /// Indexes a catalog in one pass.
  ///
  /// - Parameters:
  ///   - types: the media types that the device shows, such as ``SupportedTypes/iOS(_:)``.
  ///   - source: the URL of the catalog; needed if it has no absolute ``Catalog/baseURL``.
  public init(_ catalog: Catalog, accepting types: Set<String>, from source: String? = nil) {
    self.catalog = catalog
    context = CatalogContext(catalog, accepting: types, from: source)
    var positions: [Identifier: Int] = [:]
    positions.reserveCapacity(catalog.images.count)
    for (position, image) in catalog.images.enumerated() {
      // Of two images with the same id, the first counts, as in the manifest.
      let identifier = Identifier(image.id)
      if positions[identifier] == nil { positions[identifier] = position }
    }
    self.positions = positions
    self.types = catalog.types
  }

  /// The image with an id.
  public subscript(id: String) -> CatalogEntry? {
    position(of: id).map { context.entry(catalog.images[$0]) }
  }

  /// The position of an image in the catalog's order.
  public func position(of id: String) -> Int? { positions[Identifier(id)] }
}
