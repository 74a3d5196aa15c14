/// The state of an image on the screen.
public enum ImageState: Sendable, Hashable, CaseIterable {
  /// The app has requested the file, or will request it.
  case loading
  /// The file has loaded.
  case loaded
  /// The file could not be loaded.
  case failed
}

/// What to draw in an image's place.
public enum ImageAppearance: Sendable, Hashable {
  /// The file itself.
  case image(ImageFile)
  /// A blurred image, made from the most detailed placeholder.
  case placeholder(CatalogPlaceholder.Kind)
  /// Nothing is known of the image. The app draws whatever it uses for an empty place.
  case empty
  /// There is nothing to show and nothing to wait for. The error is nil if the catalog has a file and
  /// the client failed to load it.
  case failure(CatalogImage.Failure?)
}
