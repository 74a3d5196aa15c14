/// What an image shows of itself before it is encoded.
package struct ImageFeatures: Sendable, Equatable {
  /// The share of pixels, from 0 to 1, that equal their right and their lower neighbour in all channels.
  ///
  /// Photographs have them in skies, in blurred backgrounds and where they are overexposed.
  package let flatShare: Double
  /// The share of pixels that are flat and have an edge near them. Only graphics, screenshots and text have many: where a
  /// photograph is flat, its edges are far away or soft.
  package let flatShareAtEdges: Double
  private let longerSide: Int

  /// An image is looked at in squares of this side.
  private static let squareSide = 16
  /// A square has an edge if the samples of a channel differ by as much in it.
  private static let edge = 32
  /// From these shares on, an image counts as a graphic. 100 drawn graphics and screenshots have 0.12 or more at 256 pixels
  /// and 0.40 at 512 (0.29 if they were JPEG files), and 0.006 at edges; 38 photographs have at most 0.26 at 512. The first
  /// share is for 256 pixels. It grows faster than the image: flat areas shrink less than what is between them.
  private static let (graphicShare, graphicShareAtEdges) = (0.1, 0.005)

  package var isGraphic: Bool {
    let length = Double(longerSide) / 256
    return flatShare >= Self.graphicShare * length * length.squareRoot()
      && flatShareAtEdges >= Self.graphicShareAtEdges
  }

  package init(of image: RGBImage) {
    var (flat, flatAtEdges) = (0, 0)
    for top in stride(from: 0, to: image.height, by: Self.squareSide) {
      for left in stride(from: 0, to: image.width, by: Self.squareSide) {
        let square = Self.square(
          of: image, x: left..<min(left + Self.squareSide, image.width),
          y: top..<min(top + Self.squareSide, image.height))
        flat += square.flat
        if square.range >= Self.edge { flatAtEdges += square.flat }
      }
    }
    let count = Double(image.width * image.height)
    (flatShare, flatShareAtEdges) = (Double(flat) / count, Double(flatAtEdges) / count)
    longerSide = max(image.width, image.height)
  }

  /// How many pixels of a square are flat, and how far the samples of a channel differ in it.
  private static func square(
    of image: RGBImage, x columns: Range<Int>, y rows: Range<Int>
  ) -> (flat: Int, range: Int) {
    let (channels, row) = (image.channels, image.width * image.channels)
    let samples = image.samples.span
    var (flat, range) = (0, 0)
    for channel in 0..<channels {
      var (least, most) = (UInt8.max, UInt8.min)
      for y in rows {
        for x in columns {
          let sample = samples[y * row + x * channels + channel]
          (least, most) = (min(least, sample), max(most, sample))
        }
      }
      range = max(range, Int(most) - Int(least))
    }
    // The last row and column of the image have no neighbours there.
    for y in rows where y + 1 < image.height {
      for x in columns where x + 1 < image.width {
        let start = y * row + x * channels
        let isFlat = (start..<start + channels).allSatisfy {
          samples[$0] == samples[$0 + channels] && samples[$0] == samples[$0 + row]
        }
        if isFlat { flat += 1 }
      }
    }
    return (flat, range)
  }
}
