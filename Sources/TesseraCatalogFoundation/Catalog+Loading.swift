public import Foundation
public import TesseraCatalog

extension Catalog {
  /// Reads a catalog from a file, on a thread of its own and in parts of 64 kB, so that neither the
  /// caller nor memory has to wait for the whole file.
  ///
  /// - Parameters:
  ///   - file: a `file:` URL.
  ///   - skip: called for each image that can't be read, which is then left out; nil for an error instead.
  /// - Throws: `CatalogError`, which states the line, the column, the member and the reason; Foundation's
  ///   error if the file can't be read; or `CancellationError`.
  @concurrent
  public static func load(
    from file: URL, skipping skip: (@Sendable (CatalogError) -> Void)? = nil
  ) async throws -> Catalog {
    let handle = try FileHandle(forReadingFrom: file)
    defer { try? handle.close() }
    var reader = CatalogReader()
    reader.skipsBadImages = skip != nil
    var images: [CatalogImage] = []
    while let bytes = try handle.read(upToCount: 1 << 16), !bytes.isEmpty {
      try Task.checkCancellation()
      reader.add(bytes)
      while let image = try reader.next() { images.append(image) }
    }
    try reader.finish()
    if let skip { for problem in reader.problems { skip(problem) } }
    guard var catalog = reader.head else {
      throw CatalogError(line: 1, column: 1, member: "", message: "expected a catalog")
    }
    catalog.images = images
    return catalog
  }
}
