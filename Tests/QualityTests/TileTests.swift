import TesseraTranscode
import Testing

@Suite struct TileTests {
  /// A mean hides damage of one tile in six; the worst tile names it.
  @Test func theWorstTileIsTheDamagedOne() throws {
    let image = try DrawnImage.make(.gradient, 210, 140)
    let candidate = try DrawnImage.raster(210, 140) { x, y, channel in
      let sample = Int(image.samples[(x + 210 * y) * 3 + channel])
      let isDamaged = (64..<128).contains(x) && y >= 64
      return isDamaged ? sample & 0xE0 : sample
    }
    var pyramid = ReferencePyramid(of: image)
    let result = try pyramid.compare(with: candidate)
    let tile = result.worstTile
    #expect(tile.x == 64)
    #expect(tile.y == 64)
    #expect(tile.width == 64)
    #expect(tile.height == 76)
    #expect(tile.score < result.score - 20)
  }

  /// Tiles are squares of 64 pixels; the last one of a row or column has 32 to 95.
  @Test(arguments: [
    (3, 2, 3, 2, 0, 0), (95, 40, 95, 40, 0, 0), (96, 64, 32, 64, 64, 0), (159, 70, 95, 70, 64, 0),
    (65, 200, 65, 72, 0, 128),
  ])
  func theLastTileTakesTheRest(
    _ width: Int, _ height: Int, _ tileWidth: Int, _ tileHeight: Int, _ x: Int, _ y: Int
  ) throws {
    let image = try DrawnImage.make(.gradient, width, height)
    let candidate = try DrawnImage.raster(width, height) { column, row, channel in
      let sample = Int(image.samples[(column + width * row) * 3 + channel])
      return column == width - 1 && row == height - 1 ? 255 - sample : sample
    }
    var pyramid = ReferencePyramid(of: image)
    let tile = try pyramid.compare(with: candidate).worstTile
    #expect([tile.width, tile.height, tile.x, tile.y] == [tileWidth, tileHeight, x, y])
  }

  @Test func aSingleTileScoresAsTheImage() throws {
    var pyramid = ReferencePyramid(of: try DrawnImage.make(.blocks, 95, 90))
    let result = try pyramid.compare(with: DrawnImage.make(.blocks, .noisy, 95, 90))
    #expect(result.worstTile.score == result.score)
  }
}
