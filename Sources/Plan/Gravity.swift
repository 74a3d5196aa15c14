package import TesseraCatalog

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
