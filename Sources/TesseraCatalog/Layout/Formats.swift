extension CatalogVariant {
  /// The image in one format: an encoded file, or a URL at which an image service makes it, or both.
  public struct File: Sendable, Hashable {
    /// Relative to the catalog; nil if there is no file.
    public var path: String?
    /// Of an image service; nil if there is only a file.
    public var url: String?
    /// The media type.
    public var type: String
    /// The file's size; nil if there is no file.
    public var bytes: Int?

    /// What is fetched, and what caches know it by: the URL if there is one, or else the path.
    public var reference: String { url ?? path ?? "" }
  }

  /// What is fetched, and what caches know it by: the URL if there is one, or else the path.
  public var reference: String { url ?? path ?? "" }

  /// The image at this size in all its formats, in their order of preference; without ``highDynamicRangeFile``.
  public var files: [File] {
    [first] + (also ?? []).filter { $0.dynamicRange == nil }.map(File.init)
  }

  /// The image at this size for screens of high dynamic range, which on all others looks like the others; nil if there is
  /// none.
  public var highDynamicRangeFile: File? {
    also?.first { $0.dynamicRange == "high" }.map(File.init)
  }

  private var first: File { File(path: path, url: url, type: type, bytes: bytes) }

  /// The first file in a format that the client supports; nil if there is none.
  ///
  /// - Parameter types: the media types that the client supports.
  public func file(accepting types: Set<String>) -> File? {
    // Nearly every client accepts the first format; this spares it the list of files.
    if types.contains(type) { return first }
    return files.first { types.contains($0.type) }
  }
}

extension CatalogVariant.File {
  fileprivate init(_ other: CatalogVariant.Alternative) {
    self.init(path: other.path, url: other.url, type: other.type, bytes: other.bytes)
  }
}

extension CatalogVariant.Alternative {
  /// What is fetched, and what caches know it by: the URL if there is one, or else the path.
  public var reference: String { url ?? path ?? "" }
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
      for other in variant.also ?? [] where other.dynamicRange == nil {
        note(other.type, isFallback: other.fallback != nil)
      }
    }
    return types + fallbacks.filter { !types.contains($0) }
  }

  /// The URL of a variant in its first format: that of the image service that makes it, or else its path
  /// with ``baseURL`` before it. Without a base URL, the result is the path itself; the app resolves it
  /// against the URL of the catalog.
  public func url(of variant: CatalogVariant) -> String { url(of: variant.reference) }

  /// The URL of a file, as that of a variant.
  public func url(of file: CatalogVariant.File) -> String { url(of: file.reference) }

  /// The URL of a file by its path or its ``CatalogVariant/reference``.
  public func url(of reference: String) -> String {
    // Paths begin with a folder's name, so that only a URL begins like one.
    reference.hasPrefix("http://") || reference.hasPrefix("https://")
      ? reference : (baseURL ?? "") + reference
  }
}
