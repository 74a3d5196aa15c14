/// Looks up images by id: their sizes in slots, and the files to fetch for them.
///
/// Creating an index takes one pass over the catalog. Each lookup then takes constant time.
public struct CatalogIndex: Sendable {
  /// The catalog that is indexed.
  public let catalog: Catalog
  /// The media types of all files, in their order of preference; see ``Catalog/types``.
  public let types: [String]
  private let positions: [Identifier: Int]

  /// Indexes a catalog in one pass.
  public init(_ catalog: Catalog) {
    self.catalog = catalog
    var positions: [Identifier: Int] = [:]
    positions.reserveCapacity(catalog.images.count)
    for (position, image) in catalog.images.enumerated() {
      // Of two images with the same id, the first counts, as in the manifest.
      let identifier = Identifier(image.id)
      if positions[identifier] == nil { positions[identifier] = position }
    }
    self.positions = positions
    types = catalog.types
  }

  /// The image with an id.
  public subscript(id: String) -> CatalogImage? {
    position(of: id).map { catalog.images[$0] }
  }

  /// The position of an image in the catalog's order.
  public func position(of id: String) -> Int? { positions[Identifier(id)] }

  /// The file to fetch for an image in a slot; see ``CatalogImage/variant(for:scale:in:)``.
  public func variant(of id: String, for slot: String, scale: Double) -> CatalogVariant? {
    guard let position = position(of: id) else { return nil }
    return catalog.variant(of: position, for: slot, scale: scale)
  }

  /// The file to fetch for an image in any box; see ``CatalogImage/variant(for:scale:)``.
  public func variant(of id: String, for box: CatalogBox, scale: Double) -> CatalogVariant? {
    guard let position = position(of: id) else { return nil }
    return catalog.images[position].variant(for: box, scale: scale)
  }

  /// The size of an image in any box, in points; nil if it is unknown.
  public func layoutSize(of id: String, in box: CatalogBox) -> CatalogSize? {
    guard let position = position(of: id) else { return nil }
    return catalog.images[position].layoutSize(in: box)
  }

  /// The size of an image in a slot, in points; nil if it is unknown.
  public func layoutSize(of id: String, in slot: String) -> CatalogSize? {
    guard let position = position(of: id) else { return nil }
    return catalog.images[position].layoutSize(in: slot)
  }
}
