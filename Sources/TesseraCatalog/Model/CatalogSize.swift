/// A size, in points unless the documentation says pixels.
public struct CatalogSize: Sendable, Hashable, Codable {
  /// In points, unless the documentation says pixels.
  public var width: Int
  /// In points, unless the documentation says pixels.
  public var height: Int

  /// A size of two sides.
  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }
}
