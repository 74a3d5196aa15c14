import TesseraTranscode

/// Images by formula, and damage to them. `Tests/Benchmarks/quality-check` draws the same ones.
enum DrawnImage {
  enum Base { case gradient, noise, blocks }
  enum Damage { case posterized, shifted, blurred, noisy }

  static func make(_ base: Base, _ width: Int, _ height: Int) throws -> RGBImage {
    try raster(width, height) { x, y, channel in
      value(base, x, y, channel, width, height)
    }
  }

  static func make(
    _ base: Base, _ damage: Damage, _ width: Int, _ height: Int
  ) throws -> RGBImage {
    try raster(width, height) { x, y, channel in
      func at(_ x: Int) -> Int { value(base, x, y, channel, width, height) }
      switch damage {
      case .posterized: return at(x) & 0xF0
      case .shifted: return min(at(x) + 6, 255)
      case .blurred: return (at(max(x - 1, 0)) + at(x) + at(min(x + 1, width - 1))) / 3
      case .noisy: return max(0, min(at(x) + noise(x, y, channel) / 16 - 8, 255))
      }
    }
  }

  static func raster(
    _ width: Int, _ height: Int, channels: Int = 3, _ value: (Int, Int, Int) -> Int
  ) throws -> RGBImage {
    var samples: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width {
        for channel in 0..<channels { samples.append(UInt8(value(x, y, channel))) }
      }
    }
    return try RGBImage(width: width, height: height, channels: channels, samples: samples)
  }

  static func noise(_ x: Int, _ y: Int, _ channel: Int) -> Int {
    ((x * 73_856_093) ^ (y * 19_349_663) ^ (channel * 83_492_791)) >> 7 & 255
  }

  private static func value(
    _ base: Base, _ x: Int, _ y: Int, _ channel: Int, _ width: Int, _ height: Int
  ) -> Int {
    switch base {
    case .gradient:
      let across = x * (channel + 1) * 255 / (3 * width)
      return (across + y * (3 - channel) * 255 / (3 * height)) / 2 + 20
    case .noise: return noise(x, y, channel)
    case .blocks:
      return (x / 9 + y / 7) % 2 == 0 ? 200 - 40 * channel : 30 + 60 * channel
    }
  }
}
