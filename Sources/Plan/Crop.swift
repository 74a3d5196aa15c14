package import TesseraCatalog

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

/// The part of an image that crops keep.
package enum Gravity: Sendable, Hashable, RawRepresentable {
  /// A side, a corner, or the centre.
  case side(Side)
  /// A place that the worker finds in the pixels.
  case found(Interest)

  package enum Side: String, Sendable, CaseIterable {
    case centre, north, east, south, west
    case northEast = "north-east"
    case southEast = "south-east"
    case southWest = "south-west"
    case northWest = "north-west"

    /// The point that a crop is centred on, as far as the image allows.
    package var focus: CatalogFocus {
      switch self {
      case .centre: .init(x: 0.5, y: 0.5)
      case .north: .init(x: 0.5, y: 0)
      case .northEast: .init(x: 1, y: 0)
      case .east: .init(x: 1, y: 0.5)
      case .southEast: .init(x: 1, y: 1)
      case .south: .init(x: 0.5, y: 1)
      case .southWest: .init(x: 0, y: 1)
      case .west: .init(x: 0, y: 0.5)
      case .northWest: .init(x: 0, y: 0)
      }
    }
  }

  /// The point that a crop is centred on, as far as the image allows; the centre where pixels decide.
  package var focus: CatalogFocus {
    if case .side(let side) = self { side.focus } else { Side.centre.focus }
  }

  package static var centre: Gravity { .side(.centre) }

  package static let all: [Gravity] =
    Side.allCases.map { .side($0) } + Interest.allCases.map { .found($0) }

  /// The name in the pipeline file.
  package var rawValue: String {
    switch self {
    case .side(let side): side.rawValue
    case .found(let interest): interest.rawValue
    }
  }

  package init?(rawValue: String) {
    guard let gravity = Self.all.first(where: { $0.rawValue == rawValue }) else { return nil }
    self = gravity
  }
}

/// What makes a part of an image the one to keep, in the terms of libvips' `smartcrop`.
package enum Interest: String, Sendable, Codable, CaseIterable {
  /// Edges, skin tones and saturated colours.
  case attention
  /// The most detail.
  case entropy
}

/// Width and height in whole units; pixels unless stated otherwise.
package struct Size: Sendable, Hashable, Codable {
  package var width: Int
  package var height: Int

  package init(_ width: Int, _ height: Int) {
    self.width = width
    self.height = height
  }

  package var longerSide: Int { max(width, height) }
  package var area: Int { width * height }
}

/// a * b / c to the nearest integer, halves up, computed in integers, so that it is exact.
func roundedRatio(_ a: Int, _ b: Int, _ c: Int) -> Int { (2 * a * b + c) / (2 * c) }

/// a * b / c, rounded up.
func ceilingRatio(_ a: Int, _ b: Int, _ c: Int) -> Int { (a * b + c - 1) / c }
