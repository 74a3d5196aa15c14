internal import TesseraCatalog

extension Crop {
  /// The size of the largest part of an image that has a given shape, to within a pixel.
  static func largest(of shape: Size, in whole: Size) -> Size {
    var part = whole
    // At least a pixel: a wide crop of an image of 1 x 10,000 may have a height below one.
    // Compare W/H with w/h without dividing.
    if whole.width * shape.height >= whole.height * shape.width {
      part.width = max(1, roundedRatio(whole.height, shape.width, shape.height))
    } else {
      part.height = max(1, roundedRatio(whole.width, shape.height, shape.width))
    }
    return part
  }

  /// Where a part is: around the source's own focus, or else where the gravity pulls it.
  static func placement(of part: Size, in source: PlanSource, gravity: Gravity) -> Place {
    let focus: CatalogFocus
    switch (source.focus, gravity) {
    case (let own?, _): focus = own
    case (nil, .side(let side)): focus = side.focus
    case (nil, .found(let interest)): return .found(interest)
    }
    return .at(
      x: offset(of: part.width, in: source.size.width, focus: focus.x),
      y: offset(of: part.height, in: source.size.height, focus: focus.y))
  }

  /// Centres a part on the focus, as far as the image allows.
  private static func offset(of part: Int, in whole: Int, focus: Double) -> Int {
    let ideal = (focus * Double(whole) - Double(part) / 2).rounded(.down)
    return Int(min(max(0, ideal), Double(whole - part)))
  }
}
