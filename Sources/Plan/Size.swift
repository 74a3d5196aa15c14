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
