package import TesseraCatalog

/// A place in the layout, in points. At least one side is set; `clip` needs both. A side that is
/// nil is free.
package struct Slot: Sendable, Equatable {
  package var name: String
  package var width: Int?
  package var height: Int?
  package var mode: CatalogSlot.Mode
  /// Nil if images of all shapes are shown whole.
  package var bounds: ShapeBounds?

  package init(
    _ name: String, width: Int?, height: Int?, mode: CatalogSlot.Mode = .fit,
    bounds: ShapeBounds? = nil
  ) {
    self.name = name
    self.width = width
    self.height = height
    self.mode = mode
    self.bounds = bounds
  }

  /// The sides of a slot that every image covers; nil if the image's shape decides on a side.
  package var coveredBox: Size? {
    guard mode != .fit, let width, let height else { return nil }
    return Size(width, height)
  }

  /// Whether an image of any shape is shown whole on a free side, so that nothing bounds its box.
  package var isUnbounded: Bool { bounds == nil && (width == nil || height == nil) }

  /// The shape of the part of an image that the slot shows; nil if it shows the whole.
  func shape(for whole: Size) -> Size? {
    mode == .clip ? coveredBox : bounds?.shape(for: whole)
  }
}

/// The shapes that a slot shows whole. Of an image that is narrower or wider, a part is shown.
package struct ShapeBounds: Sendable, Equatable {
  /// Width and height in proportion.
  package var narrowest: Size
  package var widest: Size

  package init(_ narrowest: Size, _ widest: Size) {
    self.narrowest = narrowest
    self.widest = widest
  }

  /// The shape of the part that is shown; nil if it is the whole.
  func shape(for whole: Size) -> Size? {
    if whole.isNarrower(than: narrowest) { return narrowest }
    return widest.isNarrower(than: whole) ? widest : nil
  }
}

extension Size {
  /// Whether the width is a smaller part of the height.
  package func isNarrower(than other: Size) -> Bool { width * other.height < other.width * height }
}
