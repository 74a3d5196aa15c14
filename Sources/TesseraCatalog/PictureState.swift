/// The three states that a picture on the screen can be in.
public enum PictureState: Sendable, Equatable, CaseIterable {
  /// Its file has been asked for, or will be.
  case loading
  /// Its file is there.
  case loaded
  /// Its file could not be had.
  case failed
}

/// What to draw in a picture's place.
public enum PictureAppearance: Sendable, Equatable {
  /// The file itself.
  case picture(CatalogVariant)
  /// A blurred picture, of the placeholder that says most.
  case placeholder(CatalogPlaceholder.Kind)
  /// Nothing is known of the picture: an empty place, with what the app shows for that.
  case empty
  /// There is nothing to show and nothing to wait for: the app's sign for that, and what it can say. The error is nil
  /// where the catalog has a file, and it was the client that could not load it.
  case failure(CatalogImage.Failure?)
}

extension CatalogImage {
  /// What to draw for the picture in a state. The place is laid out already, whatever the state is: its size does not
  /// depend on it.
  ///
  /// - Parameter variant: the file that was chosen for the place; nil where the catalog has none.
  public func appearance(
    in state: PictureState, variant: CatalogVariant?
  ) -> PictureAppearance {
    guard let variant else {
      // A run for sizes alone makes no files: what is pending is still to come.
      return status == .failed ? .failure(error) : waiting
    }
    return switch state {
    case .loading: waiting
    case .loaded: .picture(variant)
    case .failed: .failure(nil)
    }
  }

  private var waiting: PictureAppearance { placeholder?.best.map { .placeholder($0) } ?? .empty }
}

extension CatalogPlaceholder {
  /// A kind of placeholder, with what it needs.
  public enum Kind: Sendable, Equatable {
    /// A picture as a `data:` URL.
    case lqip(String)
    /// In Base64; see ``ThumbHash``.
    case thumbhash(String)
    /// See ``BlurHash``.
    case blurhash(String)
    /// `#rrggbb`.
    case color(String)
  }

  /// The one that says most; nil where there is none.
  public var best: Kind? {
    if let lqip { return .lqip(lqip) }
    if let thumbhash { return .thumbhash(thumbhash) }
    if let blurhash { return .blurhash(blurhash) }
    return color.map { .color($0) }
  }

  /// Red, green and blue of ``color``, 0 to 255; nil where there is none.
  public var rgb: (red: UInt8, green: UInt8, blue: UInt8)? {
    guard let color, color.utf8.count == 7, color.hasPrefix("#"),
      color.dropFirst().allSatisfy({ $0.isASCII && $0.isHexDigit }),
      let value = UInt32(color.dropFirst(), radix: 16)
    else { return nil }
    return (UInt8(value >> 16), UInt8(value >> 8 & 255), UInt8(value & 255))
  }
}

extension CatalogVariant {
  /// A file of the picture in one format.
  public struct File: Sendable, Equatable {
    /// Relative to the catalog.
    public var path: String
    /// The media type.
    public var type: String
    public var bytes: Int
  }

  /// The picture at this size in all formats that there are, in their order of preference.
  public var files: [File] {
    [File(path: path, type: type, bytes: bytes)]
      + (also ?? []).map { File(path: $0.path, type: $0.type, bytes: $0.bytes) }
  }

  /// The first file in a format that the client can show; nil where there is none.
  ///
  /// - Parameter types: media types.
  public func file(accepting types: Set<String>) -> File? {
    if types.contains(type) { return File(path: path, type: type, bytes: bytes) }
    return files.first { types.contains($0.type) }
  }
}

extension Catalog {
  /// The media types of all files, in their order of preference: that of the formats which the pipeline asks for,
  /// fallbacks behind them.
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

  /// Where a file is: the path behind the base URL, or as it is where the catalog has none, for who knows where the
  /// catalog came from.
  public func url(of path: String) -> String { (baseURL ?? "") + path }
}
