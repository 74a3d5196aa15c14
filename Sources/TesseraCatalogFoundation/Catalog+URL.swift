public import Foundation
public import TesseraCatalog

extension Catalog {
  /// The URL of a file.
  ///
  /// - Parameters:
  ///   - path: the ``CatalogVariant/reference`` of a variant or of one of its ``CatalogVariant/files``.
  ///   - catalog: where the catalog came from: the base of its paths if it has no ``baseURL``.
  /// - Returns: nil if neither is an absolute URL.
  public func url(of path: String, relativeTo catalog: URL?) -> URL? {
    let whole = URL(string: url(of: path))
    if whole?.scheme != nil { return whole }
    return catalog.flatMap { URL(string: path, relativeTo: $0)?.absoluteURL }
  }
}
