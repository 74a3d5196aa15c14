/// Compares a candidate with the reference at one scale.
struct ScaleComparison {
  private var line: OpsinRow
  private var channels: [ChannelComparison]
  let scale: Int

  init(reference: borrowing ReferenceScale, scale: Int, grid: TileGrid) {
    self.scale = scale
    line = OpsinRow(stride: reference.stride)
    channels = []
    for channel in 0..<3 {
      channels.append(
        ChannelComparison(reference: reference, scale: scale, channel: channel, grid: grid))
    }
  }

  mutating func run(_ image: borrowing LinearImage, reference: borrowing ReferenceScale) {
    for channel in 0..<3 { channels[channel].clear() }
    for row in 0..<image.height + Blur.reach {
      line.take(row, of: image)
      for channel in 0..<3 where Weights.features[channel][scale].usesAny {
        channels[channel].take(
          line.channel(channel), row: row, reference: reference.channels[channel])
      }
    }
  }

  /// The weighted features of a tile, or of the whole image.
  func weightedSum(in grid: TileGrid, tile: Int?) -> Double {
    var sum = 0.0
    for channel in 0..<3 {
      let tiles = channels[channel].tiles
      var maps = MapSums()
      var pixels = 0
      for index in tile.map({ $0..<$0 + 1 }) ?? tiles.indices {
        let area = grid.area(of: index, at: scale)
        maps += tiles[index]
        pixels += area.x.count * area.y.count
      }
      sum += maps.weighted(Weights.features[channel][scale], pixels: pixels)
    }
    return sum
  }
}
