/// A place in the layout that is not a slot, in points. A nil side is free; at most one side may be nil.
public struct CatalogBox: Sendable, Hashable {
  /// In points; nil if it is free.
  public var width: Double?
  /// In points; nil if it is free.
  public var height: Double?
  /// How the image fills the box.
  public var mode: CatalogSlot.Mode

  /// A box. By default the whole image is inside.
  public init(width: Double?, height: Double?, mode: CatalogSlot.Mode = .fit) {
    self.width = width
    self.height = height
    self.mode = mode
  }
}

extension CatalogBox {
  /// The whole box, if every image covers it.
  fileprivate var covered: CatalogSize? {
    guard mode != .fit, let width, let height else { return nil }
    return CatalogSize(
      width: CatalogImage.rounded(width, by: 1), height: CatalogImage.rounded(height, by: 1))
  }
}

/// Where an image is drawn, in points. The origin is the upper left corner of its box.
public struct CatalogFrame: Sendable, Hashable {
  /// 0 or less: what is left of the box is not shown.
  public var x: Double
  /// 0 or less.
  public var y: Double
  /// In points.
  public var width: Int
  /// In points.
  public var height: Int

  /// An image in a box. As CSS's `object-position` does, it puts the point of the image at the same fractions of the box.
  init(_ image: CatalogSize, in box: CatalogSize, focus: CatalogFocus?) {
    // As Double: sides of an untrusted catalog could overflow an Int.
    x = (Double(box.width) - Double(image.width)) * (focus?.x ?? 0.5)
    y = (Double(box.height) - Double(image.height)) * (focus?.y ?? 0.5)
    width = image.width
    height = image.height
  }
}

extension CatalogImage {
  /// The size of the image's box in one of the catalog's slots, in points. Nil if it is unknown, or if the image is not used in
  /// the slot.
  package func layoutSize(in slot: String) -> CatalogSize? {
    slots[slot]?.box
  }

  /// Where the image is drawn in its box: it has the box's size, or covers it (`fill`), and then the ``focus`` decides which
  /// part is in it. Nil if ``layoutSize(in:)-(String)`` is.
  package func frame(in slot: String) -> CatalogFrame? {
    guard let use = slots[slot], let box = layoutSize(in: slot) else { return nil }
    return CatalogFrame(use.image ?? box, in: box, focus: focus)
  }

  /// Where the whole image is drawn in any box.
  package func frame(in box: CatalogBox) -> CatalogFrame? {
    guard let image = imageSize(in: box), let layout = layoutSize(in: box) else { return nil }
    return CatalogFrame(image, in: layout, focus: focus)
  }

  /// The size that the image takes in any box, in the unit of the box: the box if the image covers it, or else a size of
  /// the image's shape, even if the image has fewer pixels. Sides are rounded to the nearest whole number and are at least 1.
  ///
  /// Nil if the image's own size is unknown, or if both sides of the box are nil.
  package func layoutSize(in box: CatalogBox) -> CatalogSize? {
    let image = imageSize(in: box)
    return image == nil ? nil : box.covered ?? image
  }

  /// The size of the whole image, which covers the box or is inside.
  private func imageSize(in box: CatalogBox) -> CatalogSize? {
    guard let width, let height, width > 0, height > 0 else { return nil }
    // As Double: a product of sides that an untrusted catalog states could overflow an Int.
    let (own, other) = (Double(width), Double(height))
    func byWidth(_ across: Double) -> CatalogSize {
      CatalogSize(
        width: Self.rounded(across, by: 1), height: Self.rounded(across * other, by: own))
    }
    func byHeight(_ down: Double) -> CatalogSize {
      CatalogSize(width: Self.rounded(down * own, by: other), height: Self.rounded(down, by: 1))
    }
    switch (box.width, box.height) {
    case (nil, nil): return nil
    case (let across?, nil): return byWidth(across)
    case (nil, let down?): return byHeight(down)
    case (let across?, let down?):
      let isTighterAcross = across * other <= down * own
      return (box.mode == .fit) == isTighterAcross ? byWidth(across) : byHeight(down)
    }
  }

  /// A quotient as the length of a side: the nearest whole number, halves rounded up.
  fileprivate static func rounded(_ dividend: Double, by divisor: Double) -> Int {
    // A catalog is untrusted input: 1e9 keeps the conversion to Int from overflowing.
    Int(max(1, min(1e9, ((2 * dividend + divisor) / (2 * divisor)).rounded(.down))))
  }

  /// The file to fetch for any box on a screen: the smallest file with at least one pixel per device
  /// pixel, or the largest file. Files that were cropped for a slot are ignored, unless all were.
  ///
  /// - Parameters:
  ///   - box: on the screen, in points.
  ///   - scale: device pixels per point.
  package func variant(for box: CatalogBox, scale: Double) -> CatalogVariant? {
    // A file of the whole image covers a box if both sides do.
    guard let shown = layoutSize(in: box) else { return nil }
    let whole = wholeVariants
    let candidates = whole.isEmpty ? variants : whole
    // NaN and infinity come from a layout that is not there yet.
    guard scale.isFinite else { return candidates.last }
    let (across, down) = (Double(shown.width) * scale, Double(shown.height) * scale)
    // A file's sides are rounded, so it may be up to half a pixel smaller than computed.
    return candidates.first {
      Double($0.width) + 0.5 >= across && Double($0.height) + 0.5 >= down
    } ?? candidates.last
  }

  /// The variants that show the whole image, smallest first. The others were cropped for a slot.
  package var wholeVariants: [CatalogVariant] { variants.filter { $0.crop == nil } }
}
