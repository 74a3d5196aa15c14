import Foundation
import Kingfisher
import SwiftUI
import TesseraCatalog
import TesseraCatalogFoundation
import TesseraUI
import UIKit

// The images of a catalog with Kingfisher 8, for an app to copy; Pipelines/APPS.md shows how to use it.

extension ImageFile {
  /// What Kingfisher requests, and what its caches know by `ImageFile.reference`. The file has the pixels of its place, so
  /// nothing resizes it.
  var kingfisher: KF.ImageResource? {
    requestURL.map { KF.ImageResource(downloadURL: $0, cacheKey: reference) }
  }
}

extension KingfisherManager {
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

  /// Loads files into the caches before their views appear. A view that requests a file in flight shares its download.
  ///
  /// - Parameter prefetch: the limits.
  @MainActor func prefetcher(_ prefetch: Prefetch = Prefetch()) -> Prefetcher {
    Prefetcher(
      prefetch, isCached: { self.memoryImage($0) != nil },
      load: { request, ended in
        guard let resource = request.file.kingfisher else {
          ended(false)
          return .init(cancel: {})
        }
        let priority =
          request.isVisible ? URLSessionTask.highPriority : URLSessionTask.lowPriority
        let task = self.retrieveImage(with: resource, options: [.downloadPriority(priority)]) {
          result in
          let isLoaded = if case .success = result { true } else { false }
          Task { await ended(isLoaded) }
        }
        // Nil for a file on the disk, which needs no download. Kingfisher changes no priority later.
        return .init(cancel: { task?.cancel() })
      })
  }

  private func memoryImage(_ reference: String) -> UIImage? {
    cache.retrieveImageInMemoryCache(forKey: reference)
  }
}

/// Shows an image in a view.
///
/// - Parameters:
///   - image: of the catalog.
///   - slot: its name.
///   - view: it has the size of `image.box(in: slot)`.
///   - failed: called when there is a failed state to show; a tap on it calls this function again.
@MainActor func showWithKingfisher(
  _ image: CatalogEntry, slot: SlotName, in view: UIImageView,
  failed: @escaping @MainActor @Sendable () -> Void
) {
  let file = image.file(for: slot, scale: Double(view.traitCollection.displayScale))
  let waiting = KingfisherManager.shared.waitingImage(image, for: file)
  view.kf.setImage(
    with: file?.kingfisher, placeholder: waiting, options: [.progressiveJPEG(ImageProgressive())]
  ) { result in
    if case .failure = result { failed() }
  }
}

/// An image in a slot, in three states. Give it the frame `image.box(in: slot)`.
struct KingfisherCatalogImage: View {
  let image: CatalogEntry
  let slot: SlotName
  @Environment(\.displayScale) private var scale

  var body: some View {
    let file = image.file(for: slot, scale: Double(scale))
    CatalogRetrying { fail in
      KFImage.resource(file?.kingfisher).placeholder {
        if let waiting = KingfisherManager.shared.waitingImage(image, for: file) {
          Image(uiImage: waiting).resizable()
        }
      }.progressiveJPEG().onFailure { _ in fail() }.resizable()
    }
  }
}
