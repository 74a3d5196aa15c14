extension CatalogVariant {
  /// The image in one format: an encoded file, or a URL at which an image service makes it, or both. Apps get an
  /// ``ImageFile``.
  package struct File: Sendable, Hashable {
    /// Relative to the catalog; nil if there is no file.
    package var path: String?
    /// Of an image service; nil if there is only a file.
    package var url: String?
    /// The media type.
    package var type: String
    /// The file's size; nil if there is no file.
    package var bytes: Int?

    /// What is fetched, and what caches know it by: the URL if there is one, or else the path.
    package var reference: String { url ?? path ?? "" }
  }

  /// What is fetched, and what caches know it by: the URL if there is one, or else the path.
  package var reference: String { url ?? path ?? "" }

  /// The image at this size in all its formats, in their order of preference; without ``highDynamicRangeFile``.
  package var files: [File] {
    [first] + (also ?? []).filter { $0.dynamicRange == nil }.map(File.init)
  }

  /// The image at this size for screens of high dynamic range, which on all others looks like the others; nil if there is
  /// none.
  package var highDynamicRangeFile: File? {
    also?.first { $0.dynamicRange == "high" }.map(File.init)
  }

  private var first: File { File(path: path, url: url, type: type, bytes: bytes) }

  /// The first file in a format that the client supports; nil if there is none.
  ///
  /// - Parameter types: the media types that the client supports.
  package func file(accepting types: Set<String>) -> File? {
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
  package var reference: String { url ?? path ?? "" }
}

extension Catalog {
  /// The media types of all files in their order of preference: the formats that the pipeline requests
  /// first, then the formats that occur only as fallbacks.
  public var types: [String] {
    var types = CatalogTypes()
    for image in images { types.add(image) }
    return types.inOrder
  }
}

/// The media types of the images so far.
struct CatalogTypes {
  private var types: [String] = []
  private var fallbacks: [String] = []

  var inOrder: [String] { types + fallbacks.filter { !types.contains($0) } }

  mutating func add(_ image: CatalogImage) {
    for variant in image.variants {
      note(variant.type, isFallback: variant.fallback != nil)
      for other in variant.also ?? [] where other.dynamicRange == nil {
        note(other.type, isFallback: other.fallback != nil)
      }
    }
  }

  private mutating func note(_ type: String, isFallback: Bool) {
    if isFallback {
      if !fallbacks.contains(type) { fallbacks.append(type) }
    } else if !types.contains(type) {
      types.append(type)
    }
  }
}
