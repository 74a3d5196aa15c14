import Nuke
import SwiftUI
import TesseraCatalog
import TesseraCatalogFoundation
import TesseraUI
import UIKit

#if canImport(NukeExtensions)
  import NukeExtensions
#endif
#if canImport(NukeUI)
  import NukeUI
#endif

// The images of a catalog with Nuke 12, for an app to copy; Pipelines/APPS.md shows how to use it.

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

#if canImport(NukeExtensions)
  /// Shows an image in a view.
  ///
  /// - Parameters:
  ///   - image: of the catalog.
  ///   - slot: its name.
  ///   - view: it has the size of `image.box(in: slot)`.
  ///   - failed: called when there is a failed state to show; a tap on it calls this function again.
  @MainActor func showWithNuke(
    _ image: CatalogEntry, slot: SlotName, in view: UIImageView,
    failed: @escaping @MainActor () -> Void
  ) {
    let file = image.file(for: slot, scale: Double(view.traitCollection.displayScale))
    let waiting = ImagePipeline.shared.waitingImage(image, for: file)
    let options = ImageLoadingOptions(placeholder: waiting)
    loadImage(with: file.map { ImageRequest($0) }, options: options, into: view) { result in
      if case .failure = result { failed() }
    }
  }
#endif

#if canImport(NukeUI)
  /// An image in a slot, in three states. Give it the frame `image.box(in: slot)`.
  struct NukeCatalogImage: View {
    let image: CatalogEntry
    let slot: SlotName
    @Environment(\.displayScale) private var scale

    var body: some View {
      let file = image.file(for: slot, scale: Double(scale))
      CatalogRetrying { fail in
        LazyImage(request: file.map { ImageRequest($0) }) { state in
          if let loaded = state.image {
            loaded.resizable()
          } else if let waiting = ImagePipeline.shared.waitingImage(image, for: file) {
            Image(uiImage: waiting).resizable()
          }
        }.onCompletion { result in
          if case .failure = result { fail() }
        }
      }
    }
  }
#endif
