/// How an image is placed in the box of a slot.
package enum Mode: String, Sendable, CaseIterable {
  /// The whole image inside the box (CSS `contain`, sharp `inside`).
  case fit
  /// The whole image, covering the box (sharp `outside`).
  case fill
  /// Cropped to the shape of the box, then scaled to it (CSS `cover`, sharp `cover`).
  case clip
}

/// A place in the layout, in points. At least one side is set; `clip` needs both. A side that is
/// nil is free.
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
