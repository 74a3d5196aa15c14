public import Foundation
public import TesseraCatalog

extension Catalog {
  /// The URL of a file.
  ///
  /// - Parameters:
  ///   - path: of a ``CatalogVariant`` or of one of its ``CatalogVariant/files``.
  ///   - catalog: where the catalog came from: the base of its paths if it has no ``baseURL``.
  /// - Returns: nil if neither is an absolute URL.
  public func url(of path: String, relativeTo catalog: URL?) -> URL? {
    guard baseURL == nil else { return URL(string: url(of: path)) }
    return catalog.flatMap { URL(string: path, relativeTo: $0)?.absoluteURL }
  }
}
