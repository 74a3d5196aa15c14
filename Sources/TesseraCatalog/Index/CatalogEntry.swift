/// An image of a catalog as one device sees it. It knows its place in each slot and the file to request for it.
///
///     let image = index["p1"]
///     let place = image?.layoutSize(in: "card")
///     let file = image?.file(for: "card", scale: 3)
///
/// All members of the ``CatalogImage`` are members of the entry, too: `image.alt`.
@dynamicMemberLookup
public struct CatalogEntry: Sendable, Identifiable {
  /// The image in the catalog.
  public let image: CatalogImage
  /// What it has in common with the other images.
  public let context: CatalogContext

  init(_ image: CatalogImage, _ context: CatalogContext) {
    self.image = image
    self.context = context
  }

  public var id: String { image.id }

  /// A member of the ``image``.
  public subscript<Value>(dynamicMember member: KeyPath<CatalogImage, Value>) -> Value {
    image[keyPath: member]
  }
}

extension CatalogEntry {
  /// The size of the image's box in a slot, in points. Nil if it is unknown, or if the image is not used in the slot. An image
  /// that failed has a box, too, if its size is known or the slot has both sides.
  public func layoutSize(in slot: SlotName) -> CatalogSize? { image.layoutSize(in: slot.rawValue) }

  /// The size of the image in any box, in the unit of the box: the box if the image covers it, or else a size of the image's
  /// shape, even if the image has fewer pixels. Sides are rounded to the nearest whole number and are at least 1.
  ///
  /// Nil if the image's own size is unknown, or if both sides of the box are nil.
  public func layoutSize(in box: CatalogBox) -> CatalogSize? { image.layoutSize(in: box) }

  /// Where the image is drawn in its box: it has the box's size, or covers it (`fill`), and then the focus decides which part
  /// is in it. Nil if ``layoutSize(in:)-(SlotName)`` is.
  public func frame(in slot: SlotName) -> CatalogFrame? { image.frame(in: slot.rawValue) }

  /// Where the whole image is drawn in any box.
  public func frame(in box: CatalogBox) -> CatalogFrame? { image.frame(in: box) }

  /// The file to request for a slot on a screen: the one for the smallest scale that is at least `scale`, or for the
  /// largest scale, in the first format that the device shows.
  ///
  /// Nil if the image is not used in the slot, or has no file that the device shows.
  ///
  /// - Parameters:
  ///   - slot: its name.
  ///   - scale: device pixels per point.
  public func file(for slot: SlotName, scale: Double) -> ImageFile? {
    image.variant(for: slot.rawValue, scale: scale, in: context.head).flatMap(context.file)
  }

  /// The file to request for any box on a screen: the smallest one with at least one pixel per device pixel, or the largest.
  /// Files that were cropped for a slot are ignored, unless all were.
  public func file(for box: CatalogBox, scale: Double) -> ImageFile? {
    image.variant(for: box, scale: scale).flatMap(context.file)
  }

  /// The file for a slot on a screen of high dynamic range: a JPEG with a gain map. Nil if there is none that the device shows.
  public func highDynamicRangeFile(for slot: SlotName, scale: Double) -> ImageFile? {
    image.variant(for: slot.rawValue, scale: scale, in: context.head).flatMap(highDynamicRangeFile)
  }

  /// The file for any box on a screen of high dynamic range: a JPEG with a gain map. Nil if there is none that the device shows.
  public func highDynamicRangeFile(for box: CatalogBox, scale: Double) -> ImageFile? {
    image.variant(for: box, scale: scale).flatMap(highDynamicRangeFile)
  }

  private func highDynamicRangeFile(of variant: CatalogVariant) -> ImageFile? {
    guard let file = variant.highDynamicRangeFile, context.accepted.contains(file.type) else {
      return nil
    }
    return context.file(file, of: variant)
  }

  /// The best file that an app has already, to show at once while the wanted one loads: the wanted size, or else the smallest
  /// larger one of the same part of the image, or else the largest smaller one. Nil if it has none of these.
  ///
  /// - Parameters:
  ///   - wanted: the file chosen for the place.
  ///   - isCached: whether the file with this ``ImageFile/reference`` is at hand.
  public func cachedFile(
    for wanted: ImageFile, isCached: (_ reference: String) -> Bool
  ) -> ImageFile? {
    if isCached(wanted.reference) { return wanted }
    return image.cachedVariant(width: wanted.width, height: wanted.height) { variant in
      variant.files.first { context.accepted.contains($0.type) && isCached($0.reference) }
        .map { context.file($0, of: variant) }
    }
  }

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
