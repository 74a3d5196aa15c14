internal import TesseraCatalog

/// A rectangle of the displayed image, in its pixels.
package struct Crop: Sendable, Hashable, Codable {
  package var size: Size
  package var place: Place

  package enum Place: Sendable, Hashable, Codable {
    case at(x: Int, y: Int)
    /// The worker finds the place in the pixels: where there is most of this.
    case found(Interest)
  }

  package init(_ size: Size, _ place: Place) {
    self.size = size
    self.place = place
  }

  package init(x: Int, y: Int, size: Size) { self.init(size, .at(x: x, y: y)) }
}

extension Crop: CustomStringConvertible {
  /// `10,20,300x400` or `attention,300x400`.
  package var description: String {
    switch place {
    case .at(let x, let y): "\(x),\(y),\(size.width)x\(size.height)"
    case .found(let interest): "\(interest.rawValue),\(size.width)x\(size.height)"
    }
  }
}

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
