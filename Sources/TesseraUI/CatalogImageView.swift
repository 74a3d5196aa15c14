#if canImport(SwiftUI)
  import Foundation
  public import SwiftUI
  public import TesseraCatalog
  import TesseraCatalogFoundation

  /// An image of a catalog in a slot. Its place has its final size before anything has loaded; until the file is there it
  /// shows the placeholder. A load that is no longer needed is cancelled, because it belongs to the view.
  ///
  ///     let index = CatalogIndex(catalog, accepting: CatalogImageTypes.system)
  ///     if let image = index["p1"] { CatalogImageView(image, slot: "card") }
  ///
  /// With a loader of the app's own, see ``CatalogRequest``.
  public struct CatalogImageView<Failure: View>: View {
    private let image: CatalogEntry
    private let slot: SlotName
    private let failure: (CatalogImage.Failure?) -> Failure

    @Environment(\.displayScale) private var scale

    /// - Parameters:
    ///   - image: of the catalog.
    ///   - slot: its name.
    ///   - failure: what to show if there is nothing to show. Its error is nil if the catalog has a file, and
    ///     the file could not be loaded.
    public init(
      _ image: CatalogEntry, slot: SlotName,
      @ViewBuilder failure: @escaping (CatalogImage.Failure?) -> Failure
    ) {
      self.image = image
      self.slot = slot
      self.failure = failure
    }

    public var body: some View {
      if let size = image.layoutSize(in: slot), let frame = image.frame(in: slot) {
        content
          .frame(width: CGFloat(frame.width), height: CGFloat(frame.height))
          .offset(x: CGFloat(frame.x), y: CGFloat(frame.y))
          .frame(width: CGFloat(size.width), height: CGFloat(size.height), alignment: .topLeading)
          .clipped()
          .accessibilityLabel(Text(image.alt ?? ""))
          // An empty text stands for an ornament; without a text there is nothing to read out either.
          .accessibilityHidden((image.alt ?? "").isEmpty)
      } else {
        failure(image.error)
      }
    }

    @ViewBuilder private var content: some View {
      if let request = CatalogRequest(image, slot: slot, scale: Double(scale)) {
        AsyncImage(url: request.url, transaction: Transaction(animation: .easeOut(duration: 0.2))) {
          phase in
          switch phase {
          case .success(let loaded): loaded.resizable().scaledToFill()
          case .failure: failure(nil)
          default: placeholder
          }
        }
      } else if image.status == .failed {
        failure(image.error)
      } else {
        placeholder
      }
    }

    @ViewBuilder private var placeholder: some View {
      if let pixels = image.placeholder?.pixels(), let drawn = pixels.cgImage {
        Image(decorative: drawn, scale: 1).resizable().interpolation(.medium)
      } else {
        Color.gray.opacity(0.2)
      }
    }
  }

  extension CatalogImageView where Failure == Color {
    /// With an empty place for what can't be shown.
    public init(_ image: CatalogEntry, slot: SlotName) {
      self.init(image, slot: slot) { _ in Color.gray.opacity(0.2) }
    }
  }
#endif
