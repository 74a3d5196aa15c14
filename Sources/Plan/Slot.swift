/// How a picture is put into a slot's box.
package enum Mode: String, Sendable, CaseIterable {
  /// The whole picture inside the box (CSS contain, sharp inside).
  case fit
  /// The whole picture covering the box (sharp outside).
  case fill
  /// Cropped to the box's shape, then scaled to it (CSS cover, sharp cover).
  case clip
}

/// A place in the layout, in points. At least one side is given; `clip` needs both.
package struct Slot: Sendable, Equatable {
  package var name: String
  package var width: Int?
  package var height: Int?
  package var mode: Mode

  package init(_ name: String, width: Int?, height: Int?, mode: Mode = .fit) {
    self.name = name
    self.width = width
    self.height = height
    self.mode = mode
  }
}

/// Width and height in whole units, pixels unless said otherwise.
package struct Size: Sendable, Hashable {
  package var width: Int
  package var height: Int

  package init(_ width: Int, _ height: Int) {
    self.width = width
    self.height = height
  }

  package var longerSide: Int { max(width, height) }
  package var area: Int { width * height }
}

/// A rectangle of the displayed picture, in its pixels.
package struct Crop: Sendable, Hashable {
  package var size: Size
  package var place: Place

  package enum Place: Sendable, Hashable {
    case at(x: Int, y: Int)
    /// Where the worker finds most of this in the pixels.
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
