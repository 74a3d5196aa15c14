public import Foundation
public import TesseraCatalog

extension CatalogContext {
  /// As `init(_:accepting:from:)`, with Foundation's type for the catalog's URL.
  public convenience init(_ head: Catalog, accepting types: Set<String>, from source: URL) {
    self.init(head, accepting: types, from: source.absoluteString)
  }
}

extension CatalogIndex {
  /// As `init(_:accepting:from:)`, with Foundation's type for the catalog's URL.
  public init(_ catalog: Catalog, accepting types: Set<String>, from source: URL) {
    self.init(catalog, accepting: types, from: source.absoluteString)
  }
}

extension ImageFile {
  /// The `url` in Foundation's type; nil if it is relative.
  public var requestURL: URL? { URL(string: url).flatMap { $0.scheme == nil ? nil : $0 } }
}
