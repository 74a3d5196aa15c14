internal import TesseraCatalog
internal import TesseraPlan

/// Converts samples of sRGB into the pixels of a table. In integers, so that every processor computes alike;
/// `Examples/catalog/TABLES.md` has the formulas.
struct TableRow {
  let pixels: TablePixels
  let background: Colour

  /// - Parameters:
  ///   - samples: three bands, or four with alpha.
  ///   - count: of pixels.
  ///   - target: has room for them.
  func write(
    _ samples: UnsafeBufferPointer<UInt8>.SubSequence, bands: Int, count: Int,
    to target: inout ArraySlice<UInt8>
  ) {
    var (from, to) = (samples.startIndex, target.startIndex)
    for _ in 0..<count {
      let alpha = bands == 4 ? Int(samples[from + 3]) : 255
      let (red, green, blue) = (
        Int(samples[from]), Int(samples[from + 1]), Int(samples[from + 2])
      )
      switch pixels {
      case .bgra8:
        target[to] = Self.scaled(blue, alpha)
        target[to + 1] = Self.scaled(green, alpha)
        target[to + 2] = Self.scaled(red, alpha)
        target[to + 3] = UInt8(alpha)
      case .rgba8:
        target[to] = Self.scaled(red, alpha)
        target[to + 1] = Self.scaled(green, alpha)
        target[to + 2] = Self.scaled(blue, alpha)
        target[to + 3] = UInt8(alpha)
      case .rgb565, .grey8:
        let (r, g, b) = (
          Self.over(red, alpha, background.red), Self.over(green, alpha, background.green),
          Self.over(blue, alpha, background.blue)
        )
        if pixels == .grey8 {
          // The weights of ITU-R BT.709 in 256ths.
          target[to] = UInt8((54 * r + 183 * g + 19 * b + 128) >> 8)
        } else {
          let levels = ((r * 31 + 127) / 255, (g * 63 + 127) / 255, (b * 31 + 127) / 255)
          let packed = levels.0 << 11 | levels.1 << 5 | levels.2
          target[to] = UInt8(packed & 255)
          target[to + 1] = UInt8(packed >> 8)
        }
      case .webp:
        // An encoder takes alpha apart from the colours.
        target[to] = samples[from]
        target[to + 1] = samples[from + 1]
        target[to + 2] = samples[from + 2]
        target[to + 3] = UInt8(alpha)
      }
      from += bands
      to += pixels.bytesPerPixel ?? 4
    }
  }

  private static func scaled(_ colour: Int, _ alpha: Int) -> UInt8 {
    UInt8((colour * alpha + 127) / 255)
  }

  private static func over(_ colour: Int, _ alpha: Int, _ background: UInt8) -> Int {
    (colour * alpha + Int(background) * (255 - alpha) + 127) / 255
  }
}
