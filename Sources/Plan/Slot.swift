package import TesseraCatalog

/// A place in the layout, in points. At least one side is set; `clip` needs both. A side that is
/// nil is free.
package struct Slot: Sendable, Equatable {
  package var name: String
  package var width: Int?
  package var height: Int?
  package var mode: CatalogSlot.Mode

  package init(_ name: String, width: Int?, height: Int?, mode: CatalogSlot.Mode = .fit) {
    self.name = name
    self.width = width
    self.height = height
    self.mode = mode
  }
}
