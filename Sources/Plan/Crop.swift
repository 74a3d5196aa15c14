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
