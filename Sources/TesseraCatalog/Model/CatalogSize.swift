/// A size, in points unless the documentation says pixels.
public struct CatalogSize: Sendable, Hashable {
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

extension CatalogSize: CatalogRecord {
  static var blank: CatalogSize { CatalogSize(width: 0, height: 0) }

  static func members<Visitor: MemberVisitor & ~Copyable>(
    _ visitor: inout Visitor, _ size: inout CatalogSize
  ) throws(Visitor.Failure) {
    try visitor.required("width", &size.width)
    try visitor.required("height", &size.height)
  }
}
