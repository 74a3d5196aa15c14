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

extension CatalogIndex {
  /// Indexes a catalog's file without keeping its images in memory; see `init(reading:accepting:from:)`. On a thread of its
  /// own.
  ///
  /// - Parameters:
  ///   - file: a `file:` URL.
  ///   - types: the media types that the device shows.
  ///   - source: where the catalog came from; needed if it has no absolute `Catalog.baseURL`.
  /// - Throws: `CatalogError`, or Foundation's error if the file can't be read.
  @concurrent
  public static func load(
    _ file: URL, accepting types: Set<String>, from source: URL? = nil
  ) async throws -> CatalogIndex {
    let bytes = [UInt8](try Data(contentsOf: file, options: .mappedIfSafe))
    return try CatalogIndex(reading: bytes, accepting: types, from: source?.absoluteString)
  }
}

extension ImageFile {
  /// The `url` in Foundation's type; nil if it is relative.
  public var requestURL: URL? { URL(string: url).flatMap { $0.scheme == nil ? nil : $0 } }
}
