/// A file to request: in a format that the device shows, with its whole URL.
///
/// There is no other way to one than a ``CatalogEntry``, so what can't be shown can't be requested.
public struct ImageFile: Sendable, Hashable, Identifiable {
  /// The URL to request. Relative if neither the catalog's `baseURL` nor where the catalog came from is known.
  public let url: String
  /// What caches know the file by, wherever the catalog came from: the URL at an image service if there is one, or else the path
  /// in the catalog.
  public let reference: String
  /// The media type.
  public let type: String
  /// In pixels.
  public let width: Int
  /// In pixels.
  public let height: Int
  /// The file's size; nil if an image service makes it.
  public let bytes: Int?

  public var id: String { reference }

  /// The file's size, or else an estimate: a quarter of a byte for each pixel.
  public var expectedBytes: Int {
    let pixels = max(0, Double(width)) * max(0, Double(height))
    // An Int of a watch has 32 bits.
    let most = min(1e12, Double(Int.max / 2))
    return max(0, bytes ?? Int(min(most, (pixels / 4).rounded(.down))))
  }

  package init(
    url: String, reference: String, type: String, width: Int, height: Int, bytes: Int?
  ) {
    self.url = url
    self.reference = reference
    self.type = type
    self.width = width
    self.height = height
    self.bytes = bytes
  }
}
