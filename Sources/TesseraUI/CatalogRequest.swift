#if canImport(SwiftUI)
  import CoreGraphics
  public import Foundation
  public import TesseraCatalog
  import TesseraCatalogFoundation

  /// What an image loader needs for one place on a screen: a URL, the size of the place, and the size of the file.
  ///
  /// No loader has to resize: the file has the pixels of the place, up to the next power of two. `Sources/Clients/ios` has files
  /// for Nuke, Kingfisher and SDWebImage, with a key for their caches and a placeholder, too.
  public struct CatalogRequest: Sendable, Hashable, Identifiable {
    /// The file's URL. What is behind it never changes, so it may be cached indefinitely.
    public var url: URL
    /// The size of the place, in points.
    public var size: CGSize
    /// The size of the file, in pixels.
    public var pixels: CGSize

    public var id: URL { url }

    /// The request for an image in a slot.
    ///
    /// - Parameter scale: device pixels per point.
    /// - Returns: nil if the image has no file for the slot that the device shows.
    public init?(_ image: CatalogEntry, slot: SlotName, scale: Double) {
      guard let size = image.layoutSize(in: slot), let file = image.file(for: slot, scale: scale),
        let url = file.requestURL
      else { return nil }
      self.url = url
      self.size = CGSize(width: Double(size.width), height: Double(size.height))
      pixels = CGSize(width: Double(file.width), height: Double(file.height))
    }
  }
#endif
