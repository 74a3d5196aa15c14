internal import TesseraText

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
    x = Double(box.width - image.width) * (focus?.x ?? 0.5)
    y = Double(box.height - image.height) * (focus?.y ?? 0.5)
    width = image.width
    height = image.height
  }
}

/// The size of a box, and that of the image in it, which is at least as large: whole numbers.
struct ImageLayout {
  var box: CatalogSize
  var image: CatalogSize

  /// No side of a box is longer, in points.
  static let longestSide = 100_000.0

  /// - Parameter image: in points. Where a bound cuts the box, the image covers it.
  init(box: (width: Double, height: Double), image: (width: Double, height: Double)) {
    func whole(_ length: Double) -> Int { Int(max(1, min(Self.longestSide, length))) }
    self.box = CatalogSize(width: whole(box.width), height: whole(box.height))
    // 1e9 keeps the conversion to Int from overflowing.
    func side(_ length: Double, _ box: Int) -> Int { max(box, Int(min(1e9, length))) }
    self.image = CatalogSize(
      width: side(image.width, self.box.width), height: side(image.height, self.box.height))
  }

  /// Of an image whose size is unknown: what is given of a place; a square where one side is free. Nil if both are.
  init?(_ width: Double?, _ height: Double?) {
    guard let across = width ?? height, let down = height ?? width else { return nil }
    let size = (CatalogImage.rounded(across, by: 1), CatalogImage.rounded(down, by: 1))
    self.init(box: size, image: size)
  }
}

extension CatalogImage {
  /// The image in one of the catalog's slots; nil if it is not used there.
  func layout(in slot: String, of catalog: Catalog) -> ImageLayout? {
    guard let use = slots[slot] else { return nil }
    if let box = use.box {
      let image = use.image ?? box
      return ImageLayout(
        box: (Double(box.width), Double(box.height)),
        image: (Double(image.width), Double(image.height)))
    }
    let place = catalog.slots[slot]
    return ImageLayout(place?.width.map { Double($0) }, place?.height.map { Double($0) })
  }

  /// The image in any box, in the unit of the box; nil as for ``CatalogEntry/box(in:)-(CatalogBox)``.
  func layout(in box: CatalogBox) -> ImageLayout? {
    guard [box.width, box.height].allSatisfy({ $0.map { $0.isFinite && $0 > 0 } ?? true }) else {
      return nil
    }
    guard let width, let height, width > 0, height > 0 else {
      return ImageLayout(box.width, box.height)
    }
    let (own, other) = (Double(width), Double(height))
    func byWidth(_ across: Double) -> (width: Double, height: Double) {
      (Self.rounded(across, by: 1), Self.rounded(across * other, by: own))
    }
    func byHeight(_ down: Double) -> (width: Double, height: Double) {
      (Self.rounded(down * own, by: other), Self.rounded(down, by: 1))
    }
    switch (box.width, box.height) {
    case (nil, nil): return nil
    case (let across?, nil): return ImageLayout(box: byWidth(across), image: byWidth(across))
    case (nil, let down?): return ImageLayout(box: byHeight(down), image: byHeight(down))
    case (let across?, let down?):
      let isTighterAcross = across * other <= down * own
      let image = (box.mode == .fit) == isTighterAcross ? byWidth(across) : byHeight(down)
      let covered = (Self.rounded(across, by: 1), Self.rounded(down, by: 1))
      return ImageLayout(box: box.mode == .fit ? image : covered, image: image)
    }
  }

  /// A quotient as the length of a side: the nearest whole number, halves rounded up, and at least 1.
  fileprivate static func rounded(_ dividend: Double, by divisor: Double) -> Double {
    max(1, ((2 * dividend + divisor) / (2 * divisor)).rounded(.down))
  }

  /// The file to fetch for any box on a screen: the smallest file with at least one pixel per device
  /// pixel, or the largest file. Files that were cropped for a slot are ignored, unless all were.
  ///
  /// - Parameters:
  ///   - box: on the screen, in points.
  ///   - scale: device pixels per point.
  func variant(for box: CatalogBox, scale: Double) -> CatalogVariant? {
    // A file of the whole image covers a box if both sides do.
    guard scale.isFinite, scale > 0, let shown = layout(in: box)?.box else { return nil }
    let whole = wholeVariants
    let candidates = whole.isEmpty ? variants : whole
    let (across, down) = (Double(shown.width) * scale, Double(shown.height) * scale)
    // A file's sides are rounded, so it may be up to half a pixel smaller than computed.
    return candidates.first {
      Double($0.width) + 0.5 >= across && Double($0.height) + 0.5 >= down
    } ?? candidates.last
  }

  /// The variants that show the whole image, smallest first. The others were cropped for a slot.
  package var wholeVariants: [CatalogVariant] { variants.filter { $0.crop == nil } }
}

/// A slot that a catalog does not have.
public struct UnknownSlot: Error, Sendable, Hashable, CustomStringConvertible {
  /// The name that the app used.
  public var name: String
  /// The slots of the catalog, sorted.
  public var known: [String]
  /// The one that was probably meant.
  public var suggestion: String?

  /// `the catalog has no slot "crad"; did you mean "card"?`
  public var description: String {
    let rest =
      suggestion.map { "did you mean \"\($0)\"?" } ?? "it has \(known.joined(separator: ", "))"
    return "the catalog has no slot \"\(name)\"; \(rest)"
  }
}

extension Catalog {
  /// Checks the names that an app uses, once, when it has read the catalog. Later lookups return nil for a slot
  /// that is unknown, as they do for an image that is not used in it.
  ///
  /// - Throws: ``UnknownSlot`` for the first name that the catalog does not have.
  public func requireSlots(_ names: SlotName...) throws(UnknownSlot) {
    for name in names.map(\.rawValue) where slots[name] == nil {
      let known = slots.keys.sorted()
      throw UnknownSlot(name: name, known: known, suggestion: Nearest.match(to: name, among: known))
    }
  }
}

extension CatalogImage {
  /// The file to fetch for a slot on a screen: the one made for the smallest scale that is at least
  /// `scale`, or for the largest scale.
  ///
  /// Nil if the image is not used in the slot, if it has no files, or if the scale is not a number above 0: a layout that is not
  /// there yet.
  package func variant(for slot: String, scale: Double, in catalog: Catalog) -> CatalogVariant? {
    guard scale.isFinite, scale > 0, let use = slots[slot], let place = catalog.place(of: scale),
      // Both indices come from a document, so both may be out of range.
      use.variants.indices.contains(place), variants.indices.contains(use.variants[place])
    else { return nil }
    return variants[use.variants[place]]
  }

  /// Width divided by height, as displayed. Nil if the size is unknown.
  public var aspectRatio: Double? {
    guard let width, let height, width > 0, height > 0 else { return nil }
    return Double(width) / Double(height)
  }
}

extension Catalog {
  /// The index of the smallest scale that is at least this one, or of the largest scale.
  fileprivate func place(of scale: Double) -> Int? {
    scales.firstIndex { Double($0) >= scale } ?? (scales.isEmpty ? nil : scales.count - 1)
  }
}
