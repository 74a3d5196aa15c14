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
