public import Foundation
public import TesseraCatalog

extension CatalogIndex {
  /// As `init(_:accepting:from:)`, with Foundation's type for the catalog's URL.
  public init(
    _ catalog: Catalog, accepting types: Set<String>, from source: URL
  ) throws(CatalogError) {
    try self.init(catalog, accepting: types, from: source.absoluteString)
  }
}

extension ImageFile {
  /// The `url` in Foundation's type; nil if it is relative.
  public var requestURL: URL? { URL(string: url).flatMap { $0.scheme == nil ? nil : $0 } }
}
