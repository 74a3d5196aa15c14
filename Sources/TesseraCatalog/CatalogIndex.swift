/// A catalog that answers at once: which picture has this id, how large it is in a slot, which file is right for it.
///
/// Making one costs a walk over the catalog; each answer is then a look or two into a table.
public struct CatalogIndex: Sendable {
  public let catalog: Catalog
  /// The media types of all files, in their order of preference: see ``Catalog/types``.
  public let types: [String]
  private let positions: [Identifier: Int]

  public init(_ catalog: Catalog) {
    self.catalog = catalog
    var positions: [Identifier: Int] = [:]
    positions.reserveCapacity(catalog.images.count)
    for (position, image) in catalog.images.enumerated() {
      // The first of two that have the same id, as in the manifest.
      let identifier = Identifier(image.id)
      if positions[identifier] == nil { positions[identifier] = position }
    }
    self.positions = positions
    types = catalog.types
  }

  /// The picture with an id.
  public subscript(id: String) -> CatalogImage? {
    position(of: id).map { catalog.images[$0] }
  }

  /// The place of a picture in the catalog's order.
  public func position(of id: String) -> Int? { positions[Identifier(id)] }

  /// The file to fetch for a picture in a slot; see ``CatalogImage/variant(for:scale:in:)``.
  public func variant(of id: String, for slot: String, scale: Double) -> CatalogVariant? {
    guard let position = position(of: id) else { return nil }
    return catalog.variant(of: position, for: slot, scale: scale)
  }

  /// The size, in points, that a picture has in a slot; nil where nothing is known of it.
  public func layoutSize(of id: String, in slot: String) -> CatalogSize? {
    guard let position = position(of: id) else { return nil }
    return catalog.images[position].layoutSize(in: slot)
  }
}

extension Catalog {
  /// As ``CatalogImage/variant(for:scale:in:)``, without a copy of the picture.
  func variant(of position: Int, for slot: String, scale: Double) -> CatalogVariant? {
    guard let use = images[position].slots[slot], let place = place(of: scale),
      place < use.variants.count
    else { return nil }
    let index = use.variants[place]
    let variants = images[position].variants
    return variants.indices.contains(index) ? variants[index] : nil
  }

  /// The place of the smallest scale that is at least this one, or of the largest.
  func place(of scale: Double) -> Int? {
    scales.firstIndex { Double($0) >= scale } ?? (scales.isEmpty ? nil : scales.count - 1)
  }
}
