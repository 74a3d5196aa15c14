extension CatalogImage {
  /// Of what an app has of an image, the best one for a size: that size, or else the smallest larger one of the same part of
  /// the image, or else the largest smaller one. Nil if it has none of these.
  ///
  /// - Parameter cached: what the app has of a variant; nil if nothing.
  func cachedVariant<Cached>(
    width: Int, height: Int, cached: (CatalogVariant) -> Cached?
  ) -> Cached? {
    func find(_ candidates: some Sequence<CatalogVariant>) -> Cached? {
      for variant in candidates { if let found = cached(variant) { return found } }
      return nil
    }
    let alike = variants.filter { $0.hasShape(ofWidth: width, height: height) }
    return find(alike.filter { $0.width == width && $0.height == height })
      ?? find(alike.filter { $0.width >= width && $0.height >= height })
      ?? find(alike.filter { $0.width <= width && $0.height <= height }.reversed())
  }
}

extension CatalogVariant {
  /// Whether a file shows the same part of an image as one of this size: their sides are in the same proportion, up to the
  /// rounding of the smaller one's shorter side.
  fileprivate func hasShape(ofWidth otherWidth: Int, height otherHeight: Int) -> Bool {
    let (small, large) =
      width <= otherWidth
      ? ((width, height), (otherWidth, otherHeight)) : ((otherWidth, otherHeight), (width, height))
    guard small.0 > 0, small.1 > 0 else { return false }
    // As Double, because a catalog may state any size.
    let (width, height) = (Double(small.0), Double(small.1))
    let (across, down) = (Double(large.0), Double(large.1))
    return width >= height
      ? abs(width * down / across - height) <= 0.5 + width / across
      : abs(height * across / down - width) <= 0.5 + height / down
  }
}
