/// A size in points, or in pixels where that is said.
public struct CatalogSize: Sendable, Equatable, Hashable, Codable {
  public var width: Int
  public var height: Int

  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }
}

/// A place for a picture that no slot was made for. A side that is nil is free; not both.
public struct CatalogBox: Sendable, Equatable, Hashable {
  public var width: Int?
  public var height: Int?
  public var mode: CatalogSlot.Mode

  public init(width: Int?, height: Int?, mode: CatalogSlot.Mode = .fit) {
    self.width = width
    self.height = height
    self.mode = mode
  }
}

extension CatalogImage {
  /// The size that the picture has in one of the catalog's slots, in points; nil where its own size never became
  /// known, or where it has no such slot.
  public func layoutSize(in slot: String) -> CatalogSize? {
    slots[slot].map { CatalogSize(width: $0.width, height: $0.height) }
  }

  /// The size that the picture has in any box, in the box's unit, as the catalog's own slots have it: it keeps its shape,
  /// unless it is cropped (`clip`), and fills the box whether it has as many pixels or not. Sides are rounded to the
  /// nearest whole number, and are at least 1.
  ///
  /// Nil where the picture's size never became known, or where neither side of the box is given.
  public func layoutSize(in box: CatalogBox) -> CatalogSize? {
    guard let width, let height, width > 0, height > 0 else { return nil }
    let (own, other) = (Double(width), Double(height))
    func byWidth(_ across: Int) -> CatalogSize {
      CatalogSize(width: max(1, across), height: Self.rounded(Double(across) * other, by: own))
    }
    func byHeight(_ down: Int) -> CatalogSize {
      CatalogSize(width: Self.rounded(Double(down) * own, by: other), height: max(1, down))
    }
    switch (box.width, box.height) {
    case (nil, nil): return nil
    case (let across?, nil): return byWidth(across)
    case (nil, let down?): return byHeight(down)
    case (let across?, let down?):
      if box.mode == .clip { return CatalogSize(width: max(1, across), height: max(1, down)) }
      let isTighterAcross = Double(across) * other <= Double(down) * own
      return (box.mode == .fill) != isTighterAcross ? byWidth(across) : byHeight(down)
    }
  }

  /// A quotient as a side: the nearest whole number, halves up, from 1 to a thousand million.
  private static func rounded(_ dividend: Double, by divisor: Double) -> Int {
    Int(max(1, min(1e9, ((2 * dividend + divisor) / (2 * divisor)).rounded(.down))))
  }

  /// The file to fetch for any box on a screen: the smallest that has a pixel for each of the screen's, or the largest
  /// there is. Files that were cropped for a slot are left out, unless all of them were.
  ///
  /// - Parameter scale: device pixels a point.
  public func variant(for box: CatalogBox, scale: Double) -> CatalogVariant? {
    guard let shown = uncroppedSize(in: box) else { return nil }
    let whole = wholeVariants
    let candidates = whole.isEmpty ? variants : whole
    let (across, down) = (Double(shown.width) * scale, Double(shown.height) * scale)
    return candidates.first {
      Double($0.width) + 0.5 >= across && Double($0.height) + 0.5 >= down
    } ?? candidates.last
  }

  /// The files that show the whole picture, smallest first; the others were cropped for a slot.
  public var wholeVariants: [CatalogVariant] {
    guard let width, let height, width > 0, height > 0 else { return [] }
    // The longer side is as it was asked for, the other one follows from it.
    let (own, other) = (Double(width), Double(height))
    return variants.filter { variant in
      width >= height
        ? variant.height == Self.rounded(Double(variant.width) * other, by: own)
        : variant.width == Self.rounded(Double(variant.height) * own, by: other)
    }
  }

  /// The size of the whole picture, where a box shows a part of it.
  private func uncroppedSize(in box: CatalogBox) -> CatalogSize? {
    var box = box
    if box.mode == .clip { box.mode = .fill }
    return layoutSize(in: box)
  }
}
