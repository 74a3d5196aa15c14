import Testing

@testable import TesseraPlan

@Suite struct CSSPlaceholderTests {
  private static func image(
    _ width: Int, _ height: Int, _ pixel: (_ x: Int, _ y: Int) -> [UInt8]
  ) -> Thumbnail {
    var samples: [UInt8] = []
    for y in 0..<height { for x in 0..<width { samples += pixel(x, y) } }
    return Thumbnail(width: width, height: height, samples: samples)
  }

  /// What a style sheet draws: a, b and the lightnesses of the cells from the upper left.
  private static func drawn(_ image: Thumbnail) -> (a: Double, b: Double, cells: [Double]) {
    let number = CSSPlaceholder.encode(image)
    #expect((0..<1 << 24).contains(number))
    let lowest = Double(number >> 20) / 15
    let cells = (0..<6).map { cell in
      let steps = number >> (cell * 2) & 3
      return lowest + Double(steps) * 0.1
    }
    return (Double(number >> 16 & 15) * 0.04 - 0.28, Double(number >> 12 & 15) * 0.04 - 0.28, cells)
  }

  /// Oklab of sRGB's primaries, as CSS Color 4 has them. The least b is -0.28.
  @Test(
    arguments: [
      ([255, 255, 255], [1, 0, 0]), ([0, 0, 0], [0, 0, 0]), ([255, 0, 0], [0.628, 0.225, 0.126]),
      ([0, 255, 0], [0.866, -0.234, 0.179]), ([0, 0, 255], [0.452, -0.032, -0.28]),
      ([119, 119, 119], [0.569, 0, 0]),
    ] as [([UInt8], [Double])])
  func aPlainImageHasItsColour(_ colour: [UInt8], _ expected: [Double]) {
    for image in [
      Self.image(7, 5) { _, _ in colour + [255] }, Self.image(1, 1) { _, _ in colour + [1] },
      // What is transparent does not count.
      Self.image(6, 4) { x, _ in x % 2 == 0 ? colour + [200] : [9, 200, 30, 0] },
    ] {
      let drawn = Self.drawn(image)
      // Half a step: the lightness has steps of a thirtieth, a and b of 0.04.
      #expect(abs(drawn.a - expected[1]) <= 0.021 && abs(drawn.b - expected[2]) <= 0.021)
      #expect(drawn.cells.allSatisfy { abs($0 - expected[0]) <= 0.018 }, "\(drawn)")
      // Grey stays grey.
      if expected[1] == 0 { #expect(abs(drawn.a) < 1e-9 && abs(drawn.b) < 1e-9) }
    }
  }

  @Test func cellsAreThirdsAndHalves() {
    for cell in 0..<6 {
      // Lightnesses of 0.8 and 0.5.
      let image = Self.image(9, 4) { x, y in
        y / 2 * 3 + x / 3 == cell ? [190, 190, 190, 255] : [99, 99, 99, 255]
      }
      for (place, lightness) in Self.drawn(image).cells.enumerated() {
        #expect(abs(lightness - (place == cell ? 0.8 : 0.5)) < 0.04, "\(cell) \(place)")
      }
    }
  }

  /// Of more than the steps reach, as little as possible is lost.
  @Test func aLargeContrastIsReduced() {
    let image = Self.image(3, 2) { x, _ in x == 0 ? [0, 0, 0, 255] : [255, 255, 255, 255] }
    let cells = Self.drawn(image).cells
    #expect(cells[0] == cells[3] && cells[1] == cells[5])
    #expect(abs(cells[1] - cells[0] - 0.3) < 1e-9 && cells[1] > 0.7)
  }

  @Test func aTransparentImageIsGrey() {
    let drawn = Self.drawn(Self.image(3, 2) { _, _ in [255, 0, 0, 0] })
    #expect(abs(drawn.a) < 1e-9 && abs(drawn.b) < 1e-9)
    #expect(drawn.cells.allSatisfy { abs($0 - 0.5) < 0.02 })
  }
}
