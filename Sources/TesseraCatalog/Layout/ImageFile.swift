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

extension CatalogImage {
  /// Of what an app has of an image, the best one for a size: that size, or else the smallest larger one of the same part of
  /// the image, or else the largest smaller one. Nil if it has none of these.
  ///
  /// - Parameter cached: what the app has of a variant; nil if nothing.
  func cachedVariant<Cached>(
    width: Int, height: Int, cached: (CatalogVariant) -> Cached?
  ) -> Cached? {
    func find(_ candidates: some Sequence<CatalogVariant>) -> Cached? {
      for variant in candidates { if let found = cached(variant) { return found } }
      return nil
    }
    let alike = variants.filter { $0.hasShape(ofWidth: width, height: height) }
    return find(alike.filter { $0.width == width && $0.height == height })
      ?? find(alike.filter { $0.width >= width && $0.height >= height })
      ?? find(alike.filter { $0.width <= width && $0.height <= height }.reversed())
  }
}

extension CatalogVariant {
  /// Whether a file shows the same part of an image as one of this size: their sides are in the same proportion, up to the
  /// rounding of the smaller one's shorter side.
  fileprivate func hasShape(ofWidth otherWidth: Int, height otherHeight: Int) -> Bool {
    let (small, large) =
      width <= otherWidth
      ? ((width, height), (otherWidth, otherHeight)) : ((otherWidth, otherHeight), (width, height))
    guard small.0 > 0, small.1 > 0 else { return false }
    // As Double, because a catalog may state any size.
    let (width, height) = (Double(small.0), Double(small.1))
    let (across, down) = (Double(large.0), Double(large.1))
    return width >= height
      ? abs(width * down / across - height) <= 0.5 + width / across
      : abs(height * across / down - width) <= 0.5 + height / down
  }
}

/// Sets of media types that clients show, for a ``CatalogIndex``.
public enum SupportedTypes {
  /// What every client shows.
  public static let everywhere: Set = ["image/jpeg", "image/png", "image/gif"]

  /// Of iOS and iPadOS, and of tvOS, whose versions have the same numbers: WebP from 14, HEIC from 11, AVIF from
  /// 16, JPEG XL from 17.
  public static func iOS(_ major: Int) -> Set<String> {
    types([("image/heic", 11), ("image/webp", 14), ("image/avif", 16), ("image/jxl", 17)], major)
  }

  /// Of macOS: HEIC from 10.13 (any that Swift runs on), WebP from 11, AVIF from 13, JPEG XL from 14.
  public static func macOS(_ major: Int) -> Set<String> {
    types([("image/heic", 10), ("image/webp", 11), ("image/avif", 13), ("image/jxl", 14)], major)
  }

  /// Of a browser, by its header `Accept` (RFC 9110, section 12.5.1). Types of weight 0 are left out, and ranges such
  /// as `image/*` add nothing: browsers send them whatever they support.
  public static func accept(_ header: String) -> Set<String> {
    var types = everywhere
    for part in header.split(separator: ",") {
      let fields = part.split(separator: ";").map {
        $0.filter { $0 != " " && $0 != "\t" }.lowercased()
      }
      guard let type = fields.first, type.hasPrefix("image/"), !type.hasSuffix("*") else {
        continue
      }
      let isRejected = fields.dropFirst().contains {
        $0.hasPrefix("q=") && Double($0.dropFirst(2)) == 0
      }
      if isRejected { types.remove(type) } else { types.insert(type) }
    }
    return types
  }

  private static func types(_ since: [(type: String, version: Int)], _ version: Int) -> Set<String>
  {
    everywhere.union(since.filter { version >= $0.version }.map(\.type))
  }
}

extension Catalog {
  /// The media types of all files in their order of preference: the formats that the pipeline requests
  /// first, then those that take their place.
  public var types: [String] {
    var types: [String] = []
    for format in formats where format.dynamicRange == nil && !types.contains(format.type) {
      types.append(format.type)
    }
    return types
  }
}
