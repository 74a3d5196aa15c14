extension CatalogImage {
  /// The file to fetch for a slot on a screen: the one made for the smallest scale that is at least
  /// `scale`, or for the largest scale.
  ///
  /// Nil if the image is not used in the slot, or if it has no files.
  public func variant(for slot: String, scale: Double, in catalog: Catalog) -> CatalogVariant? {
    guard let use = slots[slot] else { return nil }
    return catalog.variant(of: use, in: variants, scale: scale)
  }

  /// Width divided by height, as displayed. Nil if the size is unknown.
  public var aspectRatio: Double? {
    guard let width, let height, width > 0, height > 0 else { return nil }
    return Double(width) / Double(height)
  }
}

extension Catalog {
  /// The same for the image at a position, without copying the whole image.
  func variant(of position: Int, for slot: String, scale: Double) -> CatalogVariant? {
    guard let use = images[position].slots[slot] else { return nil }
    return variant(of: use, in: images[position].variants, scale: scale)
  }

  fileprivate func variant(
    of use: CatalogSlotUse, in variants: [CatalogVariant], scale: Double
  ) -> CatalogVariant? {
    // Both indices come from a document, so both may be out of range.
    guard let place = place(of: scale), use.variants.indices.contains(place) else { return nil }
    let index = use.variants[place]
    return variants.indices.contains(index) ? variants[index] : nil
  }

  /// The index of the smallest scale that is at least this one, or of the largest scale.
  private func place(of scale: Double) -> Int? {
    scales.firstIndex { Double($0) >= scale } ?? (scales.isEmpty ? nil : scales.count - 1)
  }
}
