/// A file to request: in a format that the device shows, with its whole URL.
///
/// There is no other way to one than a ``CatalogEntry``, so what can't be shown can't be requested.
public struct ImageFile: Sendable, Hashable, Identifiable {
  /// The URL to request.
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
  /// Whether it moves.
  public let isAnimated: Bool

  public var id: String { reference }

  package init(
    url: String, reference: String, type: String, width: Int, height: Int, bytes: Int?,
    isAnimated: Bool = false
  ) {
    self.url = url
    self.reference = reference
    self.type = type
    self.width = width
    self.height = height
    self.bytes = bytes
    self.isAnimated = isAnimated
  }
}

/// Which file of an animation to show.
public enum ImageMotion: Sendable, Hashable {
  /// ``still`` in a place without a side of more than 64 points, and ``moving`` in others.
  case auto
  /// One that does not move, for "reduce motion" or as a poster; if there is none, one that does.
  case still
  /// The one in the first format that the device shows.
  case moving
}
