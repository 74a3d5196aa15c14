/// What an image service makes, as far as the sizes of variants follow from it.
package struct ServiceLimits: Sendable, Equatable {
  /// Whether it crops. If not, a `clip` slot gets the whole image, covering the slot, and clients crop it.
  package var crops = true
  /// The longest side of a result, in pixels; a format that is missing has no limit.
  package var longestSides: [OutputFormat: Int] = [:]
  /// The largest area of a result, in pixels; a format that is missing has no limit.
  package var areas: [OutputFormat: Int] = [:]
  /// The widths that it makes, ascending; empty for any. A request is rounded up to one of them.
  package var widths: [Int] = []

  /// The formats that it makes.
  package var formats: Set<OutputFormat> = []

  package init() {}

  /// The longest side of a result of this shape in all of these formats; nil for any.
  func longestSide(of shape: Size, in formats: [OutputFormat]) -> Int? {
    formats.compactMap { format in
      let byArea = areas[format].map { Self.longestSide(of: shape, area: $0) }
      return [longestSides[format], byArea].compactMap(\.self).min()
    }.min()
  }

  private static func longestSide(of shape: Size, area: Int) -> Int {
    let (longer, shorter) = (shape.longerSide, min(shape.width, shape.height))
    func fits(_ length: Int) -> Bool {
      length * max(1, roundedRatio(length, shorter, longer)) <= area
    }
    // L * (L * ratio - 1/2) <= area: no longer side fits, because the shorter one is rounded.
    let ratio = Double(shorter) / Double(longer)
    var length = Int((0.5 + (0.25 + 4 * ratio * Double(area)).squareRoot()) / (2 * ratio)) + 1
    while length > 1, !fits(length) { length -= 1 }
    return length
  }
}
