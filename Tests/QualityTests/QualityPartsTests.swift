import Foundation
import TesseraTestSupport
import Testing

@testable import TesseraTranscode

/// The parts of the score that have a definition of their own, and the limits of what counts as a
/// graphic.
@Suite struct QualityPartsTests {
  private static func isClose(_ one: Double, _ other: Double, _ error: Double = 1e-14) -> Bool {
    abs(one - other) <= error * max(1, abs(other))
  }

  @Test func elementaryFunctionsAreThoseOfMathematics() {
    for value in [
      1e-300, 0.001, 0.5, 0.7071, 1, 1.4142135623730950, 1.4142135623730954, 1.5, 2, 3, 1e300,
    ] {
      #expect(Self.isClose(Elementary.logarithm(value), log(value)), "\(value)")
      for exponent in [-0.5, 0, 0.6276336467831387, 1, 2] {
        let power = pow(value, exponent)
        guard power.isFinite, power.isNormal else { continue }
        #expect(Self.isClose(Elementary.power(value, exponent) / power, 1, 1e-12))
      }
    }
    for value in [-700, -1, -0.35, -0.3, 0, 0.1, 0.34, 0.35, 1, 10, 700] {
      #expect(Self.isClose(Elementary.exponential(value) / exp(value), 1, 1e-13))
    }
    for value in [0.001, 0.01, 0.3, 0.99, 1] {
      #expect(Self.isClose(Elementary.fifthRoot(value), pow(value, 0.2)))
    }
  }

  /// IEC 61966-2-1.
  @Test func linearLight() {
    func light(_ value: Double) -> Double {
      value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }
    #expect(SRGB.light.count == 256)
    for sample in 0..<256 {
      #expect(abs(Double(SRGB.light[sample]) - light(Double(sample) / 255)) < 1e-7)
    }
    for step in 0...5_000 {
      let value = Double(step) / 5_000
      #expect(abs(Double(SRGB.light(of: Float(value))) - light(value)) < 2e-7, "\(value)")
    }
    #expect(SRGB.light(of: 0) == 0 && SRGB.light(of: 1) == 1)
  }

  @Test func lanes() {
    let lanes = Floats(-3, -0.5, 0, 0.25, 1, 2, 5, 8)
    #expect(lanes.absolute == Floats(3, 0.5, 0, 0.25, 1, 2, 5, 8))
    #expect(lanes.atLeast(Floats(repeating: 1)) == Floats(1, 1, 1, 1, 1, 2, 5, 8))
    #expect(lanes.total == 12.75)
    for count in -1...10 {
      #expect((0..<8).map { Floats.ones(count)[$0] } == (0..<8).map { $0 < count ? 1 : 0 })
    }
    for value: Float in [0.001, 0.0037930732, 0.01, 0.1, 0.5, 1, 1.0038, 2] {
      let root = Floats(repeating: value).cubeRoot[3]
      #expect(abs(root - Float(cbrt(Double(value)))) <= 2 * root.ulp, "\(value)")
    }
  }

  @Test func rastersKnowTheirTransparency() throws {
    func raster(_ alpha: [UInt8]) throws -> RGBImage {
      try RGBImage(
        width: alpha.count, height: 1, channels: 4, samples: alpha.flatMap { [1, 2, 3, $0] })
    }
    #expect(try !raster([255, 255]).hasTransparency && raster([255, 254]).hasTransparency)
    #expect(try raster([254, 255]).hasTransparency && raster([0]).hasTransparency)
    #expect(try !RGBImage(width: 2, height: 1, samples: [1, 2, 3, 4, 5, 6]).hasTransparency)
  }

  /// An image of noise, in which runs of a colour of their own make a number of flat pixels.
  private static func features(
    flat: Int, withoutEdges: Int = 0, width: Int = 256, edge: Int = 32
  ) throws -> ImageFeatures {
    // Neighbours differ; the values reach 6 steps. In the last rows there are no edges.
    var rows = (0..<64).map { y in
      (0..<width).map { x in y < 32 ? (x + 2 * y) % 7 * 5 : (x + 2 * y) % 7 }
    }
    func fill(_ count: Int, from first: Int, with value: Int) {
      var (rest, row) = (count, first)
      // A run of two equal rows has a flat pixel less than it is long.
      while rest > 0 {
        let length = min(rest, width - 1) + 1
        for x in 0..<length { (rows[row][x], rows[row + 1][x]) = (value, value) }
        (rest, row) = (rest - length + 1, row + 3)
      }
    }
    fill(flat, from: 0, with: edge)
    fill(withoutEdges, from: 32, with: 31)
    let samples = rows.joined().flatMap { value -> [UInt8] in [UInt8(value), 90, UInt8(value / 2)] }
    return ImageFeatures(of: try RGBImage(width: width, height: 64, samples: samples))
  }

  @Test func flatPixelsAreCounted() throws {
    for (flat, others) in [(0, 0), (1, 0), (255, 255), (300, 17), (0, 700)] {
      let features = try Self.features(flat: flat, withoutEdges: others)
      #expect(features.flatShare == Double(flat + others) / 16_384)
      #expect(features.flatShareAtEdges == Double(flat) / 16_384)
    }
  }

  /// At 256 pixels a tenth, and a two-hundredth at edges; more of a larger image.
  @Test func graphicsHaveEnoughFlatPixels() throws {
    try expectLeast(1_639) { try Self.features(flat: 82, withoutEdges: $0 - 82).isGraphic }
    try expectLeast(82) { try Self.features(flat: $0, withoutEdges: 1_700 - $0).isGraphic }
    // Twice as long: 2 to the power of 1.5, of twice as many pixels.
    try expectLeast(9_269) { count in
      let features = try Self.features(flat: 4_600, withoutEdges: count - 4_600, width: 512)
      return features.isGraphic
    }
  }

  /// A square of 16 pixels has an edge if a channel differs by 32 in it.
  @Test func edgesAreDifferencesOfThirtyTwo() throws {
    expectLeast(32) { range in
      let samples = (0..<256).flatMap { place -> [UInt8] in
        [7, place == 255 ? UInt8(100 + range) : 100, 7]
      }
      guard let image = try? RGBImage(width: 16, height: 16, samples: samples) else { return false }
      return ImageFeatures(of: image).flatShareAtEdges > 0
    }
    // In the square itself, not in the one beside it.
    for (place, isEdge) in [(15, true), (16, false)] {
      let samples = (0..<17).flatMap { x -> [UInt8] in x == place ? [0, 0, 200] : [0, 0, 0] }
      let image = try RGBImage(width: 17, height: 2, samples: samples + samples)
      #expect((ImageFeatures(of: image).flatShareAtEdges > 0) == isEdge)
    }
  }
}
