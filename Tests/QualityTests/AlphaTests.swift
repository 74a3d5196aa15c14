import TesseraTranscode
import Testing

@Suite struct AlphaTests {
  private func image(_ base: DrawnImage.Base, alpha: (Int, Int) -> Int) throws -> RGBImage {
    let opaque = try DrawnImage.make(base, 96, 80)
    return try DrawnImage.raster(96, 80, channels: 4) { x, y, channel in
      channel == 3 ? alpha(x, y) : Int(opaque.samples[(x + 96 * y) * 3 + channel])
    }
  }

  @Test func opaqueAlphaChangesNothing() throws {
    var pyramid = ReferencePyramid(of: try DrawnImage.make(.blocks, 96, 80))
    let candidate = try DrawnImage.make(.blocks, .noisy, 96, 80)
    let withAlpha = try DrawnImage.raster(96, 80, channels: 4) { x, y, channel in
      channel == 3 ? 255 : Int(candidate.samples[(x + 96 * y) * 3 + channel])
    }
    #expect(try pyramid.compare(with: withAlpha) == pyramid.compare(with: candidate))
  }

  /// Colours that no background shows do not count.
  @Test func transparentPixelsHaveNoColour() throws {
    var pyramid = ReferencePyramid(of: try image(.noise) { x, _ in x < 40 ? 0 : 255 })
    let other = try image(.noise) { x, _ in x < 40 ? 0 : 255 }
    var samples = other.samples
    for y in 0..<80 { for x in 0..<40 { samples[(x + 96 * y) * 4] = 7 } }
    let candidate = try RGBImage(width: 96, height: 80, channels: 4, samples: samples)
    #expect(try pyramid.score(of: candidate) == 100)
  }

  /// Dark grey turned transparent is invisible on a dark background, and visible on a bright one.
  @Test func theLowerScoreOfTwoBackgroundsCounts() throws {
    func half(_ grey: Int, _ alpha: Int) throws -> RGBImage {
      try DrawnImage.raster(96, 80, channels: 4) { x, _, channel in
        channel == 3 ? (x < 48 ? alpha : 255) : grey
      }
    }
    var dark = ReferencePyramid(of: try half(26, 255))
    #expect(try dark.score(of: half(26, 0)) < 50)
    var bright = ReferencePyramid(of: try half(230, 0))
    #expect(try bright.score(of: half(230, 255)) < 50)
  }

  /// Blends by the formula of the reference implementation: in sRGB, not in linear light.
  @Test func alphaIsBlendedInSRGB() throws {
    var pyramid = ReferencePyramid(of: try image(.noise) { x, y in (x * 3 + y * 5) % 256 })
    let score = try pyramid.score(of: image(.blocks) { x, y in (x * 3 + y * 5) % 256 })
    #expect(abs(score + 54.8506) < 0.01)
  }
}
