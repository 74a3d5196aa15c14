package import TesseraPlan

/// A request to a worker: how close one image is to another, by SSIMULACRA 2.1.
///
/// The source that comes with it holds the files of both, one after the other; nothing is written to the memory.
package struct ComparisonJob: Sendable, Equatable, Codable {
  /// Displayed pixels, of both.
  package var size: Size
  package var reference: Image
  package var candidate: Image

  /// One file of the source.
  package struct Image: Sendable, Equatable, Codable {
    package var length: Int
    /// By its catalog name.
    package var format: String

    package init(length: Int, format: String) {
      (self.length, self.format) = (length, format)
    }
  }

  package init(size: Size, reference: Image, candidate: Image) {
    self.size = size
    (self.reference, self.candidate) = (reference, candidate)
  }
}

/// How close an image is to its reference. Scores are at most 100, for identical images, and have no lower bound.
package struct Likeness: Sendable, Equatable, Codable {
  package var score: Double
  /// The square of about 64 pixels with the lowest score: its corner, its size and its score.
  package var worstTile: Tile

  package struct Tile: Sendable, Equatable, Codable {
    package var score: Double
    package var x: Int
    package var y: Int
    package var size: Size

    package init(score: Double, x: Int, y: Int, size: Size) {
      self.score = score
      (self.x, self.y, self.size) = (x, y, size)
    }
  }

  package init(score: Double, worstTile: Tile) {
    (self.score, self.worstTile) = (score, worstTile)
  }
}
