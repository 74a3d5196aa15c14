import Foundation
import SDWebImage
import SwiftUI
import TesseraCatalog
import TesseraCatalogFoundation
import TesseraUI
import UIKit

#if canImport(SDWebImageSwiftUI)
  import SDWebImageSwiftUI
#endif

// The images of a catalog with SDWebImage 5, for an app to copy; Pipelines/APPS.md shows how to use it.

extension ImageFile {
  /// The context of a request for the file: SDWebImage's caches know it by `ImageFile.reference`. The file has the pixels of
  /// its place, so nothing resizes it.
  var sdContext: [SDWebImageContextOption: Any] {
    let reference = reference
    return [.cacheKeyFilter: SDWebImageCacheKeyFilter(block: { _ in reference })]
  }
}

extension SDWebImageOptions {
  /// For views: JPEGs are shown while they load. Without `retryFailed`, SDWebImage never requests again what failed once.
  static let catalog: SDWebImageOptions = [.retryFailed, .progressiveLoad, .highPriority]
}

extension SDImageCache {
  /// What to show while a file loads: the best file of the image in memory, or else the placeholder. Nil if there is neither.
  ///
  /// - Parameters:
  ///   - image: of the catalog.
  ///   - file: the one for the place; nil if there is none.
  func waitingImage(_ image: CatalogEntry, for file: ImageFile?) -> UIImage? {
    let cached = file.flatMap {
      image.cachedFile(for: $0) { self.imageFromMemoryCache(forKey: $0) != nil }
    }
    return cached.flatMap { imageFromMemoryCache(forKey: $0.reference) }
      ?? image.placeholder?.pixels()?.cgImage.map { UIImage(cgImage: $0) }
  }
}

extension SDWebImageManager {
  /// Loads files into the caches before their views appear. A view that requests a file in flight shares its download, and with
  /// it its priority.
  ///
  /// - Parameters:
  ///   - prefetch: the limits.
  ///   - cache: the manager's.
  @MainActor func prefetcher(
    _ prefetch: Prefetch = Prefetch(), cache: SDImageCache = .shared
  ) -> Prefetcher {
    Prefetcher(
      // Only memory: a look-up on the disk would wait for what is being written.
      prefetch, isCached: { cache.imageFromMemoryCache(forKey: $0) != nil },
      load: { request, ended in
        let operation = self.loadImage(
          with: request.file.requestURL,
          options: [.retryFailed, request.isVisible ? .highPriority : .lowPriority],
          context: request.file.sdContext, progress: nil
        ) { image, _, _, _, isFinished, _ in
          if isFinished { ended(image != nil) }
        }
        return .init(cancel: { operation?.cancel() })
      })
  }
}

/// Shows an image in a view.
///
/// - Parameters:
///   - image: of the catalog.
///   - slot: its name.
///   - view: it has the size of `image.box(in: slot)`.
///   - failed: called when there is a failed state to show; a tap on it calls this function again.
@MainActor func showWithSDWebImage(
  _ image: CatalogEntry, slot: SlotName, in view: UIImageView,
  failed: @escaping @MainActor () -> Void
) {
  let file = image.file(for: slot, scale: Double(view.traitCollection.displayScale))
  let waiting = SDImageCache.shared.waitingImage(image, for: file)
  view.sd_setImage(
    with: file?.requestURL, placeholderImage: waiting, options: .catalog, context: file?.sdContext,
    progress: nil
  ) { _, error, _, _ in
    if error != nil { failed() }
  }
}

#if canImport(SDWebImageSwiftUI)
  /// An image in a slot, in three states. Give it the frame `image.box(in: slot)`.
  struct SDWebImageCatalogImage: View {
    let image: CatalogEntry
    let slot: SlotName
    @Environment(\.displayScale) private var scale

    var body: some View {
      let file = image.file(for: slot, scale: Double(scale))
      CatalogRetrying { fail in
        WebImage(url: file?.requestURL, options: .catalog, context: file?.sdContext) { loaded in
          loaded.resizable()
        } placeholder: {
          if let waiting = SDImageCache.shared.waitingImage(image, for: file) {
            Image(uiImage: waiting).resizable()
          }
        }.onFailure { _ in fail() }
      }
    }
  }
#endif
