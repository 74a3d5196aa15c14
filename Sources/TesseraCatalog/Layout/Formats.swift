extension CatalogVariant {
  /// A file of the image in one format.
  public struct File: Sendable, Hashable {
    /// Relative to the catalog.
    public var path: String
    /// The media type.
    public var type: String
    /// The file's size.
    public var bytes: Int
  }

  /// The image at this size in all its formats, in their order of preference.
  public var files: [File] {
    [File(path: path, type: type, bytes: bytes)]
      + (also ?? []).map { File(path: $0.path, type: $0.type, bytes: $0.bytes) }
  }

  /// The first file in a format that the client supports; nil if there is none.
  ///
  /// - Parameter types: the media types that the client supports.
  public func file(accepting types: Set<String>) -> File? {
    // Nearly every client accepts the first format; this spares it the list of files.
    if types.contains(type) { return File(path: path, type: type, bytes: bytes) }
    return files.first { types.contains($0.type) }
  }
}

extension Catalog {
  /// The media types of all files in their order of preference: the formats that the pipeline requests
  /// first, then the formats that occur only as fallbacks.
  public var types: [String] {
    var types: [String] = []
    var fallbacks: [String] = []
    for variant in images.lazy.flatMap(\.variants) {
      func note(_ type: String, isFallback: Bool) {
        if isFallback {
          if !fallbacks.contains(type) { fallbacks.append(type) }
        } else if !types.contains(type) {
          types.append(type)
        }
      }
      note(variant.type, isFallback: variant.fallback != nil)
      for other in variant.also ?? [] { note(other.type, isFallback: other.fallback != nil) }
    }
    return types + fallbacks.filter { !types.contains($0) }
  }

  /// The URL of a file: its path with ``baseURL`` before it. Without a base URL, the result is the path
  /// itself; the app resolves it against the URL of the catalog.
  public func url(of path: String) -> String { (baseURL ?? "") + path }
}
