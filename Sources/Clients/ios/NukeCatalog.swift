import Nuke
import TesseraCatalog
import TesseraCatalogFoundation
import UIKit

// The images of a catalog with Nuke 12, for an app to copy; README.md shows how to use it.

extension ImageRequest {
  /// The request for a file, which Nuke's caches know by `ImageFile.reference`. The file has the pixels of its place, so
  /// nothing resizes it.
  init(_ file: ImageFile, isVisible: Bool = true) {
    self.init(
      url: file.requestURL, priority: isVisible ? .high : .low,
      userInfo: [.imageIdKey: file.reference])
  }
}

extension ImagePipeline {
  /// A pipeline that shows JPEGs while they load, sharper with each scan.
  static let progressive = ImagePipeline { $0.isProgressiveDecodingEnabled = true }

  /// What to show while a file loads: the best file of the image in the memory cache, or else the placeholder. Nil if there
  /// is neither.
  ///
  /// - Parameters:
  ///   - image: of the catalog.
  ///   - file: the one for the place; nil if there is none.
  func waitingImage(_ image: CatalogEntry, for file: ImageFile?) -> UIImage? {
    let cached = file.flatMap { image.cachedFile(for: $0) { self.memoryImage($0) != nil } }
    return cached.flatMap { memoryImage($0.reference) }
      ?? image.placeholder?.pixels()?.cgImage.map { UIImage(cgImage: $0) }
  }

  /// Loads files into the caches before their views appear. A view that requests a file in flight shares its request.
  ///
  /// - Parameter prefetch: the limits.
  @MainActor func prefetcher(_ prefetch: Prefetch = Prefetch()) -> Prefetcher {
    Prefetcher(
      prefetch, isCached: { self.memoryImage($0) != nil },
      load: { request, ended in
        // Nuke does not call this after a cancellation.
        let task = self.loadImage(
          with: ImageRequest(request.file, isVisible: request.isVisible)
        ) { result in
          if case .success = result { ended(true) } else { ended(false) }
        }
        return .init(
          cancel: { task.cancel() }, setVisible: { task.priority = $0 ? .high : .low })
      })
  }

  /// The disk is left out, because Nuke would decode the file to answer.
  private func memoryImage(_ reference: String) -> UIImage? {
    let request = ImageRequest(url: nil, userInfo: [.imageIdKey: reference])
    return cache.cachedImage(for: request, caches: .memory)?.image
  }
}
