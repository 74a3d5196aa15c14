extension CatalogImage {
  /// The best file that an app has already, to show at once while the wanted one loads: the wanted file, or else the
  /// smallest larger one of the same part of the image, or else the largest smaller one. Nil if it has none of
  /// these.
  ///
  /// - Parameters:
  ///   - wanted: the file chosen for the place.
  ///   - isCached: whether the file with this ``CatalogVariant/reference`` is at hand.
  public func cachedVariant(
    for wanted: CatalogVariant, isCached: (_ reference: String) -> Bool
  ) -> CatalogVariant? {
    func has(_ variant: CatalogVariant) -> Bool {
      variant.files.contains { isCached($0.reference) }
    }
    if has(wanted) { return wanted }
    let alike = variants.filter { $0.hasShape(of: wanted) && $0.reference != wanted.reference }
    let larger = alike.filter { $0.width >= wanted.width && $0.height >= wanted.height }
    return larger.first(where: has)
      ?? alike.filter { $0.width <= wanted.width && $0.height <= wanted.height }.last(where: has)
  }
}

extension CatalogVariant {
  /// Whether two files show the same part of an image: their sides are in the same proportion, up to the rounding of
  /// the smaller one's shorter side.
  fileprivate func hasShape(of other: CatalogVariant) -> Bool {
    let (small, large) = width <= other.width ? (self, other) : (other, self)
    guard small.width > 0, small.height > 0 else { return false }
    // As Double, because a catalog may state any size.
    let (width, height) = (Double(small.width), Double(small.height))
    let (across, down) = (Double(large.width), Double(large.height))
    return width >= height
      ? abs(width * down / across - height) <= 0.5 + width / across
      : abs(height * across / down - width) <= 0.5 + height / down
  }
}
