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

extension CatalogEntry {
  /// What to draw for the image in a state. The size of its place does not depend on the state.
  ///
  /// - Parameters:
  ///   - state: of the image on the screen.
  ///   - file: the one chosen for the place; nil if there is none.
  public func appearance(in state: ImageState, file: ImageFile?) -> ImageAppearance {
    guard let file else {
      // A layout-only run makes no files, so a pending image is still expected to arrive.
      return image.status == .failed ? .failure(image.error) : waiting
    }
    return switch state {
    case .loading: waiting
    case .loaded: .image(file)
    case .failed: .failure(nil)
    }
  }

  private var waiting: ImageAppearance {
    image.placeholder?.best.map { .placeholder($0) } ?? .empty
  }
}
