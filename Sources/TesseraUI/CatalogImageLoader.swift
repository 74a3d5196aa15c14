#if canImport(SwiftUI)
  import CoreGraphics
  public import Foundation
  import ImageIO
  public import TesseraCatalog
  public import TesseraCatalogFoundation

  /// Loads the files of all ``CatalogImageView``s, each once. When the network returns it tries again what failed.
  ///
  ///     CatalogImageLoader.shared.upcoming = nextFiles  // to have them before their views appear
  @MainActor public enum CatalogImageLoader {
    /// The loader of all views. An app with settings of its own sets it before its first view:
    /// `FileLoader(configuration: configuration, decode: CatalogImageLoader.decode)`.
    public static var shared: FileLoader<DecodedImage> = {
      Task { await whenNetworkReturns { shared.reconnect() } }
      return FileLoader(decode: decode)
    }()

    /// The first frame, with the pixels that the catalog states at most: a file of another size costs no more memory.
    public nonisolated static func decode(_ data: Data, _ file: ImageFile) throws -> DecodedImage {
      let options: [CFString: Any] = [
        kCGImageSourceCreateThumbnailFromImageAlways: true,
        kCGImageSourceCreateThumbnailWithTransform: true,
        kCGImageSourceShouldCacheImmediately: true,
        // What formats hold; a catalog may state any size.
        kCGImageSourceThumbnailMaxPixelSize: min(1 << 14, max(file.width, file.height)),
      ]
      guard let source = CGImageSourceCreateWithData(data as CFData, nil),
        let image = CGImageSourceCreateThumbnailAtIndex(source, 0, options as CFDictionary)
      else { throw CocoaError(.fileReadCorruptFile) }
      return DecodedImage(image: image)
    }
  }
#endif
