/// How close a candidate is to the reference.
package struct Comparison: Equatable, Sendable {
  /// The SSIMULACRA 2.1 score of the whole image: 100 means identical, 90 visually lossless, 80 very
  /// high quality, 70 high, 50 medium, 30 low. It has no lower bound.
  package let score: Double
  /// The tile with the lowest score.
  package let worstTile: Tile

  /// A part of an image. Its score is the same formula with means and 4-norms over the tile's
  /// pixels at the four finest scales, and over the whole image's at the others.
  package struct Tile: Equatable, Sendable {
    package let score: Double
    package let x: Int
    package let y: Int
    package let width: Int
    package let height: Int
  }
}
