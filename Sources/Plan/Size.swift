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
