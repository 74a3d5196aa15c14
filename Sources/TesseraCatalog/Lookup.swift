extension CatalogImage {
  /// The file to fetch for a slot on a screen: the one made for the smallest scale that is at least
  /// `scale`, or the largest there is.
  ///
  /// Nil where the picture has no such slot or nothing to show.
  public func variant(for slot: String, scale: Double, in catalog: Catalog) -> CatalogVariant? {
    guard let use = slots[slot], let place = catalog.place(of: scale),
      use.variants.indices.contains(place)
    else { return nil }
    let index = use.variants[place]
    return variants.indices.contains(index) ? variants[index] : nil
  }

  /// Width over height, as displayed. Nil where the size never became known.
  public var aspectRatio: Double? {
    guard let width, let height, width > 0, height > 0 else { return nil }
    return Double(width) / Double(height)
  }
}
